//! The scores, and what they rest on.

mod criteria;
mod findings;
mod judgements;

use std::collections::BTreeSet;

use webeval_evidence::{DimensionScore, ScoreEntry, ScoreStatus, TokenUsage};

use super::Context;
use crate::text::{Markup, clip, number, plural};

use criteria::CriteriaSet;
use findings::FindingGroup;
use judgements::JudgementView;

/// One dimension.
pub(crate) struct Dimension {
    pub(crate) name: String,
    /// `72.5`, `not judged` or `not applicable`.
    pub(crate) figure: String,
    /// `between 50 and 75`, where some criteria stayed unjudged.
    pub(crate) bounds: Option<String>,
    pub(crate) remark: &'static str,
    pub(crate) bar: Markup,
    pub(crate) grounds: String,
    pub(crate) judged: bool,
}

/// What one judge made of the run by one method.
pub(crate) struct Entry {
    pub(crate) title: String,
    pub(crate) judge: String,
    pub(crate) dimensions: Vec<Dimension>,
    pub(crate) notes: Vec<String>,
    pub(crate) sets: Vec<CriteriaSet>,
    pub(crate) findings: Vec<FindingGroup>,
    pub(crate) finding_count: String,
    pub(crate) judgements: Vec<JudgementView>,
    pub(crate) struck: String,
    pub(crate) usage: Option<String>,
    pub(crate) unfinished: bool,
}

/// The section.
pub(crate) struct Scores {
    pub(crate) entries: Vec<Entry>,
}

impl Scores {
    pub(crate) fn build(context: &Context<'_>) -> Self {
        let evidence = context.evidence;
        let mut entries: Vec<Entry> =
            evidence.scores.entries.iter().map(|entry| build_entry(context, entry, false)).collect();
        // Judgements without an entry: the judge was stopped before it could sum up.
        let scored: BTreeSet<_> =
            evidence.scores.entries.iter().map(|entry| (&entry.method, &entry.judge, entry.repeat)).collect();
        let judged: BTreeSet<_> =
            evidence.judgements.iter().map(|said| (&said.method, &said.judge, said.repeat)).collect();
        for (method, judge, repeat) in judged.difference(&scored) {
            let empty = ScoreEntry {
                method: (*method).clone(),
                judge: (*judge).clone(),
                repeat: *repeat,
                dimensions: Default::default(),
                findings: Vec::new(),
                criteria: Vec::new(),
                notes: Vec::new(),
                usage: TokenUsage::default(),
            };
            entries.push(build_entry(context, &empty, true));
        }
        Self { entries }
    }
}

fn build_entry(context: &Context<'_>, entry: &ScoreEntry, unfinished: bool) -> Entry {
    let said = context
        .evidence
        .judgements
        .iter()
        .filter(|said| said.method == entry.method && said.judge == entry.judge && said.repeat == entry.repeat);
    let judgements: Vec<JudgementView> = said.map(|said| judgements::view(context, said)).collect();
    let repeat = if entry.repeat > 0 { format!(", repeat {}", entry.repeat) } else { String::new() };
    Entry {
        title: method(&entry.method),
        judge: match entry.judge.as_str() {
            "rules" => format!("measured by fixed rules, no model{repeat}"),
            model => format!("judged by {}{repeat}", clip(model, 80)),
        },
        dimensions: entry.dimensions.iter().map(|(name, score)| dimension(name, score)).collect(),
        notes: entry.notes.clone(),
        sets: criteria::sets(context, &entry.criteria),
        findings: findings::groups(context, &entry.findings),
        finding_count: plural(entry.findings.len(), "finding"),
        struck: match judgements.iter().map(|said| said.struck.len()).sum() {
            0 => "no citation was struck.".to_owned(),
            some => format!("{} struck, because the evidence named does not exist.", plural(some, "citation")),
        },
        judgements,
        usage: usage(&entry.usage),
        unfinished,
    }
}

fn method(name: &str) -> String {
    match name {
        "rules" => "Rules".to_owned(),
        "webcraft" => "WebCraftBench".to_owned(),
        "liveeval" => "LiveEvalBench".to_owned(),
        "sections" => "WebGen-V sections".to_owned(),
        // What the judge was shown is part of the method's name where it is not the usual.
        other if other.starts_with("sections.") => {
            format!("WebGen-V sections, judged by {}", clip(&other["sections.".len()..].replace('-', " "), 60))
        }
        other => clip(other, 60),
    }
}

fn dimension(name: &str, score: &DimensionScore) -> Dimension {
    let value = score.value.filter(|value| value.is_finite());
    let bounds = score.bounds.filter(|(low, high)| low.is_finite() && high.is_finite());
    let open = matches!(score.status, ScoreStatus::NotJudged | ScoreStatus::NotApplicable);
    let value = value.filter(|_| !open);
    let judged = value.is_some();
    let remark = match score.status {
        ScoreStatus::Judged | ScoreStatus::NotJudged | ScoreStatus::NotApplicable => "",
        ScoreStatus::Incomplete => {
            "incomplete: some criteria stayed unjudged, so the full figure lies between the bounds"
        }
        ScoreStatus::Undeployable => "the app could not be deployed",
    };
    Dimension {
        name: clip(name, 60),
        bar: if judged { bar(value, bounds) } else { Markup::default() },
        figure: match (value, score.status) {
            (Some(value), _) => number(value),
            (None, ScoreStatus::NotApplicable) => "not applicable".to_owned(),
            (None, _) => "not judged".to_owned(),
        },
        bounds: bounds.map(|(low, high)| format!("between {} and {}", number(low), number(high))),
        remark,
        grounds: clip(&score.grounds, 1200),
        judged,
    }
}

/// A bar from 0 to 100; a lighter one from the lower to the upper bound behind it.
fn bar(value: Option<f64>, bounds: Option<(f64, f64)>) -> Markup {
    let within = |share: f64| share.clamp(0.0, 100.0);
    let range = bounds.map(|(low, high)| {
        let (low, high) = (within(low), within(high));
        format!("<i class=\"range\" style=\"left:{low:.1}%;width:{:.1}%\"></i>", (high - low).max(0.0))
    });
    let filled = value.map(|value| format!("<i class=\"fill\" style=\"width:{:.1}%\"></i>", within(value)));
    Markup(format!("{}{}", range.unwrap_or_default(), filled.unwrap_or_default()))
}

fn usage(usage: &TokenUsage) -> Option<String> {
    if usage.calls == 0 {
        return None;
    }
    let cost = usage.cost_usd.map_or_else(|| "price not known".to_owned(), |cost| format!("{cost:.4} US dollars"));
    let calls = usize::try_from(usage.calls).unwrap_or(usize::MAX);
    Some(format!(
        "{}, {} tokens in ({} from the provider’s cache), {} tokens out, {cost}",
        plural(calls, "model call"),
        usage.input,
        usage.cached,
        usage.output
    ))
}
