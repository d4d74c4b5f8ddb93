//! Instruments the file named on the command line and prints the counted text.
use std::process::ExitCode;

use webeval_instrument::{Options, instrument};

#[allow(clippy::print_stdout, clippy::print_stderr)]
fn main() -> ExitCode {
    let path = std::env::args().nth(1).unwrap_or_default();
    let source = std::fs::read_to_string(&path).unwrap_or_default();
    match instrument(&source, &path, &Options::default()) {
        Ok(done) => println!("{}", done.code),
        Err(error) => {
            eprintln!("{path}: {error}");
            return ExitCode::FAILURE;
        }
    }
    ExitCode::SUCCESS
}
