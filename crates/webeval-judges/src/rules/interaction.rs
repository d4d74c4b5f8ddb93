//! Whether controls answer.

use std::collections::{BTreeMap, BTreeSet};

use webeval_evidence::{
    ActionKind, DimensionScore, Effect, Finding, FindingPlace, OutcomeStatus, Severity, Step, Target,
};

use webeval_states::StateId;

use super::Verdict;
use crate::dossier::Dossier;

/// An action that blocks the page for longer is felt as a wait (Nielsen's limit for keeping the flow of thought).
const SLOW_MS: f64 = 1000.0;

/// Roles that are there to be acted on.
const CONTROLS: [&str; 19] = [
    "button",
    "link",
    "checkbox",
    "radio",
    "switch",
    "tab",
    "menuitem",
    "menuitemcheckbox",
    "menuitemradio",
    "option",
    "treeitem",
    "gridcell",
    "combobox",
    "listbox",
    "slider",
    "spinbutton",
    "textbox",
    "searchbox",
    "summary",
];

/// A click on one of these only moves the focus into it, which is all it should do.
const FOCUSED_BY_CLICK: [&str; 7] = ["combobox", "listbox", "slider", "spinbutton", "textbox", "searchbox", "gridcell"];

/// Acting on one of these again, when it is the chosen one already, rightly does nothing.
const CHOSEN_ONCE: [&str; 5] = ["link", "radio", "tab", "option", "menuitemradio"];

/// What came of one try of a control.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Answer {
    Answered,
    Threw,
    Covered,
    Silent,
}

/// One try.
#[derive(Debug)]
struct Try<'a> {
    step: &'a Step,
    from: Option<String>,
    /// Structure of the page before and after, where known.
    before: Option<StateId>,
    after: Option<StateId>,
    answer: Answer,
}

pub(super) fn check(dossier: &Dossier) -> Verdict {
    let mut controls = controls(dossier);
    drop_renamed(&mut controls);
    if controls.is_empty() {
        let score = DimensionScore::not_judged("no control was tried");
        return Verdict { score, findings: Vec::new(), notes: Vec::new() };
    }
    let counted = dossier.trace.steps.iter().any(|step| step.coverage.is_some());
    let dead = controls.iter().filter_map(|(label, tries)| silent(label, tries, counted));
    let covered = controls.iter().filter_map(|(label, tries)| covered(label, tries));
    let slow = controls.iter().filter_map(|(label, tries)| slow(label, tries));
    let findings: Vec<Finding> = dead.chain(covered).chain(slow).collect();
    let answered = controls.values().filter(|tries| tries.iter().any(|t| t.answer == Answer::Answered)).count();
    // A control whose silence is not held against it (a try too few to be sure) is no evidence either way.
    let excused = findings.iter().filter(|finding| finding.severity == Severity::Note).count();
    let judged = controls.len() - excused;
    let times = answer_times(&controls);
    let grounds = format!("{answered} of {judged} controls answered{times}");
    let value = if judged == 0 { 100.0 } else { 100.0 * answered as f64 / judged as f64 };
    Verdict::scored(value, grounds, findings)
}

/// All tries of each control, by its label.
fn controls(dossier: &Dossier) -> BTreeMap<String, Vec<Try<'_>>> {
    let mut controls: BTreeMap<String, Vec<Try<'_>>> = BTreeMap::new();
    for (at, step) in dossier.trace.steps.iter().enumerate() {
        let Some(target) = step.action.target.as_ref().filter(|target| is_try(&step.action.kind, target)) else {
            continue;
        };
        let before = at.checked_sub(1).map(|at| dossier.trace.steps[at].url.as_str());
        if let Some(answer) = answer(step, before) {
            let (before, after) = (dossier.structure_before(at), dossier.structure_after(at));
            let tried = Try { step, from: dossier.state_before(at), before, after, answer };
            controls.entry(target.label()).or_default().push(tried);
        }
    }
    controls
}

/// Drops controls that are other controls by a name they took on when they answered: a button "Copy" that says "Copied!"
/// for a while rightly does nothing more.
fn drop_renamed(controls: &mut BTreeMap<String, Vec<Try<'_>>>) {
    let selector = |tried: &Try<'_>| tried.step.action.target.as_ref().map(|target| target.selector.clone());
    let answered =
        controls.values().flatten().filter(|tried| tried.answer == Answer::Answered && tried.after.is_some());
    let renamed: BTreeSet<_> = answered.map(|tried| (selector(tried), tried.after)).collect();
    controls.retain(|_, tries| {
        let is_renamed = |t: &Try<'_>| t.answer == Answer::Silent && renamed.contains(&(selector(t), t.before));
        !tries.iter().all(is_renamed)
    });
}

fn is_try(kind: &ActionKind, target: &Target) -> bool {
    let role = target.role.as_str();
    match kind {
        ActionKind::Click { .. } | ActionKind::DoubleClick { .. } | ActionKind::Touch { .. } => {
            CONTROLS.contains(&role) && !FOCUSED_BY_CLICK.contains(&role)
        }
        ActionKind::Type { text } => !text.is_empty() && CONTROLS.contains(&role),
        ActionKind::Check { .. } | ActionKind::Select { .. } => CONTROLS.contains(&role),
        _ => false,
    }
}

/// None where the try says nothing about the control.
fn answer(step: &Step, url_before: Option<&str>) -> Option<Answer> {
    match step.outcome.status {
        OutcomeStatus::Performed => {}
        OutcomeStatus::Blocked => return Some(Answer::Covered),
        // The page hung or fell over: something did happen, and stability counts it.
        OutcomeStatus::TimedOut | OutcomeStatus::Crashed => return Some(Answer::Threw),
        _ => return None,
    }
    let threw = !step.errors.is_empty();
    let seen = step.changed
        || url_before.is_some_and(|url| url != step.url)
        || step.outcome.effects.iter().any(is_visible)
        || !step.network.is_empty();
    let ran = step.coverage.is_some_and(|coverage| coverage.gain > 0);
    Some(match (seen || ran, threw) {
        (true, false) => Answer::Answered,
        // A page that changed in spite of an error did answer.
        (true, true) if seen => Answer::Answered,
        (_, true) => Answer::Threw,
        (false, false) => Answer::Silent,
    })
}

fn is_visible(effect: &Effect) -> bool {
    !matches!(effect, Effect::Closed)
}

/// A control that never did anything.
fn silent(label: &str, tries: &[Try<'_>], counted: bool) -> Option<Finding> {
    if !tries.iter().all(|t| t.answer == Answer::Silent) {
        return None;
    }
    let first = tries.first()?;
    let role = first.step.action.target.as_ref().map_or("", |target| target.role.as_str());
    let from = states(tries);
    // With coverage, a first try without new code says that no handler of its own ran; without, that the page looked
    // the same, which a button may have reasons for.
    let severity = match (from, counted, CHOSEN_ONCE.contains(&role)) {
        (1, _, true) | (1, false, _) => Severity::Note,
        (_, true, false) => Severity::Major,
        _ => Severity::Minor,
    };
    let tried = times(tries.len(), from);
    let code = if counted { ", no new code ran" } else { "" };
    let message = format!("{label} did nothing {tried}: no change of the page, no navigation, no dialog{code}");
    Some(finding("dead-control", severity, message, first, tries.len()))
}

/// From how many different states it was tried.
fn states(tries: &[Try<'_>]) -> usize {
    tries.iter().map(|t| &t.from).collect::<BTreeSet<_>>().len()
}

fn covered(label: &str, tries: &[Try<'_>]) -> Option<Finding> {
    if !tries.iter().all(|t| t.answer == Answer::Covered) {
        return None;
    }
    let first = tries.first()?;
    let by = first.step.outcome.detail.as_deref().unwrap_or("another element lies over it");
    let from = states(tries);
    // Under an open dialog a control is rightly out of reach.
    let severity = if from == 1 { Severity::Note } else { Severity::Major };
    let message = format!("{label} could not be reached {}: {by}", times(tries.len(), from));
    Some(finding("covered-control", severity, message, first, tries.len()))
}

fn slow(label: &str, tries: &[Try<'_>]) -> Option<Finding> {
    let clicks: Vec<&Try<'_>> = tries.iter().filter(|t| is_plain_click(t)).collect();
    // A single slow one may be the machine's doing.
    if clicks.len() < 2 || clicks.iter().any(|t| t.step.timings.act <= SLOW_MS) {
        return None;
    }
    let quickest = clicks.iter().min_by(|a, b| a.step.timings.act.total_cmp(&b.step.timings.act))?;
    let message = format!(
        "{label} blocked the page for at least {:.0} ms each time (limit {SLOW_MS:.0})",
        quickest.step.timings.act
    );
    Some(finding("slow-response", Severity::Minor, message, quickest, clicks.len()))
}

fn is_plain_click(tried: &Try<'_>) -> bool {
    // Loading another page takes its own time.
    let stayed = tried.step.outcome.effects.is_empty();
    matches!(tried.step.action.kind, ActionKind::Click { .. }) && tried.answer != Answer::Covered && stayed
}

fn finding(rule: &str, severity: Severity, message: String, seen: &Try<'_>, count: usize) -> Finding {
    let target = seen.step.action.target.as_ref();
    let place = FindingPlace {
        step: Some(seen.step.index),
        selector: target.map(|target| target.selector.clone()),
        rect: target.and_then(|target| target.rect),
        screenshot: seen.step.screenshot.clone(),
    };
    Finding { rule: rule.to_owned(), severity, message, place, count: count.try_into().unwrap_or(u32::MAX) }
}

fn times(tries: usize, states: usize) -> String {
    match (tries, states) {
        (1, _) => "in its one try".to_owned(),
        (tries, 1) => format!("in all {tries} tries"),
        (tries, states) => format!("in all {tries} tries from {states} states"),
    }
}

/// How long answering took: the driver's answer to the action plus the settling, as recorded.
fn answer_times(controls: &BTreeMap<String, Vec<Try<'_>>>) -> String {
    let answered = controls.values().flatten().filter(|t| t.answer == Answer::Answered);
    let mut times: Vec<f64> = answered.map(|t| t.step.timings.act + t.step.timings.settle).collect();
    times.sort_by(f64::total_cmp);
    match times.get(times.len() / 2) {
        Some(median) => format!("; median answer with settling {median:.0} ms"),
        None => String::new(),
    }
}
