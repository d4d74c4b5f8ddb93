//! How much of the app's own code ran.

use webeval_evidence::{CoverageCounts, DeployMode};
use webeval_instrument::coverage::CoverageMap;

use super::{Context, absence};
use crate::coverage::{self, Line, LineState, mark};
use crate::curve::{self, MEASURES};
use crate::text::{Markup, clip, number, percent, plural};

/// Most bytes of source shown, over all files.
const SOURCE_BUDGET: usize = 1_000_000;
const SILENT_SHOWN: usize = 40;

/// One measure of something.
pub(crate) struct Measure {
    pub(crate) name: &'static str,
    pub(crate) share: Option<String>,
    pub(crate) width: String,
    pub(crate) covered: u32,
    pub(crate) total: u32,
}

/// One file.
pub(crate) struct File {
    pub(crate) id: usize,
    pub(crate) path: String,
    pub(crate) measures: Vec<Measure>,
    pub(crate) silent: Vec<(String, u32)>,
    pub(crate) silent_more: usize,
    pub(crate) lines: Vec<SourceLine>,
    /// Why no source is shown.
    pub(crate) no_source: Option<String>,
}

/// One line of source.
pub(crate) struct SourceLine {
    pub(crate) number: usize,
    pub(crate) hits: String,
    pub(crate) class: &'static str,
    pub(crate) code: Markup,
}

/// The section.
pub(crate) struct CoverageView {
    pub(crate) absent: Option<String>,
    pub(crate) totals: Vec<Measure>,
    pub(crate) curve: Option<Markup>,
    pub(crate) hints: usize,
    pub(crate) files: Vec<File>,
}

impl CoverageView {
    pub(crate) fn build(context: &Context<'_>) -> Self {
        let evidence = context.evidence;
        let black_box = evidence.record.deployment.as_ref().is_some_and(|how| how.mode == DeployMode::BlackBox);
        let why = if black_box {
            "There is no coverage: the app ran as a black box, its code was not instrumented."
        } else {
            "There is no coverage: this run has no coverage.json (yet)."
        };
        let mut budget = SOURCE_BUDGET;
        let mut files: Vec<File> = Vec::new();
        for (id, file) in evidence.coverage.present().into_iter().flat_map(CoverageMap::files).enumerate() {
            let source = evidence.sources.get(&file.path);
            let affordable = source.filter(|source| source.len() <= budget);
            let lines = affordable.map(|source| mark(source, file)).unwrap_or_default();
            budget -= affordable.map_or(0, String::len);
            let no_source = match (source, affordable) {
                (None, _) => Some("The source of this file is not in the run directory.".to_owned()),
                (Some(_), None) => Some("The source of this file is too long to be shown here.".to_owned()),
                _ => None,
            };
            let silent = coverage::silent_functions(file);
            files.push(File {
                id,
                path: file.path.clone(),
                measures: measures(&coverage::counts(file.summary())),
                silent_more: silent.len().saturating_sub(SILENT_SHOWN),
                silent: silent.into_iter().take(SILENT_SHOWN).map(|(name, line)| (function(&name), line)).collect(),
                lines: lines.into_iter().map(source_line).collect(),
                no_source,
            });
        }
        Self {
            absent: absence(&evidence.coverage, "coverage.json", why),
            totals: evidence.final_coverage().map(|counts| measures(&counts)).unwrap_or_default(),
            curve: curve::coverage(&evidence.trace),
            hints: evidence.trace.hints.len(),
            files,
        }
    }
}

fn function(name: &str) -> String {
    if name.is_empty() { "(anonymous)".to_owned() } else { clip(name, 60) }
}

/// The four measures of a set of counts.
pub(crate) fn measures(counts: &CoverageCounts) -> Vec<Measure> {
    let measure = |(name, of): curve::Measure| {
        let count = of(counts);
        let share = percent(count.covered, count.total);
        Measure {
            name,
            share: share.map(number),
            width: number(share.unwrap_or(0.0)),
            covered: count.covered,
            total: count.total,
        }
    };
    MEASURES.into_iter().map(measure).collect()
}

fn source_line(line: Line) -> SourceLine {
    let class = match line.state {
        LineState::Neutral => "",
        LineState::Ran => "ran",
        LineState::Partly => "partly",
        LineState::Never => "never",
    };
    let hits = match line.hits {
        None => String::new(),
        Some(0) => "never".to_owned(),
        Some(hits) => format!("{hits}×"),
    };
    SourceLine { number: line.number, hits, class, code: line.code }
}

impl File {
    /// `3 of 12 functions never ran`, or that all did.
    pub(crate) fn silence(&self) -> String {
        match self.silent.len() + self.silent_more {
            0 => String::new(),
            count => format!("{} never called:", plural(count, "function")),
        }
    }
}
