//! The trace in words.

use std::collections::{BTreeMap, BTreeSet};

use webeval_evidence::{ConsoleLevel, Effect, OutcomeStatus, Step};

use crate::dossier::Dossier;

/// A trace in words, and whether anything had to be folded.
#[derive(Debug)]
pub(super) struct Session {
    pub(super) text: String,
    pub(super) condensed: bool,
}

/// The whole session within about `budget` characters. What does not fit is condensed in three steps, never cut: repeats
/// of an action with the same outcome are folded into the first; lines lose what is not needed to judge; stretches in
/// which nothing failed and nothing new was reached become counts. Failures and first visits stay whole.
pub(super) fn whole(dossier: &Dossier, budget: usize) -> Session {
    let full = assemble(dossier, Detail::Full);
    if full.len() <= budget {
        return Session { text: full, condensed: false };
    }
    for detail in [Detail::Folded, Detail::Brief] {
        let text = assemble(dossier, detail);
        if text.len() <= budget {
            return Session { text, condensed: true };
        }
    }
    Session { text: assemble(dossier, Detail::Counted), condensed: true }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Detail {
    Full,
    Folded,
    Brief,
    Counted,
}

fn assemble(dossier: &Dossier, detail: Detail) -> String {
    let steps = &dossier.trace.steps;
    let repeats = if detail == Detail::Full { BTreeMap::new() } else { repeats(dossier) };
    let folded: BTreeSet<usize> = repeats.values().flatten().copied().collect();
    let mut seen = BTreeSet::new();
    let mut text = String::new();
    let mut quiet: Vec<usize> = Vec::new();
    for at in 0..steps.len() {
        let first_visit = dossier.place_after(at).is_some_and(|place| seen.insert(place));
        if folded.contains(&at) {
            continue;
        }
        let whole = first_visit || is_notable(&steps[at]);
        if detail == Detail::Counted && !whole {
            quiet.push(at);
            continue;
        }
        flush(dossier, &mut quiet, &mut text);
        let long = detail == Detail::Full || detail == Detail::Folded;
        text.push_str(&line(dossier, at, long || whole));
        if let Some(again) = repeats.get(&at) {
            let numbers: Vec<u32> = again.iter().map(|&at| steps[at].index).collect();
            text.push_str(&format!(" [again, with the same outcome: step {}]", ranges(&numbers)));
        }
        text.push('\n');
    }
    flush(dossier, &mut quiet, &mut text);
    text + &summary(dossier)
}

fn flush(dossier: &Dossier, quiet: &mut Vec<usize>, text: &mut String) {
    if quiet.is_empty() {
        return;
    }
    let numbers: Vec<u32> = quiet.iter().map(|&at| dossier.trace.steps[at].index).collect();
    let mut kinds: BTreeMap<&str, usize> = BTreeMap::new();
    for at in quiet.drain(..) {
        *kinds.entry(dossier.trace.steps[at].action.kind.name()).or_default() += 1;
    }
    let kinds: Vec<String> = kinds.into_iter().map(|(kind, count)| format!("{count} × {kind}")).collect();
    text.push_str(&format!("step {}: {}, all performed, no new state\n", ranges(&numbers), kinds.join(", ")));
}

/// Steps that repeat an earlier one: same action, same states, same outcome, nothing notable.
fn repeats(dossier: &Dossier) -> BTreeMap<usize, Vec<usize>> {
    let mut first: BTreeMap<(Option<String>, Option<String>, String, bool), usize> = BTreeMap::new();
    let mut repeats: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for (at, step) in dossier.trace.steps.iter().enumerate() {
        if is_notable(step) {
            continue;
        }
        let key = (dossier.state_before(at), dossier.state_after(at), step.action.label(), step.changed);
        match first.get(&key) {
            Some(&earlier) => repeats.entry(earlier).or_default().push(at),
            None => {
                first.insert(key, at);
            }
        }
    }
    repeats
}

fn is_notable(step: &Step) -> bool {
    step.outcome.status != OutcomeStatus::Performed
        || !step.outcome.effects.is_empty()
        || !step.errors.is_empty()
        || !step.network.is_empty()
        || step.console.iter().any(|message| message.level == ConsoleLevel::Error)
        || step.coverage.is_some_and(|coverage| coverage.gain > 0)
}

/// One step in one line.
pub(super) fn line(dossier: &Dossier, at: usize, long: bool) -> String {
    let step = &dossier.trace.steps[at];
    let mut facts = vec![status(step)];
    facts.push(if step.changed { "the page changed".to_owned() } else { "the page did not change".to_owned() });
    facts.extend(step.outcome.effects.iter().map(effect));
    facts.extend(step.errors.iter().map(|error| format!("uncaught error {:?}", clip(&error.message))));
    facts.extend(step.network.iter().map(|request| {
        let why = request.status.map(|status| status.to_string()).or_else(|| request.error.clone()).unwrap_or_default();
        format!("request failed {} {why}", clip(&request.url))
    }));
    let console = step.console.iter().filter(|message| long || message.level == ConsoleLevel::Error);
    facts.extend(console.take(5).map(|message| format!("console {:?} {:?}", message.level, clip(&message.text))));
    if long {
        facts.push(format!("now at {} {:?}", clip(&step.url), clip(&step.title)));
        facts.push(format!("{:.0} ms", step.timings.act + step.timings.settle));
    }
    let from = dossier.state_before(at).unwrap_or_else(|| "start".to_owned());
    let to = dossier.state_after(at).unwrap_or_else(|| "not seen".to_owned());
    format!("step {}: {from}->{to} {}: {}", step.index, clip(&step.action.label()), facts.join("; "))
}

fn status(step: &Step) -> String {
    let word = match step.outcome.status {
        OutcomeStatus::Performed => return "performed".to_owned(),
        OutcomeStatus::Blocked => "blocked, something lies over the target",
        OutcomeStatus::Stale => "not done, the target was gone",
        OutcomeStatus::TimedOut => "the page hung",
        OutcomeStatus::Crashed => "the page was lost",
        OutcomeStatus::Unsupported => "not done, the driver cannot",
        OutcomeStatus::Invalid => "not done, it makes no sense",
        _ => "not done",
    };
    match &step.outcome.detail {
        Some(detail) => format!("{word} ({})", clip(detail)),
        None => word.to_owned(),
    }
}

fn effect(effect: &Effect) -> String {
    match effect {
        Effect::Navigated { url } => format!("went to {}", clip(url)),
        Effect::LeftApp { url } => format!("tried to leave the app for {}", clip(url)),
        Effect::Dialog { kind, message, accepted } => {
            format!("{kind} dialog {:?} {}", clip(message), if *accepted { "accepted" } else { "dismissed" })
        }
        Effect::NewTab { url } => format!("opened a tab {}", clip(url)),
        Effect::Closed => "closed its window".to_owned(),
        Effect::Download { name } => format!("downloaded {}", clip(name)),
        _ => "another effect".to_owned(),
    }
}

fn summary(dossier: &Dossier) -> String {
    let Some(summary) = &dossier.trace.summary else { return String::new() };
    let list = |title: &str, items: &[String]| match items {
        [] => String::new(),
        items => format!("{title}: {}\n", items.join("; ")),
    };
    format!(
        "The tester's summary:\n{}{}{}",
        list("functionality", &summary.functionality),
        list("interactions", &summary.interactions),
        list("failures", &summary.failures)
    )
}

/// Numbers as ranges: `3, 5-8`.
fn ranges(numbers: &[u32]) -> String {
    let mut ranges: Vec<(u32, u32)> = Vec::new();
    for &number in numbers {
        match ranges.last_mut() {
            Some((_, end)) if *end + 1 == number => *end = number,
            _ => ranges.push((number, number)),
        }
    }
    let word = |(from, to): (u32, u32)| if from == to { from.to_string() } else { format!("{from}-{to}") };
    ranges.into_iter().map(word).collect::<Vec<_>>().join(", ")
}

/// One line of at most 200 characters.
fn clip(text: &str) -> String {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match text.char_indices().nth(200) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text,
    }
}
