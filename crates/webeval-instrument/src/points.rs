//! Where in a source the counted places are, for those who count or show them otherwise.

use oxc_allocator::Allocator;

use crate::assemble::{arms_by_branch, assemble};
use crate::coverage::FileCoverage;
use crate::document::{self, Script};
use crate::instrument::walk_file;
use crate::line_index::LineIndex;
use crate::walk::{NONE, Offsets, Points};
use crate::{Error, Kind, Options};

/// Coverage at zero with the byte offsets of its places, in the order of its ids.
pub(crate) struct Located {
    pub(crate) coverage: FileCoverage,
    pub(crate) statements: Vec<u32>,
    /// Each function's body.
    pub(crate) bodies: Vec<(u32, u32)>,
    /// Where each arm begins to run; `None` for one that is not written.
    pub(crate) arms: Vec<Vec<Option<u32>>>,
    pub(crate) branches: Vec<u32>,
    /// What a browser runs of the source: all of it, or the scripts and handlers of a document.
    pub(crate) scripts: Vec<Script>,
}

/// Finds the places of a source.
pub(crate) fn locate(source: &str, path: &str, options: &Options) -> Result<Located, Error> {
    let lines = LineIndex::new(source);
    let (mut points, scripts) = if options.kind.or_else(|| Kind::from_path(path)) == Some(Kind::Html) {
        let mut points = Points::for_source(source.len());
        let scripts = document::walk_scripts(source, &mut points, options);
        (points, scripts)
    } else {
        let (points, _) = walk_file(&mut Allocator::default(), source, path, options, &lines)?;
        let whole = 0..source.len();
        let script = Script { text: source.to_owned(), place: whole, offsets: Offsets::From(0), handler: false };
        (points, vec![script])
    };
    let statements = points.statements.iter().map(|(place, _)| place.start).collect();
    let bodies = points.functions.iter().map(|function| (function.body.start, function.body.end)).collect();
    let mut arms: Vec<Vec<Option<u32>>> = Vec::new();
    let mut branches = Vec::new();
    let found = arms_by_branch(&mut points);
    for group in found.chunk_by(|a, b| a.branch == b.branch) {
        arms.push(group.iter().map(|arm| (arm.runs_at != NONE).then_some(arm.runs_at)).collect());
        branches.push(points.branches[group[0].branch as usize].whole.start);
    }
    points.arms = found;
    let (coverage, _) = assemble(path, &mut points, &lines);
    Ok(Located { coverage, statements, bodies, arms, branches, scripts })
}
