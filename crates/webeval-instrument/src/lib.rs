//! Istanbul-format coverage instrumentation for JavaScript, TypeScript and HTML

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
