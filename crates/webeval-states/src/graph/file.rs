//! The JSON form of a graph.

use serde::{Deserialize, Serialize};

use super::{State, StateGraph, Transition};
use crate::Error;

/// Version of the JSON form of a [`StateGraph`].
pub const GRAPH_FORMAT: u32 = 1;

/// What is written: everything in a fixed order.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct File {
    format: u32,
    states: Vec<State>,
    transitions: Vec<Transition>,
}

impl From<StateGraph> for File {
    fn from(graph: StateGraph) -> Self {
        Self {
            format: GRAPH_FORMAT,
            states: graph.states().into_iter().cloned().collect(),
            transitions: graph.transitions().into_iter().cloned().collect(),
        }
    }
}

impl TryFrom<File> for StateGraph {
    type Error = Error;

    fn try_from(file: File) -> Result<Self, Error> {
        if file.format != GRAPH_FORMAT {
            return Err(Error::GraphFormat { found: file.format, expected: GRAPH_FORMAT });
        }
        let mut graph = Self::new();
        for state in file.states {
            graph.add_state(state);
        }
        for transition in file.transitions {
            graph.add_transition(transition)?;
        }
        Ok(graph)
    }
}

impl StateGraph {
    /// The graph as indented JSON, the same bytes for the same graph.
    ///
    /// # Errors
    ///
    /// [`Error::GraphJson`] where serialisation fails, which it does not for any graph built by this crate.
    pub fn to_json(&self) -> Result<String, Error> {
        Ok(serde_json::to_string_pretty(self)?)
    }

    /// Reads what [`StateGraph::to_json`] wrote.
    ///
    /// # Errors
    ///
    /// [`Error::GraphJson`] for anything else, [`Error::GraphFormat`] for another [`GRAPH_FORMAT`], and
    /// [`Error::UnknownState`] for transitions between states that are not in it.
    pub fn from_json(json: &str) -> Result<Self, Error> {
        let file: File = serde_json::from_str(json)?;
        file.try_into()
    }
}
