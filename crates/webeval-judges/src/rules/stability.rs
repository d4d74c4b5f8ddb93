//! Errors, failed requests, hangs and crashes.

use std::collections::BTreeMap;

use webeval_evidence::{ConsoleLevel, Finding, FindingPlace, OutcomeStatus, PageErrorKind, Severity, Step};

use super::Verdict;
use crate::dossier::Dossier;

pub(super) fn check(dossier: &Dossier) -> Verdict {
    let steps = &dossier.trace.steps;
    let mut faults = Faults::default();
    let mut faulty = 0;
    for step in steps {
        faulty += usize::from(faults.read(step));
    }
    let (grave, light) = faults.distinct();
    let share = (steps.len() - faulty) as f64 / steps.len().max(1) as f64;
    let value = 100.0 * share - (10.0 * grave as f64).min(50.0) - (3.0 * light as f64).min(15.0);
    let grounds = format!(
        "{faulty} of {} steps with an uncaught error, a hang or a crash, {grave} distinct; {light} distinct console \
         errors and failed requests",
        steps.len()
    );
    Verdict::scored(value, grounds, faults.into_findings())
}

/// Faults by rule and wording.
#[derive(Debug, Default)]
struct Faults(BTreeMap<(&'static str, String), Finding>);

const GRAVE: [&str; 4] = ["uncaught-error", "unhandled-rejection", "hang", "crash"];

impl Faults {
    /// Adds a step's faults; whether there was a grave one.
    fn read(&mut self, step: &Step) -> bool {
        for error in &step.errors {
            let rule = match error.kind {
                PageErrorKind::Uncaught => "uncaught-error",
                PageErrorKind::Rejection => "unhandled-rejection",
            };
            let at = error.location.as_deref().map(|at| format!(" at {at}")).unwrap_or_default();
            self.add(rule, Severity::Major, format!("{}{at}", error.message), step);
        }
        let label = step.action.label();
        match step.outcome.status {
            OutcomeStatus::TimedOut => self.add("hang", Severity::Critical, format!("no answer after {label}"), step),
            OutcomeStatus::Crashed => self.add("crash", Severity::Critical, format!("page lost after {label}"), step),
            _ => {}
        }
        for request in &step.network {
            let why = match (request.status, &request.error) {
                (Some(status), _) => status.to_string(),
                (None, Some(error)) => error.clone(),
                (None, None) => "no answer".to_owned(),
            };
            self.add("failed-request", Severity::Minor, format!("{}: {why}", request.url), step);
        }
        for message in step.console.iter().filter(|message| message.level == ConsoleLevel::Error) {
            self.add("console-error", Severity::Minor, message.text.clone(), step);
        }
        !step.errors.is_empty() || matches!(step.outcome.status, OutcomeStatus::TimedOut | OutcomeStatus::Crashed)
    }

    fn add(&mut self, rule: &'static str, severity: Severity, message: String, step: &Step) {
        if let Some(known) = self.0.get_mut(&(rule, message.clone())) {
            known.count = known.count.saturating_add(1);
            return;
        }
        let target = step.action.target.as_ref();
        let place = FindingPlace {
            step: Some(step.index),
            selector: target.map(|target| target.selector.clone()),
            rect: target.and_then(|target| target.rect),
            screenshot: step.screenshot.clone(),
        };
        let finding = Finding { rule: rule.to_owned(), severity, message: message.clone(), place, count: 1 };
        self.0.insert((rule, message), finding);
    }

    fn distinct(&self) -> (usize, usize) {
        let grave = self.0.keys().filter(|(rule, _)| GRAVE.contains(rule)).count();
        (grave, self.0.len() - grave)
    }

    fn into_findings(self) -> Vec<Finding> {
        self.0.into_values().collect()
    }
}
