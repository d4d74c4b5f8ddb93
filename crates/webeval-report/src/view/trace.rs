//! The trace, step by step.

use webeval_evidence::{OutcomeStatus, Step, Summary};

use super::Context;
use super::faults::level;
use crate::text::{Markup, clip, milliseconds, number, one_line, percent};
use crate::words;

/// Most messages shown with one step; the tables further down have them all.
const MESSAGES: usize = 8;
const LONGEST: usize = 300;

/// A message that a step gave rise to.
pub(crate) struct Message {
    pub(crate) tone: &'static str,
    pub(crate) kind: &'static str,
    pub(crate) text: String,
}

/// One step.
pub(crate) struct StepView {
    pub(crate) index: u32,
    pub(crate) words: String,
    pub(crate) selector: Option<String>,
    pub(crate) reason: Option<String>,
    pub(crate) outcome: &'static str,
    pub(crate) tone: &'static str,
    pub(crate) detail: Option<String>,
    pub(crate) effects: Vec<String>,
    pub(crate) changed: bool,
    pub(crate) gain: u32,
    pub(crate) covered: Option<String>,
    pub(crate) state: Markup,
    pub(crate) url: String,
    pub(crate) title: String,
    pub(crate) picture: Markup,
    pub(crate) messages: Vec<Message>,
    pub(crate) more_messages: usize,
    pub(crate) total: String,
    pub(crate) times: String,
    pub(crate) faulty: bool,
    pub(crate) hints: Vec<(String, String)>,
}

/// The section.
pub(crate) struct TraceView {
    pub(crate) steps: Vec<StepView>,
    pub(crate) faulty: usize,
    pub(crate) gaining: usize,
    pub(crate) summary: Option<Summary>,
    /// Who wrote the summary.
    pub(crate) tester: String,
    /// Why there is no closing summary, or why the trace is empty.
    pub(crate) absent: Option<&'static str>,
}

impl TraceView {
    pub(crate) fn build(context: &Context<'_>) -> Self {
        let trace = &context.evidence.trace;
        let steps: Vec<StepView> =
            trace.steps.iter().enumerate().map(|(position, step)| step_view(context, position, step)).collect();
        let absent = match (&trace.summary, steps.is_empty()) {
            (_, true) => Some("No step is recorded: the app has not been explored (yet)."),
            (None, false) => Some("The tester wrote no closing summary: exploration stopped before its end."),
            (Some(_), false) => None,
        };
        Self {
            faulty: steps.iter().filter(|step| step.faulty).count(),
            gaining: steps.iter().filter(|step| step.gain > 0).count(),
            tester: trace.summary.as_ref().map(|said| who(&said.tester, "the built-in tester")).unwrap_or_default(),
            summary: trace.summary.clone(),
            absent,
            steps,
        }
    }
}

fn step_view(context: &Context<'_>, position: usize, step: &Step) -> StepView {
    let (outcome, tone) = words::outcome(step.outcome.status);
    let messages = messages(step);
    let named = step.action.target.as_ref().filter(|target| !target.selector.is_empty());
    let reached = context.evidence.state_of_step.get(position).copied().flatten();
    let clipped = |text: &String| clip(&one_line(text), LONGEST);
    let words = words::action(&step.action);
    StepView {
        index: step.index,
        selector: named.map(|target| clip(&one_line(&target.selector), 160)),
        reason: step.reason.as_ref().map(|reason| clip(&one_line(reason), 600)),
        outcome,
        tone: tone.class(),
        detail: step.outcome.detail.as_ref().map(clipped),
        effects: step.outcome.effects.iter().map(words::effect).collect(),
        changed: step.changed,
        gain: step.coverage.map_or(0, |coverage| coverage.gain),
        covered: step.coverage.and_then(|coverage| {
            percent(coverage.after.statements.covered, coverage.after.statements.total).map(number)
        }),
        state: reached.map(|state| context.state_link(&state.to_string())).unwrap_or_default(),
        url: clip(&one_line(&step.url), 120),
        title: clip(&one_line(&step.title), 100),
        picture: context.thumbnail(
            step.screenshot.as_ref(),
            &format!("Screenshot after step {}: {words}", step.index),
            None,
        ),
        words,
        more_messages: messages.len().saturating_sub(MESSAGES),
        faulty: step.outcome.status != OutcomeStatus::Performed || messages.iter().any(|message| message.tone == "bad"),
        messages: messages.into_iter().take(MESSAGES).collect(),
        total: milliseconds(step.timings.total),
        times: times(step),
        hints: hints(context, position, step.index),
    }
}

/// A name as a reader wants it.
fn who(name: &str, built_in: &str) -> String {
    if name == "built-in" { built_in.to_owned() } else { clip(name, 80) }
}

/// Hints given after this step, or between it and the next one.
fn hints(context: &Context<'_>, position: usize, index: u32) -> Vec<(String, String)> {
    let trace = &context.evidence.trace;
    let next = trace.steps.get(position + 1).map_or(u32::MAX, |step| step.index);
    let here = trace.hints.iter().filter(|hint| hint.after >= index && hint.after < next);
    here.map(|hint| (who(&hint.advisor, "the built-in advisor"), clip(&hint.text, 2000))).collect()
}

fn messages(step: &Step) -> Vec<Message> {
    let bad = |kind, text: &str| Message { tone: "bad", kind, text: clip(&one_line(text), LONGEST) };
    let errors = step.errors.iter().map(|error| bad("uncaught", &error.message));
    let requests = step.network.iter().map(|failure| {
        let why = failure.status.map(|status| status.to_string()).or_else(|| failure.error.clone()).unwrap_or_default();
        bad("request", &format!("{} {why}", failure.url))
    });
    let console = step.console.iter().map(|message| {
        let (kind, tone) = level(message.level);
        Message { tone: tone.class(), kind, text: clip(&one_line(&message.text), LONGEST) }
    });
    errors.chain(requests).chain(console).collect()
}

fn times(step: &Step) -> String {
    let t = &step.timings;
    let parts = [
        ("action", t.act),
        ("settling", t.settle),
        ("observing", t.observe),
        ("screenshot", t.screenshot),
        ("model", t.model),
        ("own work", t.own),
    ];
    let spent = parts.iter().filter(|(_, time)| *time > 0.0);
    spent.map(|(name, time)| format!("{name} {}", milliseconds(*time))).collect::<Vec<_>>().join(" · ")
}
