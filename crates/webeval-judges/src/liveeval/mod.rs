//! LiveEvalBench: evaluators declared as data.
//!
//! An [`Evaluator`] is a JSON file: who judges (persona), what is judged (criteria and their points), and what evidence
//! is consulted (tools). Dropping a file into a folder adds an evaluator; [`Registry::read`] loads and checks it, and
//! [`import_agent`] reads the benchmark's own files. [`score`](score()) turns verdicts into the paper's points.

mod evaluator;
mod import;
mod registry;
mod score;
mod vision;

pub use evaluator::{
    ColourDeficiency, ColourVision, EVALUATOR_FORMAT, Evaluator, InputProfile, RubricItem, ToolKind, evaluator_schema,
};
pub use import::{Imported, import_agent};
pub use registry::Registry;
pub use score::{CriterionRuns, score};
pub use vision::simulate;
