//! A run directory in, one self-contained HTML page out.
//!
//! The page shows a reader who has never seen webeval what was run, what the judges made of it and on what grounds,
//! and the evidence itself: the state graph, the trace, the coverage, the faults. It is one file that opens from
//! disk: screenshots are shrunk and embedded, graphs are inline SVG, and it loads nothing and runs no script.
//!
//! *Everything recorded is hostile.* Titles, console messages, selectors and model answers come from pages and
//! models that nobody vouches for. They are escaped on their way in, never become a link's address, and a
//! Content-Security-Policy without any `script-src` stands behind that.
//!
//! *What is missing is said.* A run that was interrupted, ran as a black box or has not been judged gives a report
//! all the same, with a sentence in the place of each missing part; a score that nobody gave is `not judged`, not 0.
//!
//! ```
#![doc = include_str!("../examples/report_a_run.rs")]
//! ```

mod coverage;
mod curve;
mod draw;
mod error;
mod evidence;
mod graph;
mod layout;
mod pictures;
mod summary;
mod text;
mod view;
mod words;

use std::path::PathBuf;

use askama::Template;
use webeval_evidence::RunDir;

pub use error::Error;
pub use summary::{Failures, RunStatus, Score, Summary};

/// Name of the page in the run directory.
pub const FILE: &str = "report.html";

/// The report of a run, as the text of an HTML page.
///
/// # Errors
/// When `run.json`, the trace, the scores or the judgements cannot be read. A `coverage.json` or state graph that
/// cannot be read, and screenshots that are not there, are said on the page instead.
pub fn report(run: &RunDir) -> Result<String, Error> {
    let evidence = evidence::Evidence::read(run)?;
    let pictures = pictures::Pictures::load(run, &evidence.pictures());
    view::Page::build(&evidence, &pictures).render().map_err(|error| Error::Layout(Box::new(error)))
}

/// Writes the report into the run directory as [`FILE`], and tells where it is.
///
/// # Errors
/// As [`report`], and when the disk refuses.
pub fn write(run: &RunDir) -> Result<PathBuf, Error> {
    run.write_file(FILE, report(run)?.as_bytes())?;
    Ok(run.root().join(FILE))
}

/// The figures of a run, for a terminal table or for `--json`.
///
/// # Errors
/// When a file of the run directory cannot be read.
pub fn summary(run: &RunDir) -> Result<Summary, Error> {
    Summary::of(run)
}
