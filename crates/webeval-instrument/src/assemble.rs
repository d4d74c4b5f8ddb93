//! From what a walk found to Istanbul's data.

use crate::coverage::{ArmLocation, BranchMapping, FileCoverage, FunctionMapping, IdMap, Range};
use crate::line_index::LineIndex;
use crate::walk::{ArmPoint, NONE, Points, Stretch};

/// The initial coverage, and for each of its counters in order the one that counts it at run time.
pub(crate) fn assemble(path: &str, points: &mut Points, lines: &LineIndex<'_>) -> (FileCoverage, Vec<u32>) {
    let range = |stretch: Stretch| lines.range(stretch.start, stretch.end);
    let mut coverage = FileCoverage::empty(path);
    let mut table: Vec<u32> = Vec::with_capacity(points.statements.len() + points.functions.len() + points.arms.len());
    table.extend(points.statements.iter().map(|statement| statement.1));
    table.extend(points.functions.iter().map(|function| function.counter));
    coverage.statement_map = ids(points.statements.iter().map(|&(stretch, _)| range(stretch)));
    coverage.s = ids(points.statements.iter().map(|_| 0));
    coverage.f = ids(points.functions.iter().map(|_| 0));
    let functions = std::mem::take(&mut points.functions);
    coverage.fn_map = ids(functions.into_iter().enumerate().map(|(id, function)| {
        let loc = range(function.body);
        FunctionMapping {
            name: function.name.unwrap_or_else(|| format!("(anonymous_{id})")),
            decl: range(function.decl),
            line: loc.start.line,
            loc,
        }
    }));
    branches(&mut coverage, &mut table, points, range);
    (coverage, table)
}

fn ids<T>(values: impl Iterator<Item = T>) -> IdMap<T> {
    values.enumerate().map(|(id, value)| (id as u32, value)).collect()
}

/// Branches without arms are dropped; the others keep their ids.
fn branches(coverage: &mut FileCoverage, table: &mut Vec<u32>, points: &mut Points, range: impl Fn(Stretch) -> Range) {
    let arms = arms_by_branch(points);
    let mut maps = Vec::with_capacity(points.branches.len());
    let mut counts = Vec::with_capacity(points.branches.len());
    let mut truthy_counts = Vec::new();
    let mut truthy_table = Vec::new();
    let mut rest = arms.as_slice();
    for (id, branch) in points.branches.iter().enumerate() {
        let id = id as u32;
        let length = rest.iter().take_while(|arm| arm.branch == id).count();
        let (own, others) = rest.split_at(length);
        rest = others;
        if own.is_empty() {
            continue;
        }
        let loc = range(branch.whole);
        let locations = own.iter().map(|arm| ArmLocation(arm.place.map(&range))).collect();
        maps.push((id, BranchMapping { loc, kind: branch.kind.clone(), locations, line: loc.start.line }));
        counts.push((id, vec![0; length]));
        table.extend(own.iter().map(|arm| arm.counter));
        if own[0].truthy != NONE {
            truthy_counts.push((id, vec![0; length]));
            truthy_table.extend(own.iter().map(|arm| arm.truthy));
        }
    }
    coverage.branch_map = maps.into_iter().collect();
    coverage.b = counts.into_iter().collect();
    if points.has_truthy {
        coverage.b_t = Some(truthy_counts.into_iter().collect());
        table.extend(truthy_table);
    }
}

/// Arms in order of their branches, those of one branch in the order they were found.
pub(crate) fn arms_by_branch(points: &mut Points) -> Vec<ArmPoint> {
    let mut arms = std::mem::take(&mut points.arms);
    arms.sort_by_key(|arm| arm.branch);
    arms
}
