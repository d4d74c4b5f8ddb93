//! Coverage-guided exploration of a web application.
//!
//! [`explore`] is the loop of WebCraftBench §4.2. A [`Tester`] sees the page and decides what is done next; the loop does
//! it through a [`Session`](webeval_browser::Session), adds the increments of coverage up, and records the step. When
//! three interactions in a row have covered no further statement, an [`Advisor`] looks at the code that has not run and
//! hints at what to try. The exploration ends by the tester's own word or after 100 interactions, with its summary.
//!
//! | part | here | others |
//! | --- | --- | --- |
//! | [`Tester`] | [`BuiltIn`]: needs no model; [`ModelTester`]; [`RandomTester`], to compare with | any implementation |
//! | [`Advisor`] | [`BuiltInAdvisor`]: needs no model; [`ModelAdvisor`] | any implementation |
//! | [`Probe`] | | measures each state when it is first reached |
//!
//! [`replay`] repeats a recorded trace and says where it diverges; [`playwright`] writes it as a test for others.
//!
//! A run directory whose exploration was interrupted, in whatever way, is gone on from by calling [`explore`] again.
//!
//! ```no_run
#![doc = include_str!("../examples/explore_a_site.rs")]
//! ```

mod advisor;
mod builtin;
mod control;
mod coverage;
mod error;
mod export;
mod model;
mod replay;
mod run;
pub mod snapshot;
mod sources;
mod tester;
mod v8;

pub use advisor::BuiltInAdvisor;
pub use builtin::{BuiltIn, RandomTester};
pub use control::{Cancel, Canceller, Events};
pub use error::Error;
pub use export::playwright;
pub use model::{ModelAdvisor, ModelTester, View};
pub use replay::{Difference, Divergence, ReplayOptions, Replayed, replay};
pub use run::{App, Cast, Ended, Explored, Options, explore};
pub use sources::Sources;
pub use tester::{Advisor, Decision, Feedback, Plight, Probe, Situation, Tester, Waiting};
pub use v8::Foreign;
