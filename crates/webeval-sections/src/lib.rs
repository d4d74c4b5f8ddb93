//! A rendered page in, sections and measured visual faults out.

pub mod checks;
pub mod color;
mod error;
mod finding;
mod geometry;
pub mod measure;
mod page;
pub mod score;

pub use checks::check;
pub use error::Error;
pub use finding::{Finding, Metric, PageFacts, Report, Rule};
pub use page::Page;
