//! `states.json`: the state-transition graph, and which state each step reached.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The content of `states.json`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct StatesFile {
    /// [`crate::FORMAT`] when it was written.
    pub format: u32,
    /// For each step of the trace, the name of the state it reached; none where it left no snapshot.
    pub steps: Vec<Option<String>>,
    /// The graph, as `webeval-states` writes it.
    pub graph: Value,
}
