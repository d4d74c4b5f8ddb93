//! A rendered page in, sections and measured visual faults out.

mod assets;
pub mod capture;
pub mod checks;
pub mod color;
pub mod degrade;
mod error;
mod finding;
mod geometry;
pub mod measure;
mod page;
mod pixels;
mod probe;
pub mod process;
pub mod score;
pub mod section;

pub use checks::check;
pub use error::Error;
pub use finding::{Finding, Metric, PageFacts, Report, Rule};
pub use page::Page;
pub use probe::VisualProbe;
pub use process::{SectionsFile, process};
pub use section::{Section, detect};
