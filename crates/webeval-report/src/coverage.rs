//! `coverage.json`, read as any Istanbul reporter would, and source text with what never ran marked in it.

use std::collections::BTreeMap;
use std::path::{Component, Path};

use serde::Deserialize;
use webeval_evidence::{Count, CoverageCounts, RunDir};

use crate::text::Markup;

/// A place in a file: line from 1, column from 0 in UTF-16 units. Either can be missing (an `if` without `else`
/// has a second arm that is nowhere), and an absent end column means the end of the line.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
pub(crate) struct Position {
    #[serde(default)]
    pub(crate) line: Option<u32>,
    #[serde(default)]
    pub(crate) column: Option<u32>,
}

/// From a position up to another.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
pub(crate) struct Range {
    #[serde(default)]
    pub(crate) start: Position,
    #[serde(default)]
    pub(crate) end: Position,
}

#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Function {
    #[serde(default)]
    pub(crate) name: String,
    #[serde(default)]
    pub(crate) decl: Range,
}

#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Branch {
    #[serde(default, rename = "type")]
    pub(crate) kind: String,
    #[serde(default)]
    pub(crate) loc: Range,
    #[serde(default)]
    pub(crate) locations: Vec<Range>,
}

/// One file of an Istanbul coverage map.
#[derive(Clone, Debug, Default, Deserialize)]
pub(crate) struct FileCoverage {
    #[serde(default, rename = "statementMap")]
    pub(crate) statements: BTreeMap<String, Range>,
    #[serde(default, rename = "fnMap")]
    pub(crate) functions: BTreeMap<String, Function>,
    #[serde(default, rename = "branchMap")]
    pub(crate) branches: BTreeMap<String, Branch>,
    #[serde(default)]
    pub(crate) s: BTreeMap<String, u64>,
    #[serde(default)]
    pub(crate) f: BTreeMap<String, u64>,
    #[serde(default)]
    pub(crate) b: BTreeMap<String, Vec<u64>>,
}

impl FileCoverage {
    /// Times that each line's most-run statement ran, by the line on which the statement starts.
    pub(crate) fn line_hits(&self) -> BTreeMap<u32, u64> {
        let mut lines = BTreeMap::new();
        for (id, range) in &self.statements {
            let Some(line) = range.start.line else { continue };
            let hits = self.s.get(id).copied().unwrap_or(0);
            lines.entry(line).and_modify(|most: &mut u64| *most = hits.max(*most)).or_insert(hits);
        }
        lines
    }

    /// Covered and total by the four measures.
    pub(crate) fn counts(&self) -> CoverageCounts {
        CoverageCounts {
            statements: tally(self.s.values()),
            functions: tally(self.f.values()),
            branches: tally(self.b.values().flatten()),
            lines: tally(self.line_hits().values()),
        }
    }

    /// Names of the functions that were never called, in the order of the file.
    pub(crate) fn silent_functions(&self) -> Vec<(String, u32)> {
        let never = self.functions.iter().filter(|(id, _)| self.f.get(*id).copied().unwrap_or(0) == 0);
        let mut silent: Vec<(String, u32)> =
            never.map(|(_, function)| (function.name.clone(), function.decl.start.line.unwrap_or(0))).collect();
        silent.sort_by_key(|(_, line)| *line);
        silent
    }
}

fn tally<'a>(counters: impl Iterator<Item = &'a u64>) -> Count {
    let mut count = Count::default();
    for hits in counters {
        count.total += 1;
        count.covered += u32::from(*hits > 0);
    }
    count
}

/// Adds up counts of several files.
pub(crate) fn add(sum: &mut CoverageCounts, more: &CoverageCounts) {
    let pairs = [
        (&mut sum.statements, more.statements),
        (&mut sum.functions, more.functions),
        (&mut sum.branches, more.branches),
        (&mut sum.lines, more.lines),
    ];
    for (left, right) in pairs {
        left.covered += right.covered;
        left.total += right.total;
    }
}

/// A coverage map by path.
pub(crate) type Coverage = BTreeMap<String, FileCoverage>;

/// Counts over all files.
pub(crate) fn total(coverage: &Coverage) -> CoverageCounts {
    let mut sum = CoverageCounts::default();
    for file in coverage.values() {
        add(&mut sum, &file.counts());
    }
    sum
}

/// Reads `coverage.json`; none when there is none, the reason when it cannot be read.
pub(crate) fn read(run: &RunDir) -> Option<Result<Coverage, String>> {
    match std::fs::read(run.root().join("coverage.json")) {
        Ok(bytes) => Some(serde_json::from_slice(&bytes).map_err(|error| error.to_string())),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => None,
        Err(error) => Some(Err(error.to_string())),
    }
}

/// The source that `path` of the coverage map was made from. A path read from a file may have been forged, so only
/// one that stays under `sources/` is followed.
pub(crate) fn source(run: &RunDir, path: &str) -> Option<String> {
    let inside = Path::new(path.trim_start_matches("./"));
    let plain = inside.components().all(|part| matches!(part, Component::Normal(_)));
    if !plain || inside.as_os_str().is_empty() {
        return None;
    }
    let root = std::fs::canonicalize(run.root().join("sources")).ok()?;
    let file = std::fs::canonicalize(root.join(inside)).ok()?;
    if !file.starts_with(&root) {
        return None;
    }
    std::fs::read(file).ok().map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
}

/// What is wrong with a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LineState {
    /// No statement starts here.
    Neutral,
    /// Everything here ran.
    Ran,
    /// It ran, and something on it did not.
    Partly,
    /// Nothing here ran.
    Never,
}

/// A line of source, ready to be shown.
#[derive(Clone, Debug)]
pub(crate) struct Line {
    pub(crate) number: usize,
    pub(crate) hits: Option<u64>,
    pub(crate) state: LineState,
    pub(crate) code: Markup,
}

const STATEMENT: u8 = 1;
const FUNCTION: u8 = 2;
const BRANCH: u8 = 4;
/// Longest line shown, in bytes; minified code is cut there.
const LONGEST_LINE: usize = 4000;

/// Marks what never ran in a file's source.
pub(crate) fn mark(source: &str, file: &FileCoverage) -> Vec<Line> {
    let texts: Vec<&str> = source.lines().map(|line| &line[..floor_boundary(line, LONGEST_LINE)]).collect();
    let mut paint: Vec<Vec<u8>> = vec![Vec::new(); texts.len()];
    let mut badges: BTreeMap<(usize, usize), Vec<&'static str>> = BTreeMap::new();
    for (id, range) in &file.statements {
        if file.s.get(id).copied().unwrap_or(0) == 0 {
            brush(&texts, &mut paint, range, STATEMENT);
        }
    }
    for (id, function) in &file.functions {
        if file.f.get(id).copied().unwrap_or(0) == 0 {
            brush(&texts, &mut paint, &function.decl, FUNCTION);
        }
    }
    for (id, branch) in &file.branches {
        mark_branch(&texts, &mut paint, &mut badges, branch, file.b.get(id).map_or(&[], Vec::as_slice));
    }
    let hits = file.line_hits();
    let lines = texts.iter().zip(source.lines()).enumerate();
    lines
        .map(|(row, (text, whole))| {
            let number = row + 1;
            let hits = u32::try_from(number).ok().and_then(|line| hits.get(&line).copied());
            let marked = paint[row].iter().any(|flags| *flags != 0) || badges.range((row, 0)..(row + 1, 0)).next().is_some();
            let state = match hits {
                Some(0) => LineState::Never,
                Some(_) if marked => LineState::Partly,
                Some(_) => LineState::Ran,
                None => LineState::Neutral,
            };
            let mut code = render(text, &paint[row], row, &badges);
            if text.len() < whole.len() {
                code.raw("<i class=\"cut\">… the rest of this line is not shown</i>");
            }
            Line { number, hits, state, code }
        })
        .collect()
}

/// Arms that never ran where another arm did; if no arm ran, the statement's own mark says it all.
fn mark_branch(
    texts: &[&str],
    paint: &mut [Vec<u8>],
    badges: &mut BTreeMap<(usize, usize), Vec<&'static str>>,
    branch: &Branch,
    hits: &[u64],
) {
    if hits.iter().all(|count| *count == 0) {
        return;
    }
    for (arm, _) in hits.iter().enumerate().filter(|(_, count)| **count == 0) {
        if branch.kind == "if" {
            let word = if arm == 0 { "never true" } else { "never false" };
            if let Some((row, at)) = locate(texts, branch.loc.start, 0) {
                badges.entry((row, at)).or_default().push(word);
            }
        } else if let Some(range) = branch.locations.get(arm) {
            brush(texts, paint, range, BRANCH);
        }
    }
}

/// Row and byte offset of a position; `absent` stands for a column that is not given.
fn locate(texts: &[&str], position: Position, absent: usize) -> Option<(usize, usize)> {
    let row = usize::try_from(position.line?.checked_sub(1)?).ok()?;
    let text = texts.get(row)?;
    let Some(column) = position.column else { return Some((row, absent.min(text.len()))) };
    let mut units = 0;
    for (at, c) in text.char_indices() {
        if units >= column as usize {
            return Some((row, at));
        }
        units += c.len_utf16();
    }
    Some((row, text.len()))
}

fn brush(texts: &[&str], paint: &mut [Vec<u8>], range: &Range, colour: u8) {
    let Some((first, from)) = locate(texts, range.start, 0) else { return };
    let last_line = Position { line: range.end.line.or(range.start.line), column: range.end.column };
    let clamped = Position { line: last_line.line.map(|line| line.min(texts.len() as u32)), ..last_line };
    let Some((last, to)) = locate(texts, clamped, usize::MAX) else { return };
    for row in first..=last {
        let text = texts[row];
        let start = if row == first { from } else { text.len() - text.trim_start().len() };
        let end = if row == last { to } else { text.len() };
        let flags = &mut paint[row];
        flags.resize(text.len(), 0);
        for flag in flags.get_mut(start..end).unwrap_or_default() {
            *flag |= colour;
        }
    }
}

fn render(text: &str, flags: &[u8], row: usize, badges: &BTreeMap<(usize, usize), Vec<&'static str>>) -> Markup {
    let mut code = Markup::default();
    let mut cuts: Vec<usize> = vec![0, text.len()];
    cuts.extend((1..flags.len()).filter(|&at| flags[at] != flags[at - 1]));
    cuts.extend(badges.range((row, 0)..(row + 1, 0)).map(|((_, at), _)| *at));
    cuts.sort_unstable();
    cuts.dedup();
    for (index, &from) in cuts.iter().enumerate() {
        for word in badges.get(&(row, from)).into_iter().flatten() {
            code.raw("<em class=\"arm\">");
            code.raw(word);
            code.raw("</em>");
        }
        let Some(&to) = cuts.get(index + 1) else { break };
        let class = match flags.get(from).copied().unwrap_or(0) {
            0 => None,
            f if f & FUNCTION != 0 => Some(("fn", "this function was never called")),
            f if f & STATEMENT != 0 => Some(("st", "this statement never ran")),
            _ => Some(("br", "this branch never ran")),
        };
        if let Some((class, title)) = class {
            code.raw(&format!("<mark class=\"{class}\" title=\"{title}\">"));
            code.text(&text[from..to]);
            code.raw("</mark>");
        } else {
            code.text(&text[from..to]);
        }
    }
    code
}

fn floor_boundary(text: &str, limit: usize) -> usize {
    if text.len() <= limit {
        return text.len();
    }
    (0..=limit).rev().find(|&at| text.is_char_boundary(at)).unwrap_or(0)
}
