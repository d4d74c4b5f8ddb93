//! A graph seen at one level: states that are equal there are one.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use super::{State, StateGraph, Transition};
use crate::{Level, StateId};

/// A group of states that are equal at the view's level.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ViewState {
    /// The id at the view's level.
    pub id: StateId,
    /// The exact states in the group, first seen first. The first one stands for the group in evidence.
    pub members: Vec<StateId>,
    /// Observations of all members.
    pub visits: u64,
    /// When the group was first seen.
    pub first_step: u64,
    /// Title of the first member.
    pub title: String,
    /// Address of the first member.
    pub url: String,
    /// Screenshot of the first member.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub screenshot: Option<String>,
    /// Stored page of the first member.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub snapshot: Option<String>,
    /// Seen first of all.
    pub entry: bool,
    /// No action was seen to lead out of it.
    pub dead_end: bool,
    /// No sequence of seen actions leads back to the entry.
    pub without_return: bool,
}

/// An action between two groups, with its repetitions between any of their members.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ViewTransition {
    /// Group before the action.
    pub from: StateId,
    /// Group after it.
    pub to: StateId,
    /// What was done.
    pub action: String,
    /// How often.
    pub count: u64,
    /// How often it failed.
    pub failed: u64,
    /// Statements covered for the first time by it, summed.
    pub gain: u64,
}

/// A [`StateGraph`] at one level.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct GraphView {
    /// The level.
    pub level: Level,
    /// Groups, first seen first.
    pub states: Vec<ViewState>,
    /// Transitions, ordered as the groups before, the groups after, and by action.
    pub transitions: Vec<ViewTransition>,
}

/// Most states that a reader can still take in.
pub const READABLE_STATES: usize = 60;

impl StateGraph {
    /// The graph at the finest level that has at most [`READABLE_STATES`] states; at the coarsest where none has. Whoever
    /// names states `S1`, `S2`, … by their place in this view means the same ones.
    #[must_use]
    pub fn readable(&self) -> GraphView {
        let mut views = Level::ALL.into_iter().map(|level| self.view(level));
        views.find(|view| view.states.len() <= READABLE_STATES).unwrap_or_else(|| self.view(Level::Structure))
    }

    /// The graph with states grouped that are equal at `level`. At [`Level::Exact`] every state is its own group.
    #[must_use]
    pub fn view(&self, level: Level) -> GraphView {
        let grouped = self.grouped(level);
        let dead_ends: BTreeSet<StateId> = grouped.dead_ends().into_iter().collect();
        let without_return: BTreeSet<StateId> = grouped.without_return().into_iter().collect();
        let entry = grouped.entry();
        let mut members: BTreeMap<StateId, Vec<StateId>> = BTreeMap::new();
        for state in self.states() {
            members.entry(state.first.identity.at(level)).or_default().push(state.first.identity.level0);
        }
        let states: Vec<ViewState> = grouped
            .states()
            .into_iter()
            .map(|state| {
                let id = state.first.identity.level0;
                ViewState {
                    id,
                    members: members.remove(&id).unwrap_or_default(),
                    visits: state.visits,
                    first_step: state.first.step,
                    title: state.first.title.clone(),
                    url: state.first.url.clone(),
                    screenshot: state.first.screenshot.clone(),
                    snapshot: state.first.snapshot.clone(),
                    entry: entry == Some(id),
                    dead_end: dead_ends.contains(&id),
                    without_return: without_return.contains(&id),
                }
            })
            .collect();
        let place: BTreeMap<StateId, usize> = states.iter().enumerate().map(|(i, state)| (state.id, i)).collect();
        let mut transitions: Vec<ViewTransition> = grouped.transitions().into_iter().map(ViewTransition::of).collect();
        transitions.sort_by(|a, b| {
            let key = |t: &ViewTransition| (place.get(&t.from).copied(), place.get(&t.to).copied());
            key(a).cmp(&key(b)).then_with(|| a.action.cmp(&b.action))
        });
        GraphView { level, states, transitions }
    }

    /// The graph whose states are the groups of `level`, with that id at every level.
    fn grouped(&self, level: Level) -> Self {
        let mut grouped = Self::new();
        let group = |state: &State| state.first.identity.at(level);
        for state in self.states() {
            let id = group(state);
            let mut state = state.clone();
            state.first.identity = crate::Identity { level0: id, level1: id, level2: id };
            grouped.add_state(state);
        }
        for transition in self.graph.edge_weights() {
            let ends = (self.state(transition.from).map(group), self.state(transition.to).map(group));
            if let (Some(from), Some(to)) = ends {
                // Both groups were added above.
                let _ = grouped.add_transition(Transition { from, to, ..transition.clone() });
            }
        }
        grouped
    }
}

impl ViewTransition {
    fn of(transition: &Transition) -> Self {
        let Transition { from, to, action, count, failed, gain } = transition.clone();
        Self { from, to, action, count, failed, gain }
    }
}
