//! A recorded trace once more, and where it diverges.

use std::collections::BTreeSet;

use serde::Serialize;
use webeval_browser::{Observation, Session};
use webeval_evidence::{Action, ActionKind, Outcome, OutcomeStatus, RunDir, Step};
use webeval_states::{Level, StateId, identify};

use crate::run::opens_sitting;
use crate::{Cancel, Error};

/// How a trace is repeated.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct ReplayOptions {
    /// The last step that is repeated; all where none is named.
    pub until: Option<u32>,
    /// How exactly the states have to agree. [`Level::Structure`] lets texts differ, which chance or a clock may have
    /// changed; a run under the determinism kit can be held to [`Level::Content`].
    pub level: Level,
}

impl Default for ReplayOptions {
    fn default() -> Self {
        Self { until: None, level: Level::Structure }
    }
}

/// What is not as it was recorded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Difference {
    /// Another element is at the place of the one that was acted on.
    Target,
    /// The action came out otherwise, or had other effects.
    Outcome,
    /// The page has another address.
    Url,
    /// The page is in another state.
    State,
    /// Other errors went uncaught.
    Errors,
}

/// A step that does not repeat as it was recorded.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Divergence {
    /// Number of the step.
    pub step: u32,
    /// The action in a few words.
    pub action: String,
    /// What differs.
    pub difference: Difference,
    /// As it was recorded.
    pub recorded: String,
    /// As it is now.
    pub replayed: String,
}

/// What came of a replay.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Replayed {
    /// Steps that were repeated.
    pub steps: u32,
    /// Whether it was asked to stop before the end.
    pub cancelled: bool,
    /// Everything that differed, in order.
    pub divergences: Vec<Divergence>,
}

/// Repeats the trace of a run in a session that has just been opened, and says where it diverges. Elements are found by
/// their CSS path, and are compared by role and name. Nothing is written into the run directory.
///
/// # Errors
/// When the run directory cannot be read, or the browser is lost for good.
pub async fn replay(
    session: &mut Session,
    dir: &RunDir,
    options: &ReplayOptions,
    progress: &mut dyn FnMut(&Step),
    cancel: &Cancel,
) -> Result<Replayed, Error> {
    let trace = dir.trace()?;
    let mut done = Replayed::default();
    let mut page: Option<Observation> = None;
    for step in trace.steps.iter().filter(|step| options.until.is_none_or(|until| step.index <= until)) {
        if cancel.is_cancelled() {
            done.cancelled = true;
            break;
        }
        // A later sitting began with a browser of its own.
        if step.index > 0 && opens_sitting(step) {
            session.renew().await?;
        }
        let mut differ = |difference: Difference, recorded: String, replayed: String| {
            let action = step.action.label();
            done.divergences.push(Divergence { step: step.index, action, difference, recorded, replayed });
        };
        if let Some((recorded, replayed)) = page.as_ref().and_then(|page| other_target(&step.action, page)) {
            differ(Difference::Target, recorded, replayed);
        }
        let stepped = session.step(&by_place(&step.action)).await?;
        compare(dir, step, &stepped.outcome, &stepped.observation, options.level, &mut differ)?;
        page = Some(stepped.observation);
        done.steps += 1;
        progress(step);
    }
    Ok(done)
}

/// The action with its elements named by place alone: references are another session's.
fn by_place(action: &Action) -> Action {
    let mut action = action.clone();
    if let Some(target) = &mut action.target {
        target.reference.clear();
    }
    if let ActionKind::Drag { onto: Some(onto), .. } = &mut action.kind {
        onto.reference.clear();
    }
    action
}

/// The element at the target's place, where that is another one by role or name.
fn other_target(action: &Action, page: &Observation) -> Option<(String, String)> {
    let target = action.target.as_ref()?;
    let found = page.nodes.iter().find(|node| node.selector.as_deref() == Some(&target.selector));
    match found {
        Some(node) if node.role == target.role && node.name == target.name => None,
        Some(node) => Some((target.label(), node.target().label())),
        None => Some((target.label(), format!("nothing at {}", target.selector))),
    }
}

fn compare(
    dir: &RunDir,
    step: &Step,
    outcome: &Outcome,
    page: &Observation,
    level: Level,
    differ: &mut dyn FnMut(Difference, String, String),
) -> Result<(), Error> {
    let told = |outcome: &Outcome| {
        let effects = serde_json::to_string(&outcome.effects).unwrap_or_default();
        format!("{:?}, effects {effects}", outcome.status)
    };
    if outcome.status != step.outcome.status || outcome.effects != step.outcome.effects {
        differ(Difference::Outcome, told(&step.outcome), told(outcome));
    }
    if page.url != step.url {
        differ(Difference::Url, step.url.clone(), page.url.clone());
    }
    let state = |html: &str| identify(html, &webeval_states::Options::default()).ok().map(|state| state.at(level));
    let recorded = match &step.snapshot {
        Some(snapshot) => state(&dir.load_text(snapshot)?),
        None => None,
    };
    let replayed = page.html.as_deref().and_then(state);
    let lost = matches!(outcome.status, OutcomeStatus::TimedOut | OutcomeStatus::Crashed);
    if recorded != replayed && !lost {
        let name = |state: Option<StateId>| state.map_or_else(|| "no snapshot".to_owned(), |state| state.to_string());
        differ(Difference::State, name(recorded), name(replayed));
    }
    let before: BTreeSet<&str> = step.errors.iter().map(|error| error.message.as_str()).collect();
    let now: BTreeSet<&str> = page.errors.iter().map(|error| error.message.as_str()).collect();
    if before != now {
        differ(Difference::Errors, format!("{before:?}"), format!("{now:?}"));
    }
    Ok(())
}
