//! One WebDriver session: launch, look, act, collect.
//!
//! A [`Driver`] is chromedriver, started here or running elsewhere. A [`Session`] is one browser on it, with a fresh
//! profile. A step of exploration is [`Session::step`]: carry out an [`Action`](webeval_evidence::Action) with real
//! input, wait until the page has settled, and look at it. The look is one call into the page; it gives an
//! [`Observation`]: the simplified tree with what can be acted on and why, the page as HTML with its dynamic state
//! written into the copy, the increments of coverage, and what the browser's log says.
//!
//! *Waiting is by quiescence.* A script that is installed before the page's own counts pending requests, short timers,
//! running transitions and changes of the document; a page that has none of them does not wait at all.
//!
//! *Coverage survives navigation.* A document that goes away hands its last increments out twice over: with a console
//! message while `beforeunload` runs, and through the session storage for what runs after that, where the next document
//! takes them out before any script of the page has run.
//!
//! *Without counters V8 counts*, where [`SessionOptions::v8`] asks for it: functions and blocks of the app's scripts as
//! they are served.
//!
//! *A step never fails because of the page.* One that hangs, crashes, opens dialogs without end or closes its window
//! ends as an outcome that says so, with the browser started anew on the page that was last seen.
//!
//! ```no_run
#![doc = include_str!("../examples/look_at_a_page.rs")]
//! ```

mod act;
mod downloads;
mod driver;
mod error;
mod input;
mod keys;
mod launch;
mod logs;
mod look;
mod observation;
mod pass;
mod session;
mod upload;
mod v8;
mod wire;
mod workers;

pub use act::prompt_answer;
pub use driver::{Driver, DriverOptions};
pub use error::{DriverFault, Error};
pub use launch::{DialogPolicy, SessionOptions};
pub use observation::{Affordance, Choice, Dialog, Explanation, Field, Node, NodeState, Observation, Scroll};
pub use session::{Session, Stepped};
pub use upload::sample_file;
pub use v8::{Executed, ScriptRun, ServedPage};
