//! One module a subcommand.

pub(crate) mod agreement;
pub(crate) mod check;
pub(crate) mod checklist;
pub(crate) mod degrade;
pub(crate) mod deploy;
pub(crate) mod detect;
pub(crate) mod doctor;
pub(crate) mod evaluators;
pub(crate) mod explore;
pub(crate) mod generate;
pub(crate) mod instrument;
pub(crate) mod judge;
pub(crate) mod leaderboard;
pub(crate) mod refine;
pub(crate) mod replay;
pub(crate) mod report;
pub(crate) mod run;
pub(crate) mod sections;
pub(crate) mod states;
pub(crate) mod validate;

use std::path::Path;

use webeval_evidence::RunDir;

use crate::failure::Failure;

/// Opens a run directory; one that is none is bad input.
fn open(path: &Path) -> Result<RunDir, Failure> {
    RunDir::open(path).map_err(Failure::input)
}

/// Asks the exploration to stop at the first Ctrl-C; the second one ends the process at once.
fn interruption() -> webeval_explore::Cancel {
    let (canceller, cancel) = webeval_explore::Cancel::pair();
    tokio::spawn(async move {
        if tokio::signal::ctrl_c().await.is_ok() {
            eprintln!("webeval: stopping after this step (again to stop at once)");
            canceller.cancel();
            if tokio::signal::ctrl_c().await.is_ok() {
                std::process::exit(1);
            }
        }
    });
    cancel
}
