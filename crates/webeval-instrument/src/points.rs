//! Where in a source the counted places are, for those who count or show them otherwise.

use oxc_allocator::Allocator;

use crate::assemble::{arms_by_branch, assemble};
use crate::coverage::FileCoverage;
use crate::instrument::walk_file;
use crate::line_index::LineIndex;
use crate::walk::NONE;
use crate::{Error, Options};

/// Coverage at zero with the UTF-16 offsets of its places, in the order of its ids.
pub(crate) struct Located {
    pub(crate) coverage: FileCoverage,
    pub(crate) statements: Vec<u32>,
    /// First unit within each function's body.
    pub(crate) bodies: Vec<u32>,
    /// Where each arm begins to run; `None` for one that is not written.
    pub(crate) arms: Vec<Vec<Option<u32>>>,
    pub(crate) branches: Vec<u32>,
}

/// Finds the places of a source.
pub(crate) fn locate(source: &str, path: &str, options: &Options) -> Result<Located, Error> {
    let lines = LineIndex::new(source);
    let (mut points, _) = walk_file(&mut Allocator::default(), source, path, options, &lines)?;
    let unit = |offset: u32| lines.utf16_offset(offset);
    let statements = points.statements.iter().map(|(place, _)| unit(place.start)).collect();
    let bodies = points.functions.iter().map(|function| unit(function.body.start)).collect();
    let mut arms: Vec<Vec<Option<u32>>> = Vec::new();
    let mut branches = Vec::new();
    let found = arms_by_branch(&mut points);
    for group in found.chunk_by(|a, b| a.branch == b.branch) {
        arms.push(group.iter().map(|arm| (arm.runs_at != NONE).then(|| unit(arm.runs_at))).collect());
        branches.push(unit(points.branches[group[0].branch as usize].whole.start));
    }
    points.arms = found;
    let (coverage, _) = assemble(path, &mut points, &lines);
    Ok(Located { coverage, statements, bodies, arms, branches })
}
