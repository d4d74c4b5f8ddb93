//! Istanbul-format coverage instrumentation for JavaScript, TypeScript and HTML.
//!
//! Coverage tells how much of a program has run. An *instrumented* program counts that itself: next to each statement,
//! at the start of each function and in each arm of each decision stands a counter. Istanbul is the format that the
//! JavaScript world keeps such counts in: a map of places and a map of counts, by ids, for *statements* (`s`), *functions*
//! (`f`) and *branches* (`b`), in a global variable `__coverage__`. nyc, Jest, Vitest and Cypress read it.
//!
//! This crate puts the counters into source text and works on the data:
//!
//! - [`instrument`] takes a file and gives it back with counters, and its [`coverage::FileCoverage`] at zero;
//!   [`instrument_all`] and [`instrument_project`] do so for many files on all cores.
//! - [`coverage`] holds the data model: merging, totals, increments read from a page, source maps, V8's counts.
//! - [`mod@uncovered`] shows what has not run as code, for someone who is to think of what to try next.
//!
//! The text is spliced, not printed anew: types, JSX, comments and lines stay where they are, and nothing but counters is
//! added. A program cannot tell that it is counted, short of looking at its own source text; names that functions take
//! from where they stand, completion values and hoisting are kept. `docs/instrument.md` tells how, and lists what differs
//! from `istanbul-lib-instrument` on purpose.
//!
//! The crate reads and writes no files, and starts no threads but those of rayon in the forms for many files.
//!
//! ```
//! use webeval_instrument::coverage::{COLLECT_DELTA, CoverageMap, Delta};
//! use webeval_instrument::{Options, instrument};
//!
//! let page = instrument("if (ready) start();", "app.js", &Options::default())?;
//! let mut map = CoverageMap::default();
//! map.add(page.coverage);
//!
//! // Serve `page.code`, then evaluate `COLLECT_DELTA` in the page after each step. Say it gave this:
//! # let _ = COLLECT_DELTA;
//! let read = r#"{"app.js": {"h": "", "i": [0, 3], "n": [1, 1]}}"#;
//! let gain = map.apply(&Delta::from_json(read).expect("what the page gave"));
//!
//! // The `if` ran and its missing `else` was taken.
//! assert_eq!((gain.statements, gain.branches), (1, 1));
//! assert_eq!(map.summary().statements.percent(), 50.0);
//! # Ok::<(), webeval_instrument::Error>(())
//! ```

mod assemble;
mod batch;
pub mod coverage;
mod document;
mod error;
mod hints;
mod instrument;
mod line_index;
mod options;
mod points;
mod preamble;
mod program;
mod source_map;
mod splice;
pub mod uncovered;
mod walk;
mod write;

pub use batch::{Outcome, Project, SourceFile, instrument_all, instrument_bytes, instrument_project};
pub use error::Error;
pub use instrument::{Instrumented, instrument};
pub use options::{Kind, Options};
