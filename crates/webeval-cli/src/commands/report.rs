//! `webeval report`.

use std::path::PathBuf;

use clap::Args;

use crate::commands::open;
use crate::failure::Failure;
use crate::pipeline;

#[derive(Debug, Args)]
pub(crate) struct ReportArgs {
    /// The run directory
    pub(crate) run: PathBuf,
}

pub(crate) fn run(args: &ReportArgs) -> Result<(), Failure> {
    let run = open(&args.run)?;
    pipeline::report(&run)?;
    println!("{}", run.root().join("report.html").display());
    Ok(())
}
