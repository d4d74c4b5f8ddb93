//! The `webeval` command.
fn main() {}
