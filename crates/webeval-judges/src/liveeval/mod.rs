//! LiveEvalBench: a jury of evaluators declared as data, each meeting the app with its own tools.
//!
//! An [`Evaluator`] is a JSON file: who judges (persona), what is judged (criteria and their points), and what evidence
//! is consulted (tools). Dropping a file into a folder adds an evaluator; [`Registry::read`] loads and checks it, and
//! [`import_agent`] reads the benchmark's own files.
//!
//! [`judge`] runs the adaptive protocol: for each evaluator, its criteria are grounded in concrete tasks on what is
//! really there, each task is carried out on a [`Bench`] and passes or fails, any failed task fails its criterion, and
//! over three runs the majority decides. A verdict that compares before and after is refused unless the bench has a
//! capture from before the action. [`score`](score()) turns verdicts into the paper's points.

mod bench;
mod evaluator;
mod import;
mod live;
mod offer;
mod page;
mod protocol;
mod registry;
mod score;
mod vision;
mod workshop;

pub use bench::{Bench, BenchFuture, Benches, Shown};
pub use evaluator::{
    ColourDeficiency, ColourVision, EVALUATOR_FORMAT, Evaluator, InputProfile, RubricItem, ToolKind, evaluator_schema,
};
pub use import::{Imported, import_agent};
pub use live::LiveBenches;
pub use page::PageBench;
pub use protocol::{Options, judge};
pub use registry::Registry;
pub use score::{CriterionRuns, score};
pub use vision::simulate;
pub use workshop::Workshop;

/// The name that this method files its scores under.
pub const NAME: &str = "liveeval";
