//! Who decides what is done next, and who gives hints.

use std::fmt::Debug;
use std::future::Future;
use std::pin::Pin;

use webeval_browser::{Observation, Session};
use webeval_evidence::{Action, CoverageCounts, Hint, Outcome, Summary};
use webeval_instrument::coverage::CoverageMap;
use webeval_states::Identity;

use crate::{Error, Sources};

/// A future that the loop waits for.
pub type Waiting<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// What the step before did.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Feedback {
    /// The action.
    pub action: Action,
    /// What came of it.
    pub outcome: Outcome,
    /// Statements that it covered for the first time; 0 without coverage.
    pub gain: u32,
    /// Functions that it covered for the first time; 0 without coverage.
    pub functions: u32,
    /// Whether the page's content changed.
    pub changed: bool,
    /// Whether the page that is there now runs any of the app's own code, or has no script at all; true in black-box
    /// mode, where nobody knows.
    pub ran: bool,
}

/// What a tester knows when it decides: what a user could see, and how the coverage moves. Never source, criteria or
/// reference answers (WebCraftBench §4.2).
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Situation<'a> {
    /// Number of the step to come.
    pub step: u32,
    /// Interactions left, this one included.
    pub left: u32,
    /// The page.
    pub page: &'a Observation,
    /// Identity of the page's state.
    pub state: Option<Identity>,
    /// What the step before did; none at the beginning.
    pub last: Option<&'a Feedback>,
    /// Coverage so far; none in black-box mode.
    pub coverage: Option<CoverageCounts>,
    /// Whether the last interactions have not raised the coverage.
    pub plateau: bool,
    /// Hints that came since the last decision.
    pub hints: &'a [Hint],
}

/// What a tester wants done.
#[derive(Clone, Debug)]
pub struct Decision {
    /// The action; [`Finish`](webeval_evidence::ActionKind::Finish) ends the exploration.
    pub action: Action,
    /// Why, in its own words.
    pub reason: Option<String>,
}

/// Decides what is done next.
pub trait Tester: Debug + Send {
    /// Its name in the evidence: `built-in`, `random` or a model's name.
    fn name(&self) -> String;

    /// Chooses the next action.
    fn decide<'a>(&'a mut self, situation: Situation<'a>) -> Waiting<'a, Result<Decision, Error>>;

    /// Sums up what was found (WebCraftBench §4.2: functionality, interactions, observed failures).
    fn summarize<'a>(&'a mut self, last: Situation<'a>) -> Waiting<'a, Result<Summary, Error>>;

    /// Time spent waiting for a model since the last call, in milliseconds.
    fn model_ms(&mut self) -> f64 {
        0.0
    }
}

/// What an advisor is given when the coverage has stopped rising.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Plight<'a> {
    /// Coverage so far: its zeros are what is to be reached.
    pub coverage: &'a CoverageMap,
    /// The app's sources.
    pub sources: &'a Sources,
    /// What the tester sees.
    pub page: &'a Observation,
}

/// Turns uncovered code into suggestions after a plateau.
pub trait Advisor: Debug + Send + Sync {
    /// Its name in the evidence: `built-in` or a model's name.
    fn name(&self) -> String;

    /// Suggests what to try, in natural language, or nothing.
    fn advise<'a>(&'a self, plight: Plight<'a>) -> Waiting<'a, Result<Option<String>, Error>>;
}

/// Measures a page when a state is reached for the first time.
pub trait Probe: Debug + Send {
    /// Measures; nothing when there is nothing to tell. The page has to be left as it was.
    fn inspect<'a>(&'a mut self, session: &'a mut Session) -> Waiting<'a, Option<serde_json::Value>>;
}
