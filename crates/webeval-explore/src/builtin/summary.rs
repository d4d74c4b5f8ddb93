//! What the built-in tester tells at the end: facts that it saw, no opinions.

use std::collections::{BTreeMap, BTreeSet};

use webeval_browser::Observation;
use webeval_evidence::{OutcomeStatus, Summary};

use crate::tester::{Feedback, Situation};

/// Most entries of one part of the summary.
const MOST: usize = 60;

/// What was seen so far.
#[derive(Debug, Default)]
pub(crate) struct Seen {
    pages: BTreeSet<String>,
    controls: BTreeSet<String>,
    worked: BTreeSet<String>,
    interactions: BTreeMap<&'static str, u32>,
    failures: BTreeMap<String, u32>,
}

impl Seen {
    pub(crate) fn page(&mut self, page: &Observation) {
        if !page.url.is_empty() {
            self.pages.insert(format!("{} ({})", page.url, page.title));
        }
        for node in page.nodes.iter().filter(|node| node.is_actionable() && !node.name.is_empty()) {
            self.controls.insert(format!("{} \"{}\"", node.role, node.name));
        }
    }

    pub(crate) fn step(&mut self, feedback: &Feedback, page: &Observation) {
        let kind = feedback.action.kind.name();
        *self.interactions.entry(kind).or_default() += 1;
        let target = feedback.action.target.as_ref();
        let shown = target.map(|target| format!("{} \"{}\"", target.role, target.name));
        if let Some(shown) =
            shown.as_ref().filter(|_| feedback.changed && feedback.outcome.status == OutcomeStatus::Performed)
        {
            self.worked.insert(format!("{kind} on {shown} changes the page"));
        }
        if feedback.outcome.status != OutcomeStatus::Performed {
            let detail = feedback.outcome.detail.clone().unwrap_or_default();
            let on = shown.map(|shown| format!(" on {shown}")).unwrap_or_default();
            self.fail(format!("{kind}{on}: {:?}, {detail}", feedback.outcome.status));
        }
        for error in &page.errors {
            self.fail(format!("uncaught: {}", error.message));
        }
        for failure in &page.network {
            let why =
                failure.status.map(|status| status.to_string()).or_else(|| failure.error.clone()).unwrap_or_default();
            self.fail(format!("request failed: {} ({why})", failure.url));
        }
    }

    fn fail(&mut self, what: String) {
        *self.failures.entry(what).or_default() += 1;
    }

    /// Takes in the last step and sums up.
    pub(crate) fn close(&mut self, last: Situation<'_>, tester: String) -> Summary {
        if let Some(feedback) = last.last {
            self.step(feedback, last.page);
        }
        self.summary(tester)
    }

    pub(crate) fn summary(&self, tester: String) -> Summary {
        let pages = self.pages.iter().map(|page| format!("page {page}"));
        let controls = self.controls.iter().map(|control| format!("control {control}"));
        let times = |count: u32| if count == 1 { "once".to_owned() } else { format!("{count} times") };
        Summary {
            tester,
            functionality: pages.chain(self.worked.iter().cloned()).chain(controls).take(MOST).collect(),
            interactions: self.interactions.iter().map(|(kind, count)| format!("{kind}: {}", times(*count))).collect(),
            failures: self
                .failures
                .iter()
                .map(|(what, count)| format!("{what} ({})", times(*count)))
                .take(MOST)
                .collect(),
        }
    }
}
