//! Istanbul's data model: maps of statements, functions and branches, and their counters.

mod delta;
mod file;
mod id_map;
mod location;
mod map;
mod merge;
mod origins;
mod remap;
mod summary;
mod v8;

pub use delta::{COLLECT_DELTA, Delta, FileDelta, Gain, collect_delta};
pub use file::{BranchKind, BranchMapping, COVERAGE_SCHEMA, FileCoverage, FunctionMapping};
pub use id_map::IdMap;
pub use location::{ArmLocation, END_OF_LINE, Position, Range};
pub use map::CoverageMap;
pub use origins::Origins;
pub use summary::{Count, Summary};
pub use v8::{V8Function, V8Range, V8Source};
