use serde::{Deserialize, Serialize};

use super::FileCoverage;
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
    /// The statements, functions and branches are those that [`instrument`](crate::instrument) finds in the same source;
    /// each takes the count of the narrowest of V8's ranges around its start. An `else` that is not written has no place
    /// and takes what its `if` ran more often than the other arm.
    ///
    /// # Errors
    ///
    /// Those of [`instrument`](crate::instrument).
    pub fn from_v8(source: &str, path: &str, functions: &[V8Function], options: &Options) -> Result<Self, Error> {
        let Located { mut coverage, statements, bodies, arms, branches } = locate(source, path, options)?;
        let counts = Counts::new(functions);
        for (hits, at) in coverage.s.values_mut().zip(statements) {
            *hits = counts.at(at);
        }
        for (hits, at) in coverage.f.values_mut().zip(bodies) {
            *hits = counts.at(at);
        }
        for ((hits, arms), at) in coverage.b.values_mut().zip(&arms).zip(&branches) {
            for (hits, arm) in hits.iter_mut().zip(arms) {
                *hits = arm.map_or(0, |arm| counts.at(arm));
            }
            // The two arms of an `if`: the first one's place is the whole statement.
            if let ([first, second], [Some(_), None]) = (hits.as_mut_slice(), arms.as_slice()) {
                *second = counts.at(*at).saturating_sub(*first);
            }
        }
        Ok(coverage)
    }
}

/// V8's ranges, sorted so that of two around an offset the narrower comes later.
struct Counts {
    ranges: Vec<V8Range>,
}

impl Counts {
    fn new(functions: &[V8Function]) -> Self {
        let mut ranges: Vec<V8Range> = functions.iter().flat_map(|function| function.ranges.iter().copied()).collect();
        ranges.sort_by_key(|range| (range.start_offset, std::cmp::Reverse(range.end_offset)));
        Self { ranges }
    }

    /// The count of the narrowest range around an offset.
    fn at(&self, offset: u32) -> u64 {
        let end = self.ranges.partition_point(|range| range.start_offset <= offset);
        let around = self.ranges[..end].iter().rev().find(|range| range.end_offset > offset);
        around.map_or(0, |range| range.count)
    }
}
