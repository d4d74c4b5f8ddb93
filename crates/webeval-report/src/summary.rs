//! The figures of a run, for a terminal table or for `--json`.

use serde::{Deserialize, Serialize};
use webeval_evidence::{CoverageCounts, OutcomeStatus, RunDir, ScoreStatus, Stage, StageStatus, Trace};

use crate::Error;
use crate::evidence::Evidence;

/// How far a run as a whole got.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum RunStatus {
    /// Every stage up to the judges is over.
    Done,
    /// The stages that have begun are over, others have not begun.
    Partial,
    /// A stage is under way, or was killed.
    Running,
    /// A stage was asked to stop before its end.
    Interrupted,
    /// A stage could not be done.
    Failed,
}

impl RunStatus {
    /// The status in a word.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Done => "done",
            Self::Partial => "partial",
            Self::Running => "running",
            Self::Interrupted => "interrupted",
            Self::Failed => "failed",
        }
    }
}

/// Faults of the app that the trace shows, each counted as often as it was seen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Failures {
    /// Uncaught errors and unhandled rejections.
    pub page_errors: usize,
    /// Messages at the console's error level.
    pub console_errors: usize,
    /// Requests that failed.
    pub failed_requests: usize,
    /// Actions that another element was in the way of.
    pub blocked: usize,
    /// Steps in which the page did not answer in time or the browser was lost.
    pub hangs: usize,
}

impl Failures {
    fn of(trace: &Trace) -> Self {
        let mut seen = Self::default();
        for step in &trace.steps {
            seen.page_errors += step.errors.len();
            let errors = step.console.iter().filter(|message| message.level == webeval_evidence::ConsoleLevel::Error);
            seen.console_errors += errors.count();
            seen.failed_requests += step.network.len();
            match step.outcome.status {
                OutcomeStatus::Blocked => seen.blocked += 1,
                OutcomeStatus::TimedOut | OutcomeStatus::Crashed => seen.hangs += 1,
                _ => {}
            }
        }
        seen
    }

    /// All of them together.
    #[must_use]
    pub fn total(&self) -> usize {
        self.page_errors + self.console_errors + self.failed_requests + self.blocked + self.hangs
    }
}

/// One score.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Score {
    /// `rules`, `webcraft`, `liveeval` or `sections`.
    pub method: String,
    /// `rules` or the name of the model.
    pub judge: String,
    /// Number of the repeat, from 0.
    pub repeat: u32,
    /// The dimension.
    pub dimension: String,
    /// How complete the score is.
    pub status: ScoreStatus,
    /// 0 to 100; none when nobody judged it, which is not 0.
    pub value: Option<f64>,
    /// Lowest and highest possible value, where some criteria stayed unjudged.
    pub bounds: Option<(f64, f64)>,
}

/// The figures of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Summary {
    /// How far it got.
    pub status: RunStatus,
    /// Steps made, the first load not counted.
    pub steps: usize,
    /// Most steps it was to make.
    pub budget: u32,
    /// Time of all stages, in seconds.
    pub wall_seconds: f64,
    /// The explorer's own work in all steps, in seconds: everything but waiting for the driver, the page or a model.
    pub own_seconds: f64,
    /// States found; none before that stage.
    pub states: Option<usize>,
    /// Transitions between them; none before that stage.
    pub transitions: Option<usize>,
    /// Coverage of the app's own code; none in black-box mode.
    pub coverage: Option<CoverageCounts>,
    /// Faults seen.
    pub failures: Failures,
    /// The scores, in the order of `scores.json`.
    pub scores: Vec<Score>,
}

impl Summary {
    /// The figures of the run in a run directory.
    ///
    /// # Errors
    /// When a file of the run directory cannot be read.
    pub fn of(run: &RunDir) -> Result<Self, Error> {
        Ok(Self::from_evidence(&Evidence::read(run)?))
    }

    pub(crate) fn from_evidence(evidence: &Evidence) -> Self {
        let stages = &evidence.record.stages;
        let scores = evidence.scores.entries.iter().flat_map(|entry| {
            entry.dimensions.iter().map(|(dimension, score)| Score {
                method: entry.method.clone(),
                judge: entry.judge.clone(),
                repeat: entry.repeat,
                dimension: dimension.clone(),
                status: score.status,
                value: score.value,
                bounds: score.bounds,
            })
        });
        let graph = evidence.graph.present();
        Self {
            status: status(evidence),
            steps: evidence.trace.steps.iter().filter(|step| step.index > 0).count(),
            budget: evidence.record.settings.steps,
            wall_seconds: stages.values().map(|stage| stage.seconds).sum(),
            own_seconds: evidence.trace.steps.iter().map(|step| step.timings.own).sum::<f64>() / 1000.0,
            states: graph.map(|graph| graph.states),
            transitions: graph.map(|graph| graph.transitions),
            coverage: evidence.final_coverage(),
            failures: Failures::of(&evidence.trace),
            scores: scores.collect(),
        }
    }
}

/// The worst that any stage but the report itself came to.
fn status(evidence: &Evidence) -> RunStatus {
    let stages = || evidence.record.stages.iter().filter(|(stage, _)| **stage != Stage::Report);
    let any = |wanted| stages().any(|(_, record)| record.status == wanted);
    if any(StageStatus::Failed) {
        RunStatus::Failed
    } else if any(StageStatus::Interrupted) {
        RunStatus::Interrupted
    } else if any(StageStatus::Running) {
        RunStatus::Running
    } else if [Stage::Deploy, Stage::Explore, Stage::States, Stage::Judge]
        .iter()
        .all(|&stage| evidence.record.is_done(stage))
    {
        RunStatus::Done
    } else {
        RunStatus::Partial
    }
}
