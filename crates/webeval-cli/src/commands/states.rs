//! `webeval states`.

use crate::args::StatesArgs;
use crate::commands::open;
use crate::failure::Failure;
use crate::pipeline;

pub(crate) fn run(args: &StatesArgs) -> Result<(), Failure> {
    let run = open(&args.run)?;
    pipeline::states(&run)?;
    println!("{}", run.root().join("states.json").display());
    Ok(())
}
