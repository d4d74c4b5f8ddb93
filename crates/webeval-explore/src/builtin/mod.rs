//! The built-in tester: model-based, guided by coverage, seeded, without any model of language.

mod candidates;
mod editors;
mod forms;
mod hints;
mod memory;
mod play;
mod random;
mod summary;
mod values;

use std::collections::{BTreeSet, HashSet, VecDeque};
use std::hash::Hasher;

use webeval_browser::Observation;
use webeval_evidence::{Action, ActionKind, Count, CoverageCounts, Effect, OutcomeStatus, Summary, Target};

use self::candidates::{Candidate, candidates};
use self::editors::Editors;
use self::hints::Advice;
use self::memory::{Happened, Memory};
pub use self::random::RandomTester;
pub(crate) use self::summary::Seen;
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
    /// Whether the plan is to fill a form in and send it.
    filling: bool,
    /// The state that the plan leads to, where it is a way.
    aim: Option<u64>,
    last: Option<Done>,
    entry: Option<String>,
    undone: HashSet<String>,
    /// Addresses seen, without query and fragment.
    places: BTreeSet<String>,
    advice: Advice,
    editors: Editors,
    /// Steps in a row that brought neither coverage nor a state not seen before.
    stale: u32,
    /// How often a timer was waited for with nothing else left to try.
    waited: u32,
    seen: Seen,
}

/// Most times that a timer is waited for with nothing else left to try; each takes up to twelve seconds.
const MOST_WAITS: u32 = 10;

/// What was chosen last.
#[derive(Debug)]
struct Done {
    state: u64,
    id: String,
    family: String,
    target: Option<Target>,
}

impl BuiltIn {
    /// A tester that knows nothing yet.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        Self {
            random: Random::new(seed),
            memory: Memory::default(),
            plan: VecDeque::new(),
            filling: false,
            aim: None,
            last: None,
            entry: None,
            undone: HashSet::new(),
            places: BTreeSet::new(),
            advice: Advice::default(),
            editors: Editors::default(),
            stale: 0,
            waited: 0,
            seen: Seen::default(),
        }
    }

    fn choose(&mut self, situation: Situation<'_>) -> Decision {
        let page = situation.page;
        if page.dialog.is_some() {
            let action = Action {
                kind: ActionKind::AnswerDialog { accept: self.random.below(2) == 0, text: None },
                target: None,
            };
            return Decision { action, reason: Some("a dialog is open".to_owned()) };
        }
        self.places.insert(page.url.split(['?', '#']).next().unwrap_or_default().to_owned());
        let entry = self.entry.get_or_insert_with(|| page.url.trim_start_matches("app:").to_owned()).clone();
        self.advice.hear(situation.hints);
        let mut list = candidates(page, &entry);
        for named in self.advice.keys() {
            match list.iter_mut().find(|candidate| candidate.id == named.id) {
                Some(known) => known.prior = named.prior,
                None => list.push(named),
            }
        }
        if situation.last.is_none_or(|last| !last.changed) {
            // Nothing goes on that could be played.
            list.retain(|candidate| candidate.family != play::ROUND);
        }
        if self.places.len() < 2 && !page.listeners.iter().any(|event| event == "popstate" || event == "hashchange") {
            // Before the first page there is only what the browser began with.
            list.retain(|candidate| candidate.action.kind != ActionKind::Back);
        }
        let state = fingerprint(page, &list);
        let family = self.last.as_ref().map(|last| last.family.clone());
        if let Some(back) = self.learn(&situation, state, &list) {
            return back;
        }
        if situation.plateau && !self.filling {
            // What was meant to be done has brought nothing: think again. A form brings nothing before it is sent.
            self.plan.clear();
            self.aim = None;
        }
        let chosen = match self.edited(&situation, family.as_deref(), &list).or_else(|| self.planned(&list)) {
            Some(planned) => Some(planned),
            None => {
                let best = self.best(state, &list, page.moves);
                let promise = best.as_ref().map_or(0.0, |(_, promise)| *promise);
                let whole = situation.coverage.map(is_whole);
                // For a while nothing new has come, and nothing promises any.
                let exhausted = promise < 0.02 && self.stale >= 30;
                let uncovered = whole == Some(false) && best.is_some();
                if (whole == Some(true) && promise < 0.3 && self.stale >= 5) || (exhausted && !uncovered) {
                    return Decision { action: Action { kind: ActionKind::Finish, target: None }, reason: None };
                }
                if exhausted { self.any(&list) } else { best.map(|(candidate, _)| candidate) }
            }
        };
        let Some(candidate) = chosen else {
            let action = Action { kind: ActionKind::Wait { ms: 500 }, target: None };
            return Decision { action, reason: Some("nothing can be done here".to_owned()) };
        };
        if !candidate.then.is_empty() {
            self.plan.extend(candidate.then.iter().cloned());
            self.filling = true;
        } else if self.plan.is_empty() {
            self.filling = false;
        }
        self.advice.follow(&candidate);
        let target = candidate.action.target.clone();
        self.last = Some(Done { state, id: candidate.id, family: candidate.family, target });
        Decision { action: candidate.action, reason: Some(candidate.reason) }
    }

    /// Takes in what the last action did. Where it led out of the app's own code, the way back is the next thing to do.
    fn learn(&mut self, situation: &Situation<'_>, state: u64, list: &[Candidate]) -> Option<Decision> {
        let page = situation.page;
        self.seen.page(page);
        let feedback = situation.last?;
        self.seen.step(feedback, page);
        let done = self.last.take();
        let navigated = feedback.outcome.effects.iter().any(|effect| matches!(effect, Effect::Navigated { .. }));
        if let (true, false, Some(done)) = (navigated, feedback.ran, &done) {
            self.memory.leads_astray(&done.id, state);
            self.plan.clear();
            let action = Action { kind: ActionKind::Back, target: None };
            return Some(Decision { action, reason: Some("nothing of the app's own runs there".to_owned()) });
        }
        let fresh = self.memory.see(state, list, page.moves);
        self.stale = if fresh || feedback.gain > 0 { 0 } else { self.stale + 1 };
        let done = done?;
        let hung = matches!(feedback.outcome.status, OutcomeStatus::TimedOut | OutcomeStatus::Crashed);
        let carried_out = hung || feedback.outcome.status == OutcomeStatus::Performed;
        let canvas = page.nodes.iter().any(|node| node.role == "canvas");
        let deeper = canvas && feedback.changed && done.state == state;
        let happened = Happened { gain: feedback.gain, changed: feedback.changed, done: carried_out, hung, deeper };
        // A game that stands still is not played on, and the round may be played another time.
        let stands = done.family == play::ROUND && !feedback.changed;
        if !stands {
            self.memory.note(done.state, &done.id, &done.family, happened);
        }
        if !carried_out || stands {
            self.plan.clear();
        }
        if self.aim == Some(state) {
            self.aim = None;
        } else if self.plan.is_empty()
            && let Some(missed) = self.aim.take()
        {
            self.memory.miss(missed);
        }
        if done.state != state {
            self.memory.lead(done.state, &done.id, state);
        }
        self.undo_toggle(&done, page);
        None
    }

    /// A control whose name changed when it was used (Pause, Resume) is used once more, so that it is as it was.
    fn undo_toggle(&mut self, done: &Done, page: &Observation) {
        let Some(target) = done.target.as_ref().filter(|_| done.id.starts_with("click")) else { return };
        let now =
            page.nodes.iter().find(|node| node.is_actionable() && node.selector.as_deref() == Some(&target.selector));
        let Some(now) =
            now.filter(|node| node.role == target.role && node.name != target.name && !node.name.is_empty())
        else {
            return;
        };
        if !target.name.is_empty() && self.undone.insert(target.selector.clone()) {
            self.plan.push_front(format!("click {}", candidates::control(now)));
        }
    }

    /// What an editor that has opened, or can be opened again, asks for.
    fn edited(&mut self, situation: &Situation<'_>, last: Option<&str>, list: &[Candidate]) -> Option<Candidate> {
        let feedback = situation.last.filter(|_| !self.filling);
        let next = self.editors.next(situation.page, feedback, last);
        if next.is_some() {
            self.plan.clear();
            self.aim = None;
            return next;
        }
        if self.plan.is_empty() { self.editors.again(list) } else { None }
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

    /// Any action at all: where single actions have nothing left to give and there is code that has not run, an order in
    /// which they were not tried may.
    fn any(&mut self, list: &[Candidate]) -> Option<Candidate> {
        // What a page does by itself after a while, as pictures that change, may come to an end that was not seen yet.
        let timer = list.iter().find(|candidate| candidate.family == play::TIMER);
        if let Some(timer) = timer.filter(|_| self.waited < MOST_WAITS && self.random.below(2) == 0) {
            self.waited += 1;
            return Some(timer.clone());
        }
        let able: Vec<&Candidate> = list.iter().filter(|candidate| candidate.prior > 0.0).collect();
        let chosen = able.get(self.random.below(able.len() as u64) as usize)?;
        let reason = format!("nothing promises more, by chance: {}", chosen.reason);
        Some(Candidate { reason, ..(*chosen).clone() })
    }

    /// The most promising action, and how much it promises.
    fn best(&mut self, state: u64, list: &[Candidate], moves: bool) -> Option<(Candidate, f64)> {
        // A little chance, so that equals are not always taken in document order; more where a game is played.
        let chance = if moves { 0.3 } else { 0.05 };
        let mut best: Option<(&Candidate, f64)> = None;
        for candidate in list.iter().filter(|candidate| candidate.prior > 0.0) {
            let chance = 1.0 + chance * self.random.unit();
            let promise = self.memory.promise(state, candidate, moves) * self.advice.favour(candidate) * chance;
            if promise > best.map_or(0.0, |(_, known)| known) {
                best = Some((candidate, promise));
            }
        }
        let here = best.map_or(0.0, |(_, promise)| promise);
        if let Some((aim, way, worth)) = self.memory.way(state).filter(|(_, _, worth)| *worth > here * 1.4) {
            self.plan = way.into();
            self.aim = Some(aim);
            if let Some(first) = self.planned(list) {
                let reason = format!("on the way to what is left to try: {}", first.reason);
                return Some((Candidate { reason, ..first }, worth));
            }
        }
        best.map(|(candidate, promise)| (candidate.clone(), promise))
    }
}

impl Tester for BuiltIn {
    fn name(&self) -> String {
        "built-in".to_owned()
    }

    fn decide<'a>(&'a mut self, situation: Situation<'a>) -> Waiting<'a, Result<Decision, Error>> {
        ready(self.choose(situation))
    }

    fn summarize<'a>(&'a mut self, last: Situation<'a>) -> Waiting<'a, Result<Summary, Error>> {
        ready(self.seen.close(last, self.name()))
    }
}

/// Whether all code has run.
fn is_whole(coverage: CoverageCounts) -> bool {
    let full = |count: Count| count.covered >= count.total;
    full(coverage.statements) && full(coverage.functions) && full(coverage.branches)
}

/// What is known without waiting.
fn ready<'a, T: Send + 'a>(value: T) -> Waiting<'a, Result<T, Error>> {
    Box::pin(std::future::ready(Ok(value)))
}

/// Hashes of the canvases' pixels, as the snapshot has them.
fn pictures(page: &Observation) -> impl Iterator<Item = &str> {
    let html = page.html.as_deref().unwrap_or_default();
    html.split("data-webeval-canvas=\"").skip(1).filter_map(|rest| rest.split('"').next())
}

/// A state by what can be done in it and what it says, figures left out.
fn fingerprint(page: &Observation, list: &[Candidate]) -> u64 {
    // What slides in or out of sight, where nobody can scroll, makes another state too.
    let (width, height) = (f64::from(page.viewport.0), f64::from(page.viewport.1));
    let out_of_reach = |candidate: &Candidate| {
        let center = candidate.action.target.as_ref().and_then(|target| target.rect).map(|rect| rect.center());
        center.is_some_and(|at| {
            let beside = page.scroll.max_x <= 0.0 && (at.x < 0.0 || at.x >= width);
            beside || (page.scroll.max_y <= 0.0 && (at.y < 0.0 || at.y >= height))
        })
    };
    let part = |candidate: &Candidate| {
        if out_of_reach(candidate) { format!("out {}", candidate.family) } else { candidate.family.clone() }
    };
    // Whether a page moves is a matter of the moment, and so is whether it can be played on.
    let mut parts: BTreeSet<String> =
        list.iter().filter(|candidate| candidate.family != play::ROUND).map(part).collect();
    let within_list = |mut index: usize| loop {
        let node = &page.nodes[index];
        if matches!(node.role.as_str(), "listitem" | "row" | "cell" | "option" | "gridcell") {
            return true;
        }
        match node.parent {
            Some(parent) if parent < index => index = parent,
            _ => return false,
        }
    };
    for (index, node) in
        page.nodes.iter().enumerate().filter(|(_, node)| !node.text.is_empty() && node.text.len() <= 80).take(60)
    {
        if !within_list(index) {
            parts.insert(node.text.chars().filter(|c| !c.is_numeric()).collect());
        }
    }
    if !page.moves {
        // A canvas that stands still is a state by its picture; one that moves by itself would be a new one every time.
        parts.extend(pictures(page).map(str::to_owned));
    }
    let mut hasher = Fnv::default();
    hasher.write(page.url.split(['?']).next().unwrap_or_default().as_bytes());
    for part in parts {
        hasher.write(part.as_bytes());
        hasher.write(&[0]);
    }
    hasher.finish()
}

/// The standard library's hasher may change between its versions; traces must not.
pub(crate) struct Fnv(u64);

impl Default for Fnv {
    fn default() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }
}

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
