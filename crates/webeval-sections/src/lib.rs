//! A rendered page in, sections and measured visual faults out.
//!
//! One script, [`measure::SCRIPT`], runs once in the page and answers with everything that follows needs: every
//! rendered element's box, computed style, lines of text, media, controls and paint order. A [`Page`] is that answer
//! with its tree. From there on all is arithmetic, without a browser and without a model:
//!
//! - [`check`] measures *faults*: rules for the metrics of WebGen-V §4.1, each [`Finding`] with its element, box, value
//!   and limit, and a score of 1 to 5 a metric. [`VisualProbe`] does so during an exploration.
//! - [`detect`] splits the page into *sections*, and [`section::describe`] tells what each says and shows.
//! - [`mod@degrade`] is the experiment of WebGen-V §4.3: known faults put into a page, and found again.
//!
//! [`capture`] brings a live page to rest and measures it; [`process()`](process::process) writes its sections, pictures
//! and screenshots to disk in the paper's structured form.
//!
//! ```no_run
#![doc = include_str!("../examples/check_page.rs")]
//! ```

mod assets;
pub mod capture;
pub mod checks;
pub mod color;
mod convert;
pub mod degrade;
mod error;
mod finding;
mod geometry;
pub mod measure;
mod page;
mod pixels;
mod probe;
pub mod process;
mod raster;
pub mod score;
pub mod section;

pub use checks::check;
pub use convert::{Converted, convert};
pub use error::Error;
pub use finding::{Finding, Metric, PageFacts, Report, Rule};
pub use page::Page;
pub use probe::VisualProbe;
pub use process::{SectionsFile, process};
pub use section::{Section, detect};
