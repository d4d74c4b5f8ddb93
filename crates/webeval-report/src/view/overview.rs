//! The head of the page: what was run, how far it got, and what a reader must know first.

use webeval_evidence::{
    AdvisorKind, AppSource, CommandStep, CoverageBy, DeployMode, FailureOwner, RunRecord, ScoreStatus, SkippedScript,
    Stage, StageStatus, TesterKind,
};

use super::Context;
use super::coverage::{Measure, measures};
use crate::evidence::Part;
use crate::summary::{RunStatus, Summary};
use crate::text::{clip, plural, seconds, utc};
use crate::words;

/// One stage.
pub(crate) struct StageView {
    pub(crate) name: &'static str,
    pub(crate) status: &'static str,
    pub(crate) tone: &'static str,
    pub(crate) time: String,
    pub(crate) failure: Option<String>,
}

/// A figure with its name.
pub(crate) struct Tile {
    pub(crate) figure: String,
    pub(crate) name: &'static str,
    pub(crate) detail: String,
    pub(crate) link: &'static str,
}

/// The head.
pub(crate) struct Overview {
    pub(crate) name: String,
    pub(crate) location: String,
    pub(crate) requirement: Option<String>,
    pub(crate) status: &'static str,
    pub(crate) tone: &'static str,
    pub(crate) tiles: Vec<Tile>,
    pub(crate) measures: Vec<Measure>,
    pub(crate) facts: Vec<(&'static str, String)>,
    pub(crate) stages: Vec<StageView>,
    pub(crate) notes: Vec<String>,
    /// Scripts that could not be instrumented.
    pub(crate) skipped: Vec<SkippedScript>,
    /// Scripts that were left alone on purpose.
    pub(crate) third_party: Vec<SkippedScript>,
    pub(crate) commands: Vec<CommandStep>,
}

impl Overview {
    pub(crate) fn build(context: &Context<'_>, summary: &Summary) -> Self {
        let record = &context.evidence.record;
        let (name, location) = words::app(&record.app);
        let deployment = record.deployment.as_ref();
        let skipped = deployment.map(|how| how.skipped.clone()).unwrap_or_default();
        let (third_party, skipped) = skipped.into_iter().partition(|script: &SkippedScript| script.third_party);
        Self {
            name: clip(&name, 120),
            location,
            requirement: record.requirement.clone().filter(|text| !text.trim().is_empty()),
            status: status_words(summary.status),
            tone: match summary.status {
                RunStatus::Done => "good",
                RunStatus::Failed => "bad",
                _ => "warn",
            },
            tiles: tiles(summary),
            measures: summary.coverage.as_ref().map(measures).unwrap_or_default(),
            facts: facts(record),
            stages: stages(record),
            notes: notes(context, summary),
            skipped,
            third_party,
            commands: deployment.map(|how| how.commands.clone()).unwrap_or_default(),
        }
    }
}

fn status_words(status: RunStatus) -> &'static str {
    match status {
        RunStatus::Done => "complete",
        RunStatus::Partial => "some stages have not begun",
        RunStatus::Running => "under way, or cut off",
        RunStatus::Interrupted => "interrupted",
        RunStatus::Failed => "a stage failed",
    }
}

fn tiles(summary: &Summary) -> Vec<Tile> {
    let tile = |figure: String, name, detail: String, link| Tile { figure, name, detail, link };
    let unknown = || "–".to_owned();
    let failures = &summary.failures;
    let parts = [
        (failures.page_errors, "uncaught error"),
        (failures.failed_requests, "failed request"),
        (failures.console_errors, "console error"),
        (failures.blocked, "blocked action"),
        (failures.hangs, "hang"),
    ];
    let seen = parts.iter().filter(|(count, _)| *count > 0).map(|(count, noun)| plural(*count, noun));
    let seen = seen.collect::<Vec<_>>().join(", ");
    vec![
        tile(summary.steps.to_string(), "steps", format!("of at most {}", summary.budget), "#trace"),
        tile(
            summary.states.map_or_else(unknown, |count| count.to_string()),
            "states",
            summary.transitions.map_or_else(|| "no graph".to_owned(), |count| plural(count, "transition")),
            "#states",
        ),
        tile(
            failures.total().to_string(),
            "failures seen",
            if seen.is_empty() { "nothing went wrong".to_owned() } else { seen },
            "#faults",
        ),
        tile(
            seconds(summary.wall_seconds),
            "in all",
            format!("{} own work in steps", seconds(summary.own_seconds)),
            "#times",
        ),
    ]
}

fn facts(record: &RunRecord) -> Vec<(&'static str, String)> {
    let settings = &record.settings;
    let mut facts = Vec::new();
    if let Some(first) = record.stages.values().map(|stage| stage.started_ms).min() {
        facts.push(("When", utc(first)));
    }
    let model = settings.model.as_ref().map_or_else(|| "a model".to_owned(), |model| clip(model, 80));
    let tester = match settings.tester {
        TesterKind::Model => model.clone(),
        TesterKind::Random => "chance".to_owned(),
        _ => "the built-in tester".to_owned(),
    };
    facts.push(("Tested by", tester));
    let hints = match settings.advisor {
        AdvisorKind::Off => "no hints".to_owned(),
        AdvisorKind::Model => format!("hints of {model}"),
        _ => "hints of the built-in advisor".to_owned(),
    };
    facts.push((
        "Settings",
        format!(
            "seed {}, page {} × {}, {hints}, steps of at most {}",
            settings.seed,
            settings.viewport.width,
            settings.viewport.height,
            seconds(f64::from(u32::try_from(settings.step_timeout_ms).unwrap_or(u32::MAX)) / 1000.0)
        ),
    ));
    if let Some(how) = &record.deployment {
        let mode = match how.mode {
            DeployMode::Instrumented => format!("{} instrumented", plural(how.instrumented.len(), "file")),
            DeployMode::Plugin => format!("{} instrumented by its bundler", plural(how.instrumented.len(), "file")),
            DeployMode::Bundle => format!("{} instrumented", plural(how.instrumented.len(), "built file")),
            _ if record.coverage_by == Some(CoverageBy::V8) => "black box, counted by V8".to_owned(),
            _ => "black box, not instrumented".to_owned(),
        };
        facts.push(("App", format!("{} ({}); {mode}", clip(&how.framework, 60), clip(&how.grounds, 160))));
    }
    if let Some(machine) = &record.environment {
        facts.push(("Machine", format!("{}, {}, {}", machine.browser, machine.driver, machine.system)));
    }
    facts.push(("Made with", format!("webeval {}", clip(&record.webeval, 40))));
    facts
}

fn stages(record: &RunRecord) -> Vec<StageView> {
    let all = [Stage::Deploy, Stage::Explore, Stage::States, Stage::Judge];
    let view = |stage: Stage| {
        let Some(found) = record.stages.get(&stage) else {
            let name = words::stage(stage);
            return StageView { name, status: "not begun", tone: "plain", time: String::new(), failure: None };
        };
        let (status, tone) = words::stage_status(found.status);
        let failure = found.failure.as_ref().map(|failure| {
            let whose = match failure.whose {
                FailureOwner::App => "the app’s fault",
                FailureOwner::Tool => "webeval’s fault, not the app’s",
                FailureOwner::Environment => "the machine’s fault, not the app’s",
            };
            format!("{} ({whose})", clip(&failure.message, 600))
        });
        StageView { name: words::stage(stage), status, tone: tone.class(), time: seconds(found.seconds), failure }
    };
    all.into_iter().map(view).collect()
}

/// What a reader must know before believing the figures.
fn notes(context: &Context<'_>, summary: &Summary) -> Vec<String> {
    let evidence = context.evidence;
    let record = &evidence.record;
    let mut notes = Vec::new();
    if record.stages.get(&Stage::Explore).is_some_and(|stage| stage.status != StageStatus::Done) {
        notes.push(
            "Exploration did not come to its end, so everything below is about a part of what was asked for."
                .to_owned(),
        );
    }
    let mode = record.deployment.as_ref().map(|how| how.mode);
    if record.coverage_by == Some(CoverageBy::V8) {
        notes.push(
            "The app ran as a black box: V8 counted what its scripts ran, as they were served. Figures of compiled and minified \
             scripts are of those, and what was never loaded is not in the totals."
                .to_owned(),
        );
    } else if mode == Some(DeployMode::Bundle) {
        notes.push(
            "The counters are in what the app’s build made of its source: figures are of the bundles, which lack what the \
             build left out and have what it added."
                .to_owned(),
        );
    } else if matches!(record.app, AppSource::Url { .. }) || mode == Some(DeployMode::BlackBox) {
        notes.push("The app ran as a black box: its code was not instrumented, so there is no coverage.".to_owned());
    }
    if evidence.scores.entries.is_empty() {
        notes.push("Nobody has judged this run yet, so there are no scores.".to_owned());
    } else if evidence.scores.entries.iter().all(|entry| entry.method == "rules") {
        notes.push(
            "No model judged this run. The scores are measurements by fixed rules; what needs judgement is marked “not judged”."
                .to_owned(),
        );
    }
    let undeployable = summary.scores.iter().any(|score| score.status == ScoreStatus::Undeployable);
    if undeployable {
        notes.push("The app could not be deployed; its scores are 0 by policy, not by judgement.".to_owned());
    }
    if matches!(evidence.graph, Part::Absent) && !evidence.trace.steps.is_empty() {
        notes.push("The states have not been worked out yet.".to_owned());
    }
    let lost = context.pictures.unreadable.len();
    if lost > 0 {
        notes.push(format!("{} could not be read from the run directory.", plural(lost, "screenshot")));
    }
    notes
}
