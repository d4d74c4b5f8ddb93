//! Errors, failed requests, hangs and crashes.

use std::collections::BTreeMap;

use webeval_evidence::{
    ConsoleLevel, Finding, FindingPlace, NetworkFailure, OutcomeStatus, PageErrorKind, Severity, Step,
};

use super::Verdict;
use super::network::{Missing, is_environment};
use crate::dossier::Dossier;

pub(super) fn check(dossier: &Dossier) -> Verdict {
    let steps = &dossier.trace.steps;
    let mut faults = Faults::default();
    let mut faulty = 0;
    for step in steps {
        faulty += usize::from(faults.read(step));
    }
    let (grave, light) = faults.distinct();
    let excused = faults.excused;
    let share = (steps.len() - faulty) as f64 / steps.len().max(1) as f64;
    let value = 100.0 * share - (10.0 * grave as f64).min(50.0) - (3.0 * light as f64).min(15.0);
    let grounds = format!(
        "{faulty} of {} steps with an uncaught error, a hang or a crash, {grave} distinct; {light} distinct console \
         errors and failed requests",
        steps.len()
    );
    let mut verdict = Verdict::scored(value, grounds, faults.findings.into_values().collect());
    if excused > 0 {
        verdict.notes.push(format!(
            "{excused} failed requests and errors are not counted: this machine has no way to hosts that the app asks for \
             scripts or data."
        ));
    }
    verdict
}

/// Faults by rule and wording.
#[derive(Debug, Default)]
struct Faults {
    findings: BTreeMap<(&'static str, String), Finding>,
    missing: Missing,
    /// How many faults were seen that are the machine's.
    excused: u32,
}

const GRAVE: [&str; 4] = ["uncaught-error", "unhandled-rejection", "hang", "crash"];

impl Faults {
    /// Adds a step's faults; whether there was a grave one.
    fn read(&mut self, step: &Step) -> bool {
        self.missing.read(step);
        let mut grave = false;
        for error in &step.errors {
            let rule = match error.kind {
                PageErrorKind::Uncaught => "uncaught-error",
                PageErrorKind::Rejection => "unhandled-rejection",
            };
            let at = error.location.as_deref().map(|at| format!(" at {at}")).unwrap_or_default();
            grave |= self.add_unless_excused(rule, Severity::Major, format!("{}{at}", error.message), step);
        }
        let label = step.action.label();
        match step.outcome.status {
            OutcomeStatus::TimedOut => self.add("hang", Severity::Critical, format!("no answer after {label}"), step),
            OutcomeStatus::Crashed => self.add("crash", Severity::Critical, format!("page lost after {label}"), step),
            _ => {}
        }
        for request in &step.network {
            self.request(request, step);
        }
        for message in step.console.iter().filter(|message| message.level == ConsoleLevel::Error) {
            self.add_unless_excused("console-error", Severity::Minor, message.text.clone(), step);
        }
        grave || matches!(step.outcome.status, OutcomeStatus::TimedOut | OutcomeStatus::Crashed)
    }

    fn request(&mut self, request: &NetworkFailure, step: &Step) {
        let why = match (request.status, &request.error) {
            (Some(status), _) => status.to_string(),
            (None, Some(error)) => error.clone(),
            (None, None) => "no answer".to_owned(),
        };
        let message = format!("{}: {why}", request.url);
        if is_environment(request) {
            self.excused += 1;
            self.add("unreachable-host", Severity::Note, message, step);
        } else {
            self.add("failed-request", Severity::Minor, message, step);
        }
    }

    /// Whether it counts.
    fn add_unless_excused(&mut self, rule: &'static str, severity: Severity, message: String, step: &Step) -> bool {
        if self.missing.explains(&message) {
            self.excused += 1;
            self.add(rule, Severity::Note, format!("{message} (a host could not be reached)"), step);
            return false;
        }
        self.add(rule, severity, message, step);
        true
    }

    fn add(&mut self, rule: &'static str, severity: Severity, message: String, step: &Step) {
        if let Some(known) = self.findings.get_mut(&(rule, message.clone())) {
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
        self.findings.insert((rule, message), finding);
    }

    /// Distinct grave and light faults that count.
    fn distinct(&self) -> (usize, usize) {
        let counted = self.findings.iter().filter(|(_, finding)| finding.severity != Severity::Note);
        let (grave, light): (Vec<_>, Vec<_>) = counted.partition(|((rule, _), _)| GRAVE.contains(rule));
        (grave.len(), light.len())
    }
}
