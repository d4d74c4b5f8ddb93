//! `webeval states`.

use std::path::PathBuf;

use clap::Args;

use crate::commands::open;
use crate::failure::Failure;
use crate::pipeline;

#[derive(Debug, Args)]
pub(crate) struct StatesArgs {
    /// The run directory
    pub(crate) run: PathBuf,
}

pub(crate) fn run(args: &StatesArgs) -> Result<(), Failure> {
    let run = open(&args.run)?;
    pipeline::states(&run)?;
    println!("{}", run.root().join("states.json").display());
    Ok(())
}
