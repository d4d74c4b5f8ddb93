//! Judges that score a run from its recorded evidence.
//!
//! A judge reads a run directory — the trace, the state graph, snapshots, screenshots, measurements — and writes
//! verdicts that a sceptic can check: every score names its grounds, every model call is a line of `judgements.jsonl`
//! with the evidence it cites, and citations of evidence that does not exist are struck by the program.
//!
//! * [`rules`] measures without any model: faults of layout, dead controls, errors. It never guesses what only a reader
//!   of the requirement could know.
//! * [`webcraft`] is WebCraftBench's procedure (§4.4, A.2): advocate, critic and five final judgements for aesthetics
//!   and usability; an agent that looks for evidence of each acceptance criterion for alignment.
//! * [`liveeval`] is LiveEvalBench's jury: evaluators declared as data meet the app live, each with its own tools.
//! * [`webgen`] is WebGen-V's: pages rated section by section, generated from an instruction, refined by what was found.
//!
//! A [`Task`] holds the requirement and its criteria; [`import`] reads the task files of other benchmarks, and
//! [`checklist`] lets models propose criteria for a person to edit. What models are told is in [`Prompts`].
//!
//! ```
#![doc = include_str!("../examples/rules.rs")]
//! ```

pub mod checklist;
mod dossier;
mod error;
mod event;
mod fence;
pub mod import;
pub mod liveeval;
mod prompts;
mod recorder;
pub mod rules;
mod task;
pub mod webcraft;
pub mod webgen;

pub use error::Error;
pub use event::Event;
pub use prompts::Prompts;
pub use task::{Criteria, Criterion, TASK_FORMAT, Task};
