//! How far the app could be explored: coverage, and states that lead nowhere.

use std::collections::{BTreeMap, BTreeSet};

use webeval_evidence::{ActionKind, Finding, FindingPlace, OutcomeStatus, Severity, Step};
use webeval_states::{Level, StateId};

use crate::dossier::Dossier;

/// So many different actions must have been tried in a state before anything is said about where it leads.
const TRIES: usize = 3;

pub(super) fn coverage(dossier: &Dossier) -> Vec<String> {
    let Some(after) = dossier.trace.steps.iter().rev().find_map(|step| step.coverage).map(|coverage| coverage.after)
    else {
        return vec!["Coverage was not measured: the app ran as a black box.".to_owned()];
    };
    let share = |count: webeval_evidence::Count| match count.total {
        0 => "none to cover".to_owned(),
        total => format!("{:.1} % ({} of {total})", 100.0 * f64::from(count.covered) / f64::from(total), count.covered),
    };
    vec![format!(
        "Coverage reached: statements {}, functions {}, branches {}.",
        share(after.statements),
        share(after.functions),
        share(after.branches)
    )]
}

/// What was tried in a state with the page's own means, and where it led. Going back, reloading or loading anew are the
/// browser's means: an app that needs them is the finding.
#[derive(Debug, Default)]
struct Place<'a> {
    first: Option<&'a Step>,
    tried: BTreeSet<String>,
    changed: bool,
    leads_to: BTreeSet<StateId>,
}

/// States by structure: a list that grew by an item is the same place.
pub(super) fn check(dossier: &Dossier) -> Vec<Finding> {
    let places = places(dossier);
    let first = dossier.states.steps.iter().flatten().next();
    let Some(entry) = first.and_then(|id| structure(dossier, *id)) else { return Vec::new() };
    let Some(start) = dossier.trace.steps.first() else { return Vec::new() };
    let mut findings = Vec::new();
    for (id, place) in places.iter().filter(|(id, place)| **id != entry && place.tried.len() >= TRIES) {
        let Some(step) = place.first else { continue };
        let place_words = format!("{:?}, first reached at step {},", step.title, step.index);
        if !place.changed && place.leads_to.is_empty() {
            let tried = place.tried.len();
            let message =
                format!("{place_words} is a dead end: {tried} different actions were tried and nothing changed");
            findings.push(finding("dead-end", Severity::Major, message, step));
        } else if page(&step.url) != page(&start.url) && !leads_back(&places, *id, entry) {
            let message = format!("{place_words} has no way back to the first page among the actions that were tried");
            findings.push(finding("no-way-back", Severity::Note, message, step));
        }
    }
    findings.sort_by_key(|finding| finding.place.step);
    findings
}

/// An address without what only names a place or a view on the page.
fn page(url: &str) -> &str {
    url.split(['?', '#']).next().unwrap_or_default()
}

fn structure(dossier: &Dossier, id: StateId) -> Option<StateId> {
    Some(dossier.states.graph.state(id)?.first.identity.at(Level::Structure))
}

fn places(dossier: &Dossier) -> BTreeMap<StateId, Place<'_>> {
    let mut places: BTreeMap<StateId, Place<'_>> = BTreeMap::new();
    let mut here = None;
    for (step, reached) in dossier.trace.steps.iter().zip(&dossier.states.steps) {
        let there = reached.and_then(|id| structure(dossier, id)).or(here);
        if let Some(id) = here
            && is_activation(&step.action.kind)
            && step.outcome.status == OutcomeStatus::Performed
        {
            let place = places.entry(id).or_default();
            place.tried.insert(step.action.label());
            place.changed |= step.changed || !step.outcome.effects.is_empty();
            place.leads_to.extend(there.filter(|there| *there != id));
        }
        if let Some(id) = there {
            places.entry(id).or_default().first.get_or_insert(step);
        }
        here = there;
    }
    places
}

fn is_activation(kind: &ActionKind) -> bool {
    matches!(
        kind,
        ActionKind::Click { .. }
            | ActionKind::DoubleClick { .. }
            | ActionKind::Touch { .. }
            | ActionKind::Key { .. }
            | ActionKind::Check { .. }
            | ActionKind::Select { .. }
            | ActionKind::Drag { .. }
    )
}

fn leads_back(places: &BTreeMap<StateId, Place<'_>>, from: StateId, entry: StateId) -> bool {
    let mut seen = BTreeSet::from([from]);
    let mut open = vec![from];
    while let Some(id) = open.pop() {
        for &next in places.get(&id).map(|place| &place.leads_to).into_iter().flatten() {
            if seen.insert(next) {
                open.push(next);
            }
        }
    }
    seen.contains(&entry)
}

fn finding(rule: &str, severity: Severity, message: String, step: &Step) -> Finding {
    let place = FindingPlace { step: Some(step.index), screenshot: step.screenshot.clone(), ..FindingPlace::default() };
    Finding { rule: rule.to_owned(), severity, message, place, count: 1 }
}
