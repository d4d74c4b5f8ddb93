//! What was tried, what it brought, and how to get where something is left to try.

use std::collections::{BTreeMap, HashMap, VecDeque};

/// What is known of one action, or of all actions of one kind.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Record {
    /// How often it was done.
    pub(crate) tries: u32,
    /// Newly covered statements in all.
    pub(crate) gain: u32,
    /// Times in a row that it brought nothing.
    pub(crate) dry: u32,
    /// Times in a row that it did not even change the page.
    pub(crate) idle: u32,
    /// Times in a row that it could not be carried out.
    pub(crate) failed: u32,
}

impl Record {
    pub(crate) fn note(&mut self, gain: u32, changed: bool, done: bool) {
        self.tries += 1;
        self.gain += gain;
        self.dry = if gain > 0 { 0 } else { self.dry + 1 };
        self.idle = if changed { 0 } else { self.idle + 1 };
        self.failed = if done { 0 } else { self.failed + 1 };
    }
}

/// What can be done in a state, as far as it has to be known from elsewhere.
#[derive(Clone, Debug)]
pub(crate) struct Choice {
    pub(crate) id: String,
    pub(crate) family: String,
    pub(crate) prior: f64,
}

/// Everything learnt so far.
#[derive(Debug, Default)]
pub(crate) struct Memory {
    actions: HashMap<String, Record>,
    families: HashMap<String, Record>,
    states: BTreeMap<u64, Vec<Choice>>,
    edges: BTreeMap<u64, BTreeMap<String, u64>>,
}

impl Memory {
    pub(crate) fn action(&self, id: &str) -> Record {
        self.actions.get(id).copied().unwrap_or_default()
    }

    pub(crate) fn family(&self, family: &str) -> Record {
        self.families.get(family).copied().unwrap_or_default()
    }

    pub(crate) fn note(&mut self, id: &str, family: &str, gain: u32, changed: bool, done: bool) {
        self.actions.entry(id.to_owned()).or_default().note(gain, changed, done);
        self.families.entry(family.to_owned()).or_default().note(gain, changed, done);
    }

    pub(crate) fn see(&mut self, state: u64, options: Vec<Choice>) {
        self.states.insert(state, options);
    }

    pub(crate) fn lead(&mut self, from: u64, id: &str, to: u64) {
        self.edges.entry(from).or_default().insert(id.to_owned(), to);
    }

    /// How much an action promises.
    pub(crate) fn promise(&self, id: &str, family: &str, prior: f64) -> f64 {
        let (action, family) = (self.action(id), self.family(family));
        if action.failed > 0 {
            return prior * 0.1 * 0.3_f64.powi(i32::try_from(action.failed).unwrap_or(i32::MAX));
        }
        if action.tries == 0 {
            return prior * 0.75_f64.powi(i32::try_from(family.dry.min(40)).unwrap_or(40));
        }
        let tired = 0.45_f64.powi(i32::try_from((action.dry + action.idle).min(40)).unwrap_or(40));
        let learnt = if action.dry == 0 { 0.9 } else { 0.3 };
        prior * learnt * tired * 0.93_f64.powi(i32::try_from(action.tries.min(60)).unwrap_or(60))
    }

    /// Actions that lead from `from` to the state where most is promised, and how much that is, each action on the way
    /// taking something off.
    pub(crate) fn way(&self, from: u64) -> Option<(Vec<String>, f64)> {
        let mut came: BTreeMap<u64, (u64, String)> = BTreeMap::new();
        let mut queue = VecDeque::from([(from, 0_i32)]);
        let mut best: Option<(u64, f64)> = None;
        while let Some((state, steps)) = queue.pop_front() {
            if state != from {
                let here = self.states.get(&state).into_iter().flatten();
                let promise =
                    here.map(|option| self.promise(&option.id, &option.family, option.prior)).fold(0.0, f64::max);
                let worth = promise * 0.8_f64.powi(steps);
                if best.is_none_or(|(_, known)| worth > known) {
                    best = Some((state, worth));
                }
            }
            if steps >= 6 {
                continue;
            }
            for (id, to) in self.edges.get(&state).into_iter().flatten() {
                if *to != from && !came.contains_key(to) {
                    came.insert(*to, (state, id.clone()));
                    queue.push_back((*to, steps + 1));
                }
            }
        }
        let (mut at, worth) = best?;
        let mut way = Vec::new();
        while at != from {
            let (before, id) = came.get(&at)?;
            way.push(id.clone());
            at = *before;
        }
        way.reverse();
        Some((way, worth))
    }
}
