//! `trace.jsonl`: what the tester did, one step a line.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{Action, BlobRef, Outcome};

/// One line of `trace.jsonl`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case")]
#[non_exhaustive]
pub enum TraceLine {
    /// An action and what followed.
    Step(Box<Step>),
    /// What the advisor told the tester after a plateau (WebCraftBench §4.2).
    Hint(Hint),
    /// The tester's closing words.
    Summary(Summary),
}

/// An action and everything that was observed from just before it to the moment the page had settled.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Step {
    /// Number of the step; 0 is the first load.
    pub index: u32,
    /// What was done. An object of its own: `load` has a `url` and `switch_tab` an `index`, as the step has.
    pub action: Action,
    /// Why the tester chose it, in its own words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// What came of it.
    pub outcome: Outcome,
    /// Address after the step, the served origin written as `app:`.
    pub url: String,
    /// Document title after the step.
    #[serde(default)]
    pub title: String,
    /// Whether the page's content differs from what it was before the step.
    pub changed: bool,
    /// Coverage before and after; none in black-box mode.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub coverage: Option<StepCoverage>,
    /// The page after the step, as HTML with its dynamic state written into it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub snapshot: Option<BlobRef>,
    /// The viewport after the step.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub screenshot: Option<BlobRef>,
    /// Measurements taken when the step reached a state for the first time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub probe: Option<BlobRef>,
    /// Console messages since the step before.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub console: Vec<ConsoleMessage>,
    /// Uncaught errors and unhandled rejections since the step before.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub errors: Vec<PageError>,
    /// Requests that failed since the step before.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub network: Vec<NetworkFailure>,
    /// Where the time went.
    pub timings: Timings,
}

/// Covered and total counters of one kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Count {
    /// Counters above zero.
    pub covered: u32,
    /// All counters.
    pub total: u32,
}

/// Coverage of the app's own code, by Istanbul's four measures.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CoverageCounts {
    /// Statements: the measure of WebCraftBench §4.1.
    pub statements: Count,
    /// Functions.
    pub functions: Count,
    /// Branch arms.
    pub branches: Count,
    /// Lines.
    pub lines: Count,
}

/// Cumulative coverage around a step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct StepCoverage {
    /// Before the step.
    pub before: CoverageCounts,
    /// After it.
    pub after: CoverageCounts,
    /// Statements covered for the first time by it.
    pub gain: u32,
}

/// One line of `coverage-log.jsonl`: what a step added to the coverage. It is written before the step's line in the
/// trace, so that an interrupted exploration goes on from the coverage that it had, and `coverage.json` need not be
/// written whole with every step.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CoverageIncrement {
    /// Number of the step.
    pub step: u32,
    /// The increments of each document that was read, as `webeval-instrument` writes them.
    pub deltas: Vec<String>,
}

/// Severity of a console message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ConsoleLevel {
    /// `console.debug`.
    Debug,
    /// `console.log`, `console.info`.
    Info,
    /// `console.warn`.
    Warning,
    /// `console.error`.
    Error,
}

/// A console message.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ConsoleMessage {
    /// Its severity.
    pub level: ConsoleLevel,
    /// Its text, arguments joined by spaces.
    pub text: String,
}

/// Which way an error got out of the page's code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum PageErrorKind {
    /// Thrown and not caught.
    Uncaught,
    /// A promise rejected and not handled.
    Rejection,
}

/// An error that the page's code did not handle.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PageError {
    /// How it got out.
    pub kind: PageErrorKind,
    /// Its message.
    pub message: String,
    /// `file:line:column`, where known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub location: Option<String>,
}

/// A request that failed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct NetworkFailure {
    /// What was asked for, the served origin written as `app:`.
    pub url: String,
    /// The HTTP status, when there was an answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<u16>,
    /// The browser's reason, when there was none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

/// Where a step's time went, in milliseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Timings {
    /// The whole step.
    pub total: f64,
    /// Waiting for the driver to carry out the action.
    pub act: f64,
    /// Waiting for the page to settle.
    pub settle: f64,
    /// Waiting for the observation.
    pub observe: f64,
    /// Waiting for the screenshot.
    pub screenshot: f64,
    /// Waiting for a model.
    pub model: f64,
    /// Our own work: the whole less all of the above.
    pub own: f64,
}

/// What an advisor suggested when coverage had stopped rising.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Hint {
    /// The step after which it was given.
    pub after: u32,
    /// Who gave it: `built-in` or a model's name.
    pub advisor: String,
    /// The suggestions, in natural language.
    pub text: String,
}

/// The tester's closing summary (WebCraftBench §4.2: functionality, interactions, observed failures).
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Summary {
    /// Who wrote it: `built-in` or a model's name.
    pub tester: String,
    /// Functionality that was found.
    pub functionality: Vec<String>,
    /// Interactions that were tried.
    pub interactions: Vec<String>,
    /// Failures that were seen.
    pub failures: Vec<String>,
}

/// A trace as read back.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Trace {
    /// The steps, in order.
    pub steps: Vec<Step>,
    /// The hints, in order.
    pub hints: Vec<Hint>,
    /// The closing summary; none while exploration is unfinished.
    pub summary: Option<Summary>,
}

impl FromIterator<TraceLine> for Trace {
    fn from_iter<I: IntoIterator<Item = TraceLine>>(lines: I) -> Self {
        let mut trace = Self::default();
        for line in lines {
            match line {
                TraceLine::Step(step) => trace.steps.push(*step),
                TraceLine::Hint(hint) => trace.hints.push(hint),
                TraceLine::Summary(summary) => trace.summary = Some(summary),
            }
        }
        trace
    }
}
