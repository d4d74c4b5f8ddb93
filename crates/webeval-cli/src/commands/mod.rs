//! One module a subcommand.

pub(crate) mod doctor;
pub(crate) mod explore;
pub(crate) mod instrument;
pub(crate) mod judge;
pub(crate) mod report;
pub(crate) mod run;
pub(crate) mod states;
pub(crate) mod validate;

use std::path::Path;

use webeval_evidence::RunDir;

use crate::failure::Failure;

/// Opens a run directory; one that is none is bad input.
fn open(path: &Path) -> Result<RunDir, Failure> {
    RunDir::open(path).map_err(Failure::input)
}
