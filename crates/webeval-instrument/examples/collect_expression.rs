//! Prints the expression that reads, in a page, what was counted since the last reading.

#[allow(clippy::print_stdout)]
fn main() {
    println!("{}", webeval_instrument::coverage::COLLECT_DELTA);
}
