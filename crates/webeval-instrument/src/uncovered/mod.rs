//! What has not run, as code, for whoever advises what to try next.
//!
//! [`uncovered`] lists functions that were never called and arms of decisions that were never taken, with the code
//! around them, the most telling first: what lies right beside code that ran before what lies far from it, handlers of
//! user events before other code, large before small. The list keeps to a budget of tokens.

mod handlers;

use serde::{Deserialize, Serialize};

use crate::coverage::{ArmLocation, BranchKind, BranchMapping, CoverageMap, FileCoverage, Range};
use crate::line_index::LineIndex;
use handlers::Functions;

/// How much to list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct Limits {
    /// Tokens that all snippets together may take, at four characters a token.
    pub tokens: usize,
    /// Lines of code of one snippet; the middle of a longer one is left out.
    pub snippet_lines: usize,
    /// Lines of code around a snippet.
    pub context_lines: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { tokens: 2_000, snippet_lines: 24, context_lines: 1 }
    }
}

/// How near to code that ran something lies. The order is from near to far.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Distance {
    /// The decision was reached but this arm not taken, or the code that makes the function ran.
    Beside,
    /// In a function that ran, behind a decision that was not reached.
    Behind,
    /// In a file of which nothing ran.
    Unloaded,
}

/// What is uncovered.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Region {
    /// A function that was never called.
    Function {
        /// Its name, or that of the variable or property it is kept in; empty if it has none.
        name: String,
    },
    /// An arm of a decision that was never taken.
    Arm {
        /// The kind of decision.
        kind: BranchKind,
        /// Which arm, from 0.
        arm: usize,
    },
}

/// An event that calls a function.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Handler {
    /// The event's type, as `addEventListener` takes it: `click`, `keydown`.
    pub event: String,
    /// What it is set on, as it is written: `button`, `document.querySelector("#go")`; empty if that is not known.
    pub target: String,
}

/// One uncovered region.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Item {
    /// The file.
    pub path: String,
    /// What is uncovered.
    pub region: Region,
    /// Where it is.
    pub range: Range,
    /// The event that would run it, if it is a handler or lies in one.
    pub handler: Option<Handler>,
    /// Statements in it that have not run.
    pub statements: usize,
    /// How near to code that ran.
    pub distance: Distance,
    /// Its code and the lines around it, each line with its number.
    pub code: String,
}

/// The uncovered regions that fit the budget.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Report {
    /// The regions, the most telling first.
    pub items: Vec<Item>,
    /// How many more there are that did not fit.
    pub omitted: usize,
}

/// Lists what has not run.
///
/// `source` gives a file's text by its path in the map; a file whose text is not known is left out, and so is the
/// inside of an uncovered region.
///
/// ```
/// use webeval_instrument::{Options, coverage::CoverageMap, instrument, uncovered};
/// let source = "go.addEventListener('click', () => { count(); });";
/// let mut map = CoverageMap::default();
/// let mut file = instrument(source, "a.js", &Options::default())?.coverage;
/// *file.s.get_mut(0).expect("the call") = 1;
/// map.add(file);
/// let report = uncovered::uncovered(&map, |_| Some(source.into()), &uncovered::Limits::default());
/// let handler = report.items[0].handler.as_ref().expect("it is a handler");
/// assert_eq!((handler.event.as_str(), handler.target.as_str()), ("click", "go"));
/// # Ok::<(), webeval_instrument::Error>(())
/// ```
pub fn uncovered(map: &CoverageMap, source: impl Fn(&str) -> Option<String>, limits: &Limits) -> Report {
    let mut items = Vec::new();
    for file in map.files() {
        if let Some(text) = source(&file.path) {
            FileSearch::new(file, &text, limits).run(&mut items);
        }
    }
    items.sort_by(|a, b| {
        let rank = |item: &Item| (item.distance, item.handler.is_none(), std::cmp::Reverse(item.statements));
        rank(a).cmp(&rank(b)).then_with(|| (&a.path, a.range.start).cmp(&(&b.path, b.range.start)))
    });
    within_budget(items, limits.tokens)
}

/// Takes items while they fit; a later, smaller one may still fit where a larger one did not.
fn within_budget(items: Vec<Item>, tokens: usize) -> Report {
    let mut report = Report::default();
    let mut left = tokens;
    for item in items {
        let cost = tokens_of(&item);
        if cost <= left {
            left -= cost;
            report.items.push(item);
        } else {
            report.omitted += 1;
        }
    }
    report
}

/// Four characters a token, and some for the line that introduces the snippet.
fn tokens_of(item: &Item) -> usize {
    (item.code.chars().count() + item.path.chars().count()) / 4 + 12
}

struct FileSearch<'f> {
    file: &'f FileCoverage,
    text: &'f str,
    lines: LineIndex<'f>,
    functions: Functions,
    limits: &'f Limits,
    loaded: bool,
    /// Bodies of functions that were not called.
    uncalled: Vec<Range>,
}

impl<'f> FileSearch<'f> {
    fn new(file: &'f FileCoverage, text: &'f str, limits: &'f Limits) -> Self {
        let loaded = file.s.values().any(|&hits| hits > 0) || file.f.values().any(|&hits| hits > 0);
        let bodies = file.fn_map.iter().filter(|(id, _)| file.f.get(*id) == Some(&0));
        Self {
            file,
            text,
            lines: LineIndex::new(text),
            functions: Functions::find(text, &file.path),
            limits,
            loaded,
            uncalled: bodies.map(|(_, function)| function.loc).collect(),
        }
    }

    fn run(&self, items: &mut Vec<Item>) {
        self.uncalled_functions(items);
        for (id, branch) in self.file.branch_map.iter() {
            let hits = self.file.b.get(id).map(Vec::as_slice).unwrap_or_default();
            self.untaken_arms(branch, hits, items);
        }
    }

    fn within_uncalled(&self, range: &Range) -> bool {
        self.uncalled.iter().any(|body| body != range && body.contains(range))
    }

    fn uncalled_functions(&self, items: &mut Vec<Item>) {
        for (id, function) in self.file.fn_map.iter() {
            if self.file.f.get(id) != Some(&0) || self.within_uncalled(&function.loc) {
                continue;
            }
            let range = Range { start: function.decl.start.min(function.loc.start), end: function.loc.end };
            let found = self.functions.at(self.lines.offset(function.loc.start));
            let own = Some(&function.name).filter(|name| !name.starts_with("(anonymous_"));
            let name = own.or(found.map(|found| &found.name)).cloned().unwrap_or_default();
            items.push(self.item(Region::Function { name }, range, found.and_then(|found| found.handler.clone())));
        }
    }

    fn untaken_arms(&self, branch: &BranchMapping, hits: &[u64], items: &mut Vec<Item>) {
        if self.within_uncalled(&branch.loc) || !self.loaded {
            return;
        }
        let reached = hits.iter().any(|&hits| hits > 0);
        for (arm, (place, _)) in branch.locations.iter().zip(hits).enumerate().filter(|(_, (_, hits))| **hits == 0) {
            // Of a decision that was never reached, and of an `else` without text, the whole is shown.
            let range = place.0.unwrap_or(branch.loc);
            if !reached && arm > 0 {
                break;
            }
            let region = Region::Arm { kind: branch.kind.clone(), arm };
            let around = self.functions.around(self.lines.offset(branch.loc.start));
            let mut item = self.item(region, range, around.and_then(|found| found.handler.clone()));
            if !reached {
                item.distance = Distance::Behind;
            }
            if *place == ArmLocation(None) {
                item.statements = 0;
            }
            items.push(item);
        }
    }

    fn item(&self, region: Region, range: Range, handler: Option<Handler>) -> Item {
        let statements = self
            .file
            .statement_map
            .iter()
            .filter(|(id, place)| range.contains(place) && self.file.s.get(*id) == Some(&0));
        Item {
            path: self.file.path.clone(),
            region,
            range,
            handler,
            statements: statements.count(),
            distance: if self.loaded { Distance::Beside } else { Distance::Unloaded },
            code: self.snippet(&range),
        }
    }

    /// The region's lines and some around, with numbers, the middle of a long one left out.
    fn snippet(&self, range: &Range) -> String {
        let context = self.limits.context_lines as u32;
        let last = self.lines.lines();
        let first = range.start.line.saturating_sub(context).max(1).min(last);
        let end = range.end.line.saturating_add(context).min(last).max(first);
        let keep = (self.limits.snippet_lines as u32).max(2);
        let cut = (end - first + 1 > keep).then(|| (first + keep - keep / 3, end - keep / 3));
        let mut code = String::new();
        for line in first..=end {
            match cut {
                Some((from, to)) if line == from => {
                    code.push_str(&format!("… {} lines …\n", to - from + 1));
                    continue;
                }
                Some((from, to)) if line > from && line <= to => continue,
                _ => {}
            }
            let (start, stop) = self.lines.line_span(line);
            let text = self.text.get(start as usize..stop as usize).unwrap_or_default().trim_end();
            code.push_str(&format!("{line}: {}\n", shorten(text)));
        }
        code
    }
}

/// Minified code has lines without end.
fn shorten(line: &str) -> std::borrow::Cow<'_, str> {
    const LONGEST: usize = 240;
    match line.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", &line[..end]).into(),
        None => line.into(),
    }
}
