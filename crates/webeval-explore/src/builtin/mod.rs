//! The built-in tester: model-based, guided by coverage, seeded, without any model of language.

mod candidates;
mod memory;
mod summary;
mod values;

use std::collections::VecDeque;
use std::hash::Hasher;

use webeval_evidence::{Action, ActionKind, OutcomeStatus, Summary};

use self::candidates::{Candidate, candidates};
use self::memory::{Choice, Memory};
use self::summary::Seen;
use crate::Error;
use crate::tester::{Decision, Situation, Tester, Waiting};

/// The built-in tester. It finds what can be done on a page from the observation alone, prefers what has not been
/// tried and what has raised the coverage before, fills forms whole before it sends them, and goes back through the
/// states that it knows to where something is left to try. The same seed makes the same choices on the same pages.
#[derive(Debug)]
pub struct BuiltIn {
    random: Random,
    memory: Memory,
    plan: VecDeque<String>,
    last: Option<(u64, String, String)>,
    seen: Seen,
}

impl BuiltIn {
    /// A tester that knows nothing yet.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        Self {
            random: Random::new(seed),
            memory: Memory::default(),
            plan: VecDeque::new(),
            last: None,
            seen: Seen::default(),
        }
    }

    fn choose(&mut self, situation: Situation<'_>) -> Decision {
        let list = candidates(situation.page);
        let state = fingerprint(&situation, &list);
        self.learn(&situation, state, &list);
        if situation.page.dialog.is_some() {
            let action = Action {
                kind: ActionKind::AnswerDialog { accept: self.random.below(2) == 0, text: None },
                target: None,
            };
            return Decision { action, reason: Some("a dialog is open".to_owned()) };
        }
        if situation.plateau {
            // What was meant to be done has brought nothing: think again.
            self.plan.clear();
        }
        let chosen = self.planned(&list).or_else(|| self.best(state, &list));
        match chosen {
            Some(candidate) => {
                self.plan.extend(candidate.then.iter().cloned());
                self.last = Some((state, candidate.id, candidate.family));
                Decision { action: candidate.action, reason: Some(candidate.reason) }
            }
            None => {
                self.last = None;
                Decision {
                    action: Action { kind: ActionKind::Wait { ms: 500 }, target: None },
                    reason: Some("nothing can be done here".to_owned()),
                }
            }
        }
    }

    fn learn(&mut self, situation: &Situation<'_>, state: u64, list: &[Candidate]) {
        self.seen.page(situation.page);
        let known = |candidate: &Candidate| Choice {
            id: candidate.id.clone(),
            family: candidate.family.clone(),
            prior: candidate.prior,
        };
        self.memory.see(state, list.iter().filter(|candidate| candidate.prior > 0.0).map(known).collect());
        let Some(feedback) = situation.last else { return };
        self.seen.step(feedback, situation.page);
        let Some((from, id, family)) = self.last.take() else { return };
        let done = matches!(
            feedback.outcome.status,
            OutcomeStatus::Performed | OutcomeStatus::TimedOut | OutcomeStatus::Crashed
        );
        self.memory.note(&id, &family, feedback.gain, feedback.changed, done);
        if !done {
            self.plan.clear();
        }
        if from != state {
            self.memory.lead(from, &id, state);
        }
    }

    /// The next of what was planned that is still possible.
    fn planned(&mut self, list: &[Candidate]) -> Option<Candidate> {
        while let Some(id) = self.plan.pop_front() {
            if let Some(found) = list.iter().find(|candidate| candidate.id == id) {
                // A plan within a plan would never end.
                return Some(Candidate { then: Vec::new(), ..found.clone() });
            }
        }
        None
    }

    fn best(&mut self, state: u64, list: &[Candidate]) -> Option<Candidate> {
        let mut best: Option<(&Candidate, f64)> = None;
        for candidate in list.iter().filter(|candidate| candidate.prior > 0.0) {
            // A little chance, so that equals are not always taken in document order.
            let promise = self.memory.promise(&candidate.id, &candidate.family, candidate.prior)
                * (1.0 + 0.05 * self.random.unit());
            if best.is_none_or(|(_, known)| promise > known) {
                best = Some((candidate, promise));
            }
        }
        let here = best.map_or(0.0, |(_, promise)| promise);
        if let Some((way, worth)) = self.memory.way(state) {
            if worth > here * 1.3 {
                self.plan = way.into();
                if let Some(first) = self.planned(list) {
                    return Some(Candidate {
                        reason: format!("on the way to what is left to try: {}", first.reason),
                        ..first
                    });
                }
            }
        }
        best.map(|(candidate, _)| candidate.clone())
    }
}

impl Tester for BuiltIn {
    fn name(&self) -> String {
        "built-in".to_owned()
    }

    fn decide<'a>(&'a mut self, situation: Situation<'a>) -> Waiting<'a, Result<Decision, Error>> {
        let decision = self.choose(situation);
        Box::pin(async move { Ok(decision) })
    }

    fn summarize<'a>(&'a mut self, last: Situation<'a>) -> Waiting<'a, Result<Summary, Error>> {
        if let Some(feedback) = last.last {
            self.seen.step(feedback, last.page);
        }
        let summary = self.seen.summary(self.name());
        Box::pin(async move { Ok(summary) })
    }
}

/// A state by what can be done in it.
fn fingerprint(situation: &Situation<'_>, list: &[Candidate]) -> u64 {
    let mut ids: Vec<&str> = list.iter().map(|candidate| candidate.family.as_str()).collect();
    ids.sort_unstable();
    ids.dedup();
    let mut hasher = Fnv(0xcbf2_9ce4_8422_2325);
    hasher.write(situation.page.url.split(['?']).next().unwrap_or_default().as_bytes());
    for id in ids {
        hasher.write(id.as_bytes());
        hasher.write(&[0]);
    }
    hasher.finish()
}

/// The standard library's hasher may change between its versions; traces must not.
struct Fnv(u64);

impl Hasher for Fnv {
    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

/// SplitMix64: small, and the same everywhere.
#[derive(Debug)]
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `limit`.
    pub(crate) fn below(&mut self, limit: u64) -> u64 {
        if limit == 0 { 0 } else { self.next() % limit }
    }

    /// A number from 0 to below 1.
    #[expect(clippy::cast_precision_loss, reason = "53 bits are exact")]
    pub(crate) fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1_u64 << 53) as f64
    }
}
