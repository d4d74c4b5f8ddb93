//! What was tried, what it brought, and how to get where something is left to try.

use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};

use std::hash::Hasher;

use super::Fnv;
use super::candidates::Candidate;

/// Name of the action that begins again at the first page. It leads there from everywhere.
pub(crate) const RESTART: &str = "restart";

/// Family of the actions that only let time pass.
pub(crate) const WAIT: &str = "wait";

/// What is known of one action, or of all actions of one kind.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Record {
    /// How often it was done.
    pub(crate) tries: u32,
    /// Times in a row that it brought nothing.
    pub(crate) dry: u32,
    /// Times in a row that it did not even change the page.
    pub(crate) idle: u32,
    /// Times in a row that it could not be carried out.
    pub(crate) failed: u32,
    /// Times that it led out of the app's own code.
    pub(crate) astray: u32,
    /// Times that the page did not come back from it.
    pub(crate) hung: u32,
    /// Whether the picture, though not what can be done, was another the last time: a game went on.
    pub(crate) deeper: bool,
}

impl Record {
    fn note(&mut self, happened: Happened) {
        self.tries += 1;
        self.dry = if happened.gain > 0 { 0 } else { self.dry + 1 };
        self.idle = if happened.changed { 0 } else { self.idle + 1 };
        self.failed = if happened.done { 0 } else { self.failed + 1 };
        self.hung += u32::from(happened.hung);
        self.deeper = happened.deeper;
    }
}

/// What an action did.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Happened {
    /// Newly covered statements.
    pub(crate) gain: u32,
    /// Whether the page changed.
    pub(crate) changed: bool,
    /// Whether it could be carried out.
    pub(crate) done: bool,
    /// Whether the page hung or was lost over it.
    pub(crate) hung: bool,
    /// Whether a canvas shows another picture, though the same can be done as before.
    pub(crate) deeper: bool,
}

/// What an action is judged by, without the action itself.
#[derive(Clone, Debug)]
struct Choice {
    id: String,
    family: String,
    prior: f64,
    fade: f64,
}

#[derive(Clone, Debug, Default)]
struct State {
    choices: Vec<Choice>,
    moves: bool,
}

/// What an action came to in one state.
#[derive(Clone, Copy, Debug, Default)]
struct Here {
    tries: u32,
    /// Times in a row that it could not be carried out, such as under an open dialog.
    failed: u32,
}

/// Everything learnt so far.
#[derive(Debug, Default)]
pub(crate) struct Memory {
    actions: HashMap<String, Record>,
    families: HashMap<String, Record>,
    /// What each action came to in each state, by the name of both.
    here: HashMap<u64, Here>,
    states: BTreeMap<u64, State>,
    foreign: BTreeSet<u64>,
    edges: BTreeMap<u64, BTreeMap<String, u64>>,
    start: Option<u64>,
    /// How often a way to a state did not get there.
    missed: BTreeMap<u64, u32>,
}

/// One name for an action in a state.
fn name_of(state: u64, id: &str) -> u64 {
    let mut hasher = Fnv::default();
    hasher.write(&state.to_le_bytes());
    hasher.write(id.as_bytes());
    hasher.finish()
}

fn power(base: f64, exponent: u32) -> f64 {
    base.powi(i32::try_from(exponent.min(60)).unwrap_or(60))
}

impl Memory {
    pub(crate) fn action(&self, id: &str) -> Record {
        self.actions.get(id).copied().unwrap_or_default()
    }

    pub(crate) fn note(&mut self, state: u64, id: &str, family: &str, happened: Happened) {
        self.actions.entry(id.to_owned()).or_default().note(happened);
        self.families.entry(family.to_owned()).or_default().note(happened);
        let here = self.here.entry(name_of(state, id)).or_default();
        here.tries += 1;
        here.failed = if happened.done { 0 } else { here.failed + 1 };
    }

    /// An action that led out of the app's own code: it will hardly be worth doing again.
    pub(crate) fn leads_astray(&mut self, id: &str, to: u64) {
        self.actions.entry(id.to_owned()).or_default().astray += 1;
        self.foreign.insert(to);
    }

    /// Takes in what can be done in a state, and tells whether the state is new.
    pub(crate) fn see(&mut self, state: u64, list: &[Candidate], moves: bool) -> bool {
        self.start.get_or_insert(state);
        let choice = |candidate: &Candidate| Choice {
            id: candidate.id.clone(),
            family: candidate.family.clone(),
            prior: candidate.prior,
            fade: candidate.fade,
        };
        let choices = list.iter().filter(|candidate| candidate.prior > 0.0).map(choice).collect();
        self.states.insert(state, State { choices, moves }).is_none()
    }

    pub(crate) fn lead(&mut self, from: u64, id: &str, to: u64) {
        self.edges.entry(from).or_default().insert(id.to_owned(), to);
    }

    /// How much an action promises in a state.
    pub(crate) fn promise(&self, state: u64, candidate: &Candidate, moves: bool) -> f64 {
        self.value(state, &candidate.id, &candidate.family, candidate.prior, candidate.fade, moves)
    }

    fn value(&self, state: u64, id: &str, family: &str, prior: f64, fade: f64, moves: bool) -> f64 {
        let action = self.action(id);
        // A page that does not come back costs a whole time limit and a new browser: once is enough to know.
        if action.hung > 0 {
            return 0.0;
        }
        let here = self.here.get(&name_of(state, id)).copied().unwrap_or_default();
        if here.failed > 0 {
            return prior * 0.15 * power(0.3, here.failed);
        }
        if action.astray > 0 {
            return prior * 0.015 * power(0.3, action.astray);
        }
        // What was in the way in other states need not be in the way here.
        if action.failed > 0 {
            return prior * power(0.75, action.failed);
        }
        if action.tries == 0 {
            let family = self.families.get(family).copied().unwrap_or_default();
            return prior * power(fade, family.dry).max(0.08);
        }
        if here.tries == 0 {
            // What has changed nothing elsewhere will hardly do so here.
            return prior * 0.5 * power(0.8, action.dry) * power(0.7, action.idle.min(6));
        }
        // A page that moves by itself is never the same again, so what was done once may well bring more.
        let tire = if family == WAIT {
            0.6
        } else if moves || action.deeper {
            0.88
        } else {
            0.45
        };
        let learnt = if action.dry == 0 { 0.8 } else { 0.35 };
        prior * learnt * power(tire, action.dry + action.idle.min(3)) * power(0.96, action.tries)
    }

    /// A way that was taken to a state has led elsewhere: what is dealt anew each time is never the same again.
    pub(crate) fn miss(&mut self, state: u64) {
        *self.missed.entry(state).or_default() += 1;
    }

    /// The state where most is promised, the actions that lead there from `from`, and how much it is, each action on the way
    /// taking something off, and so each time that the state was missed.
    pub(crate) fn way(&self, from: u64) -> Option<(u64, Vec<String>, f64)> {
        let mut came: BTreeMap<u64, (u64, String)> = BTreeMap::new();
        let mut queue = VecDeque::from([(from, 0_u32)]);
        if let Some(start) = self.start.filter(|start| *start != from) {
            came.insert(start, (from, RESTART.to_owned()));
            queue.push_back((start, 1));
        }
        let mut best: Option<(u64, f64)> = None;
        while let Some((state, steps)) = queue.pop_front() {
            if state != from && !self.foreign.contains(&state) {
                let missed = self.missed.get(&state).copied().unwrap_or_default();
                let worth = self.most(state) * power(0.8, steps) * power(0.3, missed);
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
        let (aim, worth) = best?;
        let mut at = aim;
        let mut way = Vec::new();
        while at != from {
            let (before, id) = came.get(&at)?;
            way.push(id.clone());
            at = *before;
        }
        way.reverse();
        Some((aim, way, worth))
    }

    /// The most that anything promises in a state, as it was last seen.
    fn most(&self, state: u64) -> f64 {
        let Some(known) = self.states.get(&state) else { return 0.0 };
        let value =
            |choice: &Choice| self.value(state, &choice.id, &choice.family, choice.prior, choice.fade, known.moves);
        known.choices.iter().map(value).fold(0.0, f64::max)
    }
}
