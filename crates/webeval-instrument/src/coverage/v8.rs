use serde::{Deserialize, Serialize};

use super::{FileCoverage, FileDelta};
use crate::document::Script;
use crate::line_index::LineIndex;
use crate::points::{Located, locate};
use crate::{Error, Options};

/// A function as V8's precise coverage reports it (`Profiler.takePreciseCoverage` with block counts).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct V8Function {
    /// Its name, empty for the script itself.
    #[serde(default)]
    pub function_name: String,
    /// The function's own stretch first, then blocks within it that ran another number of times.
    pub ranges: Vec<V8Range>,
    /// Whether blocks were counted, or only whether the function ran.
    #[serde(default)]
    pub is_block_coverage: bool,
}

/// A stretch of a script, and how often it ran.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct V8Range {
    /// First UTF-16 unit.
    pub start_offset: u32,
    /// The unit after the last.
    pub end_offset: u32,
    /// How often it ran.
    pub count: u64,
}

impl FileCoverage {
    /// Coverage in Istanbul's terms of a script that was not instrumented, from V8's counts.
    ///
    /// # Errors
    ///
    /// Those of [`V8Source::new`].
    pub fn from_v8(source: &str, path: &str, functions: &[V8Function], options: &Options) -> Result<Self, Error> {
        let source = V8Source::new(source, path, options)?;
        let mut coverage = source.coverage.clone();
        coverage.apply(&source.count(0, functions));
        Ok(coverage)
    }
}

/// A source that runs as it is and is counted by V8: its places are found once, and each reading of V8's counts is turned
/// into increments of Istanbul's counters.
///
/// The statements, functions and branches are those that [`instrument`](crate::instrument()) finds in the same source;
/// each takes the count of the narrowest of V8's ranges around its start. An `else` that is not written has no place and
/// takes what its `if` ran more often than the other arm.
///
/// A script is one program. An HTML document has one for each script and each event handler that a browser runs as it is
/// written; V8 counts each of them by itself.
#[derive(Debug)]
pub struct V8Source {
    coverage: FileCoverage,
    programs: Vec<Program>,
    /// Counters, and one more slot for each `if` without an `else`.
    slots: usize,
}

/// What V8 takes for one script.
#[derive(Debug)]
struct Program {
    text: String,
    /// UTF-16 units.
    length: u32,
    /// In order of their offsets.
    places: Vec<Place>,
    elses: Vec<Else>,
}

/// A place that takes the count of the narrowest range around it.
#[derive(Debug, Clone, Copy)]
struct Place {
    /// UTF-16 units from the program's start.
    offset: u32,
    slot: u32,
    /// V8 leaves functions out of a reading that have not run since the one before, and what lies around them may have:
    /// ranges of functions that begin before this offset are of those.
    floor: u32,
    /// Whether it lies in a function, so that the program's own ranges say nothing of it.
    nested: bool,
}

/// An `else` that is not written.
#[derive(Debug)]
struct Else {
    counter: u32,
    first: u32,
    /// The slot of the `if` itself.
    whole: u32,
}

impl V8Source {
    /// Finds the places of a source. `path` names it in the coverage; the kind is told by the options or the path.
    ///
    /// # Errors
    ///
    /// Those of [`instrument`](crate::instrument()).
    pub fn new(source: &str, path: &str, options: &Options) -> Result<Self, Error> {
        let Located { coverage, statements, bodies, arms, branches, scripts } = locate(source, path, options)?;
        let mut found: Vec<(u32, u32)> = Vec::new();
        let mut slot = 0;
        let mut next = || {
            slot += 1;
            slot - 1
        };
        found.extend(statements.into_iter().map(|at| (at, next())));
        found.extend(bodies.iter().map(|(at, _)| (*at, next())));
        let mut elses = Vec::new();
        for (arms, at) in arms.iter().zip(branches) {
            let slots: Vec<u32> = arms.iter().map(|_| next()).collect();
            found.extend(arms.iter().zip(&slots).filter_map(|(arm, slot)| Some(((*arm)?, *slot))));
            // The two arms of an `if`: the first one's place is the whole statement.
            if let ([Some(_), None], [first, counter]) = (arms.as_slice(), slots.as_slice()) {
                elses.push((at, *counter, *first));
            }
        }
        let counters = slot;
        let wholes = (counters..).zip(&elses).map(|(slot, (at, _, _))| (*at, slot));
        found.extend(wholes);
        let elses: Vec<(u32, Else)> =
            (counters..).zip(elses).map(|(whole, (at, counter, first))| (at, Else { counter, first, whole })).collect();
        let slots = counters as usize + elses.len();
        found.sort_unstable();
        let mut elses = elses.into_iter().map(Some).collect::<Vec<_>>();
        let programs = scripts.into_iter().map(|script| program(source, script, &found, &bodies, &mut elses)).collect();
        Ok(Self { coverage, programs, slots })
    }

    /// The coverage at zero.
    #[must_use]
    pub fn coverage(&self) -> &FileCoverage {
        &self.coverage
    }

    /// The programs: for each its text and its length in UTF-16 units, as V8 tells it by a script's first range.
    pub fn programs(&self) -> impl ExactSizeIterator<Item = (&str, u32)> {
        self.programs.iter().map(|program| (program.text.as_str(), program.length))
    }

    /// What a reading of V8's counts of a program, by its place in [`V8Source::programs`], adds to the counters. A reading
    /// holds what was counted since the one before. A program that is not there adds nothing.
    #[must_use]
    pub fn count(&self, program: usize, functions: &[V8Function]) -> FileDelta {
        let mut delta = FileDelta::default();
        let Some(program) = self.programs.get(program) else { return delta };
        let mut hits = vec![0; self.slots];
        program.take(functions, &mut hits);
        for missing in &program.elses {
            hits[missing.counter as usize] = hits[missing.whole as usize].saturating_sub(hits[missing.first as usize]);
        }
        let counters = self.coverage.counters();
        for (counter, &hits) in (0u32..).zip(&hits[..counters.min(hits.len())]).filter(|(_, hits)| **hits > 0) {
            delta.counters.push(counter);
            delta.increments.push(hits as f64);
        }
        delta
    }
}

/// The part of the places that lies in a script.
fn program(
    source: &str,
    script: Script,
    found: &[(u32, u32)],
    bodies: &[(u32, u32)],
    elses: &mut [Option<(u32, Else)>],
) -> Program {
    let (start, end) = (script.place.start as u32, script.place.end as u32);
    let inside = |at: u32| (start..end.max(start + 1)).contains(&at);
    let lines = LineIndex::new(&script.text);
    let unit = |at: u32| lines.utf16_offset(script.local(at));
    // What a function's own text is to V8, is to a handler the whole of it.
    let own = |body: &&(u32, u32)| inside(body.0) && !(script.handler && **body == (start, end));
    let mut functions: Vec<(u32, u32)> = bodies.iter().filter(own).map(|(from, to)| (unit(*from), unit(*to))).collect();
    functions.sort_unstable_by_key(|(from, to)| (*from, std::cmp::Reverse(*to)));
    let mut functions = functions.into_iter().peekable();
    let mut open: Vec<(u32, u32)> = Vec::new();
    let from = found.partition_point(|place| place.0 < start);
    let mut places: Vec<Place> = found[from..]
        .iter()
        .take_while(|place| inside(place.0))
        .map(|&(at, slot)| Place { offset: unit(at), slot, floor: 0, nested: false })
        .collect();
    places.sort_unstable_by_key(|place| place.offset);
    for place in &mut places {
        while let Some(function) = functions.next_if(|function| function.0 <= place.offset) {
            while open.last().is_some_and(|last| last.1 <= function.0) {
                open.pop();
            }
            open.push(function);
        }
        // Functions lie within each other.
        while open.last().is_some_and(|last| last.1 <= place.offset) {
            open.pop();
        }
        place.nested = !open.is_empty();
        place.floor = open.len().checked_sub(2).map_or(0, |around| open[around].0);
    }
    let own = |slot: &&mut Option<(u32, Else)>| slot.as_ref().is_some_and(|(at, _)| inside(*at));
    let elses = elses.iter_mut().filter(own).filter_map(Option::take).map(|(_, missing)| missing).collect();
    let length = unit(source.len().min(script.place.end) as u32);
    Program { length, places, elses, text: script.text }
}

/// One of V8's ranges.
struct Stretch {
    range: V8Range,
    /// Where its function begins.
    root: u32,
    /// Whether its function is the program itself.
    whole: bool,
    /// Whether its function is one that is written, and not V8's own for the fields of a class.
    written: bool,
}

impl Stretch {
    /// Whether it is of a function that begins at the place: that one is the value there, and not what runs there.
    fn is_value_at(&self, place: &Place) -> bool {
        self.root == place.offset && self.written && !self.whole
    }
}

impl Program {
    /// Gives each place the count of the narrowest range around it.
    fn take(&self, functions: &[V8Function], hits: &mut [u64]) {
        let mut stretches: Vec<Stretch> = Vec::new();
        for function in functions {
            let Some(root) = function.ranges.first() else { continue };
            let whole = root.start_offset == 0 && root.end_offset >= self.length;
            let written = !function.function_name.starts_with('<');
            let of = |range: &V8Range| Stretch { range: *range, root: root.start_offset, whole, written };
            stretches.extend(function.ranges.iter().map(of));
        }
        stretches.sort_by_key(|one| (one.range.start_offset, std::cmp::Reverse(one.range.end_offset)));
        let mut rest = stretches.iter().peekable();
        let mut open: Vec<&Stretch> = Vec::new();
        for place in &self.places {
            while let Some(next) = rest.next_if(|next| next.range.start_offset <= place.offset) {
                // Ranges lie within each other: what ended before this one begins is done with.
                while open.last().is_some_and(|last| last.range.end_offset <= next.range.start_offset) {
                    open.pop();
                }
                open.push(next);
            }
            while open.last().is_some_and(|last| last.range.end_offset <= place.offset) {
                open.pop();
            }
            let Some(narrowest) = open.iter().rev().find(|one| !one.is_value_at(place)) else { continue };
            let foreign = narrowest.root < place.floor || (place.nested && narrowest.whole);
            hits[place.slot as usize] = if foreign { 0 } else { narrowest.range.count };
        }
    }
}
