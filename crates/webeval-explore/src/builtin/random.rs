//! A tester to compare with: it knows what can be done, and nothing else.

use webeval_evidence::{Action, ActionKind, Summary};

use super::candidates::candidates;
use super::play::ROUND;
use super::{Random, Seen, ready};
use crate::Error;
use crate::tester::{Decision, Situation, Tester, Waiting};

/// Chooses uniformly among everything that can be done on the page. It never ends by itself.
#[derive(Debug)]
pub struct RandomTester {
    random: Random,
    entry: Option<String>,
    seen: Seen,
}

impl RandomTester {
    /// A tester whose choices depend on the seed alone, on the same pages.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        Self { random: Random::new(seed), entry: None, seen: Seen::default() }
    }

    fn choose(&mut self, situation: Situation<'_>) -> Decision {
        let page = situation.page;
        self.seen.page(page);
        if let Some(feedback) = situation.last {
            self.seen.step(feedback, page);
        }
        let reason = Some("by chance".to_owned());
        if page.dialog.is_some() {
            let kind = ActionKind::AnswerDialog { accept: self.random.below(2) == 0, text: None };
            return Decision { action: Action { kind, target: None }, reason };
        }
        let entry = self.entry.get_or_insert_with(|| page.url.trim_start_matches("app:").to_owned());
        let mut list = candidates(page, entry);
        // A round is a plan, and chance has none.
        list.retain(|candidate| candidate.family != ROUND);
        let chosen = self.random.below(u64::try_from(list.len()).unwrap_or(u64::MAX));
        let chosen = usize::try_from(chosen).unwrap_or_default();
        let action = match chosen < list.len() {
            true => list.swap_remove(chosen).action,
            false => Action { kind: ActionKind::Wait { ms: 500 }, target: None },
        };
        Decision { action, reason }
    }
}

impl Tester for RandomTester {
    fn name(&self) -> String {
        "random".to_owned()
    }

    fn decide<'a>(&'a mut self, situation: Situation<'a>) -> Waiting<'a, Result<Decision, Error>> {
        ready(self.choose(situation))
    }

    fn summarize<'a>(&'a mut self, last: Situation<'a>) -> Waiting<'a, Result<Summary, Error>> {
        ready(self.seen.close(last, self.name()))
    }
}
