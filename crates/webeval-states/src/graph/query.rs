//! Questions to a graph.

use std::cmp::Reverse;

use petgraph::Direction;
use petgraph::graph::NodeIndex;
use petgraph::visit::{Dfs, EdgeRef, Reversed};
use rustc_hash::FxHashMap;

use super::{State, StateGraph, Transition};
use crate::{Level, StateId};

impl StateGraph {
    /// All states, in the order in which they were first seen.
    #[must_use]
    pub fn states(&self) -> Vec<&State> {
        let mut states: Vec<_> = self.graph.node_weights().collect();
        states.sort_by_key(|state| (state.first.step, state.first.identity));
        states
    }

    /// All transitions, ordered by state before, state after, and action.
    #[must_use]
    pub fn transitions(&self) -> Vec<&Transition> {
        let mut transitions: Vec<_> = self.graph.edge_weights().collect();
        transitions.sort_by_key(|t| t.key());
        transitions
    }

    /// One state.
    #[must_use]
    pub fn state(&self, id: StateId) -> Option<&State> {
        self.nodes.get(&id).and_then(|&index| self.graph.node_weight(index))
    }

    /// The state that was seen first.
    #[must_use]
    pub fn entry(&self) -> Option<StateId> {
        self.graph.node_weights().min_by_key(|s| (s.first.step, s.first.identity)).map(|s| s.first.identity.level0)
    }

    /// Transitions that start in `id`, ordered by state after and action.
    #[must_use]
    pub fn leaving(&self, id: StateId) -> Vec<&Transition> {
        self.touching(id, Direction::Outgoing)
    }

    /// Transitions that end in `id`, ordered by state before and action.
    #[must_use]
    pub fn entering(&self, id: StateId) -> Vec<&Transition> {
        self.touching(id, Direction::Incoming)
    }

    fn touching(&self, id: StateId, direction: Direction) -> Vec<&Transition> {
        let Some(&index) = self.nodes.get(&id) else {
            return Vec::new();
        };
        let mut found: Vec<_> = self.graph.edges_directed(index, direction).map(|edge| edge.weight()).collect();
        found.sort_by_key(|t| t.key());
        found
    }

    /// Transitions that failed at least once, most failures first.
    #[must_use]
    pub fn failed(&self) -> Vec<&Transition> {
        let mut failed: Vec<_> = self.graph.edge_weights().filter(|t| t.failed > 0).collect();
        failed.sort_by_key(|t| (Reverse(t.failed), t.key()));
        failed
    }

    /// Transitions after which the page had another structure, another content, or only another exact form.
    #[must_use]
    pub fn changed_at(&self, transition: &Transition) -> Option<Level> {
        let from = self.state(transition.from)?.first.identity;
        let to = self.state(transition.to)?.first.identity;
        Level::ALL.into_iter().rev().find(|&level| from.at(level) != to.at(level))
    }

    /// A shortest sequence of transitions from the entry to `id`: empty for the entry, `None` where there is none.
    #[must_use]
    pub fn path_to(&self, id: StateId) -> Option<Vec<&Transition>> {
        let start = *self.nodes.get(&self.entry()?)?;
        let goal = *self.nodes.get(&id)?;
        let mut reached: FxHashMap<NodeIndex, Option<&Transition>> = FxHashMap::default();
        reached.insert(start, None);
        let mut front = vec![start];
        while !front.is_empty() && !reached.contains_key(&goal) {
            // Ordered, so that of several shortest paths the same is found whatever was added first.
            let mut edges: Vec<_> = front.iter().flat_map(|&node| self.graph.edges(node)).collect();
            edges.sort_by_key(|edge| edge.weight().key());
            front.clear();
            for edge in edges {
                if let std::collections::hash_map::Entry::Vacant(entry) = reached.entry(edge.target()) {
                    entry.insert(Some(edge.weight()));
                    front.push(edge.target());
                }
            }
        }
        let mut path = Vec::new();
        let mut at = goal;
        while let Some(transition) = *reached.get(&at)? {
            path.push(transition);
            at = *self.nodes.get(&transition.from)?;
        }
        path.reverse();
        Some(path)
    }

    /// States that no action was seen to leave, in the order in which they were first seen.
    #[must_use]
    pub fn dead_ends(&self) -> Vec<StateId> {
        self.ids_where(|index| self.graph.neighbors(index).all(|next| next == index))
    }

    /// States from which no sequence of seen actions leads back to the entry, in the order in which they were first
    /// seen.
    #[must_use]
    pub fn without_return(&self) -> Vec<StateId> {
        let Some(entry) = self.entry().and_then(|id| self.nodes.get(&id)) else {
            return Vec::new();
        };
        let reversed = Reversed(&self.graph);
        let mut search = Dfs::new(reversed, *entry);
        let mut returns = vec![false; self.graph.node_count()];
        while let Some(node) = search.next(reversed) {
            returns[node.index()] = true;
        }
        self.ids_where(|index| !returns[index.index()])
    }

    fn ids_where(&self, keep: impl Fn(NodeIndex) -> bool) -> Vec<StateId> {
        let mut found: Vec<_> =
            self.graph.node_indices().filter(|&i| keep(i)).filter_map(|i| self.graph.node_weight(i)).collect();
        found.sort_by_key(|state| (state.first.step, state.first.identity));
        found.into_iter().map(|state| state.first.identity.level0).collect()
    }
}

impl Transition {
    pub(super) fn key(&self) -> (StateId, StateId, &str) {
        (self.from, self.to, &self.action)
    }
}
