//! The graph of an application's states and of the actions that lead from one to another.

mod batch;
mod export;
mod file;
mod overview;
mod query;
mod view;

use petgraph::graph::{DiGraph, EdgeIndex, NodeIndex};
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

use crate::{Error, Identity, StateId};

pub use batch::Snapshot;
pub use file::GRAPH_FORMAT;
pub use view::{GraphView, READABLE_STATES, ViewState, ViewTransition};

/// One look at the application: what it was identified as, when, and where the evidence is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Observation {
    /// Ids of the page at all levels.
    pub identity: Identity,
    /// When it was seen, as a number that grows along the exploration. It makes the graph independent of the order
    /// in which observations are fed in: the first one of a state is the one with the least step.
    pub step: u64,
    /// Title of the document.
    #[serde(default)]
    pub title: String,
    /// Address of the document.
    #[serde(default)]
    pub url: String,
    /// Reference to a screenshot, in whatever form the caller keeps them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub screenshot: Option<String>,
    /// Reference to the stored page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub snapshot: Option<String>,
}

impl Observation {
    /// An observation with no evidence attached.
    #[must_use]
    pub fn new(identity: Identity, step: u64) -> Self {
        Self { identity, step, title: String::new(), url: String::new(), screenshot: None, snapshot: None }
    }
}

/// A state: all observations of pages with one exact normal form.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct State {
    /// The first observation, by step. Equal steps are decided by the fields' order.
    #[serde(flatten)]
    pub first: Observation,
    /// How many observations there were.
    pub visits: u64,
}

/// How an action ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Outcome {
    /// The action was carried out, whether or not anything changed.
    Done,
    /// The action could not be carried out, or raised an error.
    Failed,
}

/// One action that led from one state to another, or back to the same, with all its repetitions.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Transition {
    /// State before the action.
    pub from: StateId,
    /// State after it.
    pub to: StateId,
    /// What was done, as the caller words it: `click button "Add"`.
    pub action: String,
    /// How often.
    pub count: u64,
    /// How often it failed.
    pub failed: u64,
    /// Statements covered for the first time by it, summed.
    pub gain: u64,
}

/// States and transitions of one application.
///
/// States are those of level 0; [`StateGraph::view`] groups them by a coarser level. Feeding the same observations
/// and transitions in any order gives the same graph, and the same bytes in every export.
///
/// ```
/// use webeval_states::{Level, Observation, Options, Outcome, StateGraph, identify};
///
/// let options = Options::default();
/// let mut graph = StateGraph::new();
/// let empty = graph.observe(Observation::new(identify("<ul></ul>", &options)?, 0));
/// let one = graph.observe(Observation::new(identify("<ul><li>milk</li></ul>", &options)?, 1));
/// graph.transition(empty, one, "type milk, press Enter", Outcome::Done, 12)?;
/// assert_eq!(graph.path_to(one).map(|path| path.len()), Some(1));
/// assert_eq!(graph.view(Level::Structure).states.len(), 2);
/// # Ok::<(), webeval_states::Error>(())
/// ```
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(into = "file::File", try_from = "file::File")]
pub struct StateGraph {
    graph: DiGraph<State, Transition>,
    nodes: FxHashMap<StateId, NodeIndex>,
    /// Transitions by state before, state after, and action.
    edges: FxHashMap<(NodeIndex, NodeIndex), FxHashMap<String, EdgeIndex>>,
}

impl StateGraph {
    /// A graph without states.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds an observation; the id of its state, which is what [`StateGraph::transition`] takes.
    pub fn observe(&mut self, observation: Observation) -> StateId {
        let id = observation.identity.level0;
        self.add_state(State { first: observation, visits: 1 });
        id
    }

    /// Adds `state`, or its visits to the state that is there already.
    fn add_state(&mut self, state: State) {
        let Some(&index) = self.nodes.get(&state.first.identity.level0) else {
            let id = state.first.identity.level0;
            let index = self.graph.add_node(state);
            self.nodes.insert(id, index);
            return;
        };
        if let Some(known) = self.graph.node_weight_mut(index) {
            known.visits = known.visits.saturating_add(state.visits);
            if state.first.rank() < known.first.rank() {
                known.first = state.first;
            }
        }
    }

    /// Adds an action that led from one state to another (or the same). `gain` is the number of statements that it
    /// covered for the first time.
    ///
    /// # Errors
    ///
    /// [`Error::UnknownState`] where a state was not observed before.
    pub fn transition(
        &mut self,
        from: StateId,
        to: StateId,
        action: &str,
        outcome: Outcome,
        gain: u64,
    ) -> Result<(), Error> {
        let failed = u64::from(outcome == Outcome::Failed);
        self.add_transition(Transition { from, to, action: action.to_owned(), count: 1, failed, gain })
    }

    fn add_transition(&mut self, transition: Transition) -> Result<(), Error> {
        let from = self.index(transition.from)?;
        let to = self.index(transition.to)?;
        let actions = self.edges.entry((from, to)).or_default();
        match actions.get(&transition.action).and_then(|&edge| self.graph.edge_weight_mut(edge)) {
            Some(known) => {
                known.count = known.count.saturating_add(transition.count);
                known.failed = known.failed.saturating_add(transition.failed);
                known.gain = known.gain.saturating_add(transition.gain);
            }
            None => {
                let action = transition.action.clone();
                actions.insert(action, self.graph.add_edge(from, to, transition));
            }
        }
        Ok(())
    }

    /// Adds everything that `other` holds.
    pub fn merge(&mut self, other: Self) {
        let (states, transitions) = other.graph.into_nodes_edges();
        for node in states {
            self.add_state(node.weight);
        }
        for edge in transitions {
            // Both ends were added above.
            let _ = self.add_transition(edge.weight);
        }
    }

    fn index(&self, id: StateId) -> Result<NodeIndex, Error> {
        self.nodes.get(&id).copied().ok_or(Error::UnknownState(id))
    }
}

impl Observation {
    /// What decides which of two observations of a state is the first.
    fn rank(&self) -> (u64, &str, &str, &Option<String>, &Option<String>, &Identity) {
        (self.step, &self.title, &self.url, &self.screenshot, &self.snapshot, &self.identity)
    }
}

impl PartialEq for StateGraph {
    /// Equal states and transitions, in whatever order they were added.
    fn eq(&self, other: &Self) -> bool {
        self.states() == other.states() && self.transitions() == other.transitions()
    }
}
