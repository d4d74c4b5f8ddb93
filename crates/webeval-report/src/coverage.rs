//! `coverage.json`, read as any Istanbul reporter would, and source text with what never ran marked in it.

use std::collections::BTreeMap;
use std::path::{Component, Path};

use webeval_evidence::{Count, CoverageCounts, RunDir};
use webeval_instrument::coverage::{self, BranchMapping, CoverageMap, END_OF_LINE, FileCoverage, Position, Range};

use crate::text::Markup;

/// A summary of Istanbul's as the run directory's own counts.
pub(crate) fn counts(summary: coverage::Summary) -> CoverageCounts {
    let number = |value: usize| u32::try_from(value).unwrap_or(u32::MAX);
    let count = |count: coverage::Count| Count { covered: number(count.covered), total: number(count.total) };
    CoverageCounts {
        statements: count(summary.statements),
        functions: count(summary.functions),
        branches: count(summary.branches),
        lines: count(summary.lines),
    }
}

/// Names and lines of the functions that were never called, in the order of the file.
pub(crate) fn silent_functions(file: &FileCoverage) -> Vec<(String, u32)> {
    let never = file.fn_map.iter().filter(|(id, _)| file.f.get(*id).is_none_or(|hits| *hits == 0));
    let mut silent: Vec<(String, u32)> =
        never.map(|(_, function)| (function.name.clone(), function.decl.start.line)).collect();
    silent.sort_by_key(|(_, line)| *line);
    silent
}

/// Reads `coverage.json`; none when there is none, the reason when it cannot be read.
pub(crate) fn read(run: &RunDir) -> Option<Result<CoverageMap, String>> {
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
    for (_, range) in file.statement_map.iter().filter(|(id, _)| file.s.get(*id).is_none_or(|hits| *hits == 0)) {
        brush(&texts, &mut paint, range, STATEMENT);
    }
    for (_, function) in file.fn_map.iter().filter(|(id, _)| file.f.get(*id).is_none_or(|hits| *hits == 0)) {
        brush(&texts, &mut paint, &function.decl, FUNCTION);
    }
    for (id, branch) in file.branch_map.iter() {
        mark_branch(&texts, &mut paint, &mut badges, branch, file.b.get(id).map_or(&[], Vec::as_slice));
    }
    let hits = file.line_hits();
    let lines = texts.iter().zip(source.lines()).enumerate();
    lines
        .map(|(row, (text, whole))| {
            let number = row + 1;
            let hits = u32::try_from(number).ok().and_then(|line| hits.get(&line).copied());
            let marked =
                paint[row].iter().any(|flags| *flags != 0) || badges.range((row, 0)..(row + 1, 0)).next().is_some();
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
    branch: &BranchMapping,
    hits: &[u64],
) {
    if hits.iter().all(|count| *count == 0) {
        return;
    }
    for (arm, _) in hits.iter().enumerate().filter(|(_, count)| **count == 0) {
        if branch.kind.as_str() == "if" {
            let word = if arm == 0 { "never true" } else { "never false" };
            if let Some((row, at)) = locate(texts, branch.loc.start) {
                badges.entry((row, at)).or_default().push(word);
            }
        } else if let Some(range) = branch.locations.get(arm).and_then(|location| location.0) {
            brush(texts, paint, &range, BRANCH);
        }
    }
}

/// Row and byte offset of a position; columns are in UTF-16 units.
fn locate(texts: &[&str], position: Position) -> Option<(usize, usize)> {
    let row = usize::try_from(position.line.checked_sub(1)?).ok()?;
    let text = texts.get(row)?;
    let mut units = 0;
    for (at, c) in text.char_indices() {
        if units >= position.column as usize {
            return Some((row, at));
        }
        units += c.len_utf16();
    }
    Some((row, text.len()))
}

fn brush(texts: &[&str], paint: &mut [Vec<u8>], range: &Range, colour: u8) {
    let Some((first, from)) = locate(texts, range.start) else { return };
    let end = locate(texts, range.end).or_else(|| {
        // A range that ends below the file, in a map that was made of another version of it.
        let line = u32::try_from(texts.len()).ok()?;
        locate(texts, Position { line, column: END_OF_LINE })
    });
    let Some((last, to)) = end else { return };
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
