//! DOM snapshots in, state identities and a state-transition graph out.

mod diff;
mod error;
mod graph;
mod identity;
mod level;
mod normal;
mod options;
mod similarity;

pub use diff::{Dom, Inserted, NodeRef, Operation, TreeDiff, apply, diff};
pub use error::Error;
pub use graph::{
    GRAPH_FORMAT, GraphView, Observation, Outcome, Snapshot, State, StateGraph, Transition,
    ViewState, ViewTransition,
};
pub use identity::{FORMAT, Identity, StateId, identify, normalize};
pub use level::Level;
pub use options::{DynamicState, MUTABLE_ATTRIBUTES, Options, Reach};
pub use similarity::{Profile, Similarity};

/// The longest page that is read, in bytes.
pub const MAX_BYTES: usize = 1 << 29;
