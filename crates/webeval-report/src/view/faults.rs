//! What went wrong while the app ran: uncaught errors, console messages, failed requests.

use std::collections::HashMap;

use webeval_evidence::{ConsoleLevel, PageErrorKind};

use super::Context;
use crate::text::{Markup, clip};
use crate::words::Tone;

/// Most rows of one table.
const MOST: usize = 200;
const LONGEST: usize = 600;

/// Like messages, counted together.
pub(crate) struct Row {
    pub(crate) tone: &'static str,
    pub(crate) kind: &'static str,
    pub(crate) text: String,
    pub(crate) detail: String,
    pub(crate) count: usize,
    pub(crate) steps: Markup,
}

/// A table.
pub(crate) struct Table {
    pub(crate) title: &'static str,
    pub(crate) id: &'static str,
    pub(crate) none: &'static str,
    pub(crate) rows: Vec<Row>,
    /// Rows that were left out.
    pub(crate) more: usize,
}

/// The section.
pub(crate) struct Faults {
    pub(crate) tables: Vec<Table>,
}

#[derive(PartialEq, Eq, Hash, Clone)]
struct Key {
    tone: &'static str,
    kind: &'static str,
    text: String,
    detail: String,
}

/// Collects messages in the order in which they were first seen, worst kind first.
#[derive(Default)]
struct Collector {
    keys: Vec<Key>,
    seen: HashMap<Key, (usize, Vec<u32>)>,
}

impl Collector {
    fn add(&mut self, step: u32, (kind, tone): (&'static str, Tone), text: &str, detail: String) {
        let key = Key { tone: tone.class(), kind, text: clip(text, LONGEST), detail };
        let (count, steps) = self.seen.entry(key.clone()).or_insert_with(|| {
            self.keys.push(key);
            (0, Vec::new())
        });
        *count += 1;
        if steps.last() != Some(&step) {
            steps.push(step);
        }
    }

    fn table(mut self, context: &Context<'_>, title: &'static str, id: &'static str, none: &'static str) -> Table {
        let severity = |key: &Key| ["bad", "warn", "plain"].iter().position(|tone| *tone == key.tone);
        self.keys.sort_by_key(severity);
        let more = self.keys.len().saturating_sub(MOST);
        let rows = self.keys.into_iter().take(MOST).map(|key| {
            let (count, steps) = self.seen.remove(&key).unwrap_or_default();
            let steps = context.step_links(&steps);
            Row { tone: key.tone, kind: key.kind, text: key.text, detail: key.detail, count, steps }
        });
        Table { title, id, none, rows: rows.collect(), more }
    }
}

impl Faults {
    pub(crate) fn build(context: &Context<'_>) -> Self {
        let (mut errors, mut console, mut network) = (Collector::default(), Collector::default(), Collector::default());
        for step in &context.evidence.trace.steps {
            for error in &step.errors {
                let kind = match error.kind {
                    PageErrorKind::Uncaught => "uncaught error",
                    PageErrorKind::Rejection => "unhandled rejection",
                };
                let place = clip(error.location.as_deref().unwrap_or_default(), 200);
                errors.add(step.index, (kind, Tone::Bad), &error.message, place);
            }
            for message in &step.console {
                console.add(step.index, level(message.level), &message.text, String::new());
            }
            for failure in &step.network {
                let why = match (failure.status, &failure.error) {
                    (Some(status), _) => format!("answered {status}"),
                    (None, Some(error)) => clip(error, 200),
                    (None, None) => "no answer".to_owned(),
                };
                network.add(step.index, ("failed request", Tone::Bad), &failure.url, why);
            }
        }
        let tables = vec![
            errors.table(
                context,
                "Errors that the app did not handle",
                "errors",
                "No uncaught error and no unhandled rejection was seen.",
            ),
            network.table(context, "Requests that failed", "network", "No request failed."),
            console.table(context, "Console messages", "console", "The app wrote nothing to the console."),
        ];
        Self { tables }
    }
}

/// A console level in words.
pub(crate) fn level(level: ConsoleLevel) -> (&'static str, Tone) {
    match level {
        ConsoleLevel::Debug => ("debug", Tone::Plain),
        ConsoleLevel::Info => ("info", Tone::Plain),
        ConsoleLevel::Warning => ("warning", Tone::Warn),
        ConsoleLevel::Error => ("error", Tone::Bad),
    }
}
