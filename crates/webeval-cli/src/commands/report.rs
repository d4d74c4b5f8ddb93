//! `webeval report`.

use crate::args::RunOnly;
use crate::commands::open;
use crate::failure::Failure;
use crate::pipeline;

pub(crate) fn run(args: &RunOnly) -> Result<(), Failure> {
    let run = open(&args.run)?;
    pipeline::report(&run)?;
    println!("{}", run.root().join("report.html").display());
    Ok(())
}
