//! The known answers beside the fixture apps, and how a run is held against them.

use std::collections::BTreeSet;

use serde::Deserialize;
use serde_json::Value;
use webeval_evidence::{Effect, OutcomeStatus, RunDir, Step, Trace};

/// What is known about an app, written by hand beside it.
#[derive(Debug, Deserialize)]
pub(crate) struct Answer {
    /// Functions that a tester can make run.
    functions: Vec<String>,
    /// Functions that nothing can make run.
    #[serde(default)]
    unreachable: Vec<String>,
    states: Vec<KnownState>,
    faults: Vec<Fault>,
    /// Least part of the statements that a tester reaches.
    statements: f64,
    /// Least number of different pictures on the canvas.
    #[serde(default)]
    distinct_canvases: usize,
}

/// A state that the app has, by text that its serialised page has or lacks.
#[derive(Debug, Deserialize)]
struct KnownState {
    name: String,
    has: Vec<String>,
    #[serde(default)]
    lacks: Vec<String>,
}

#[derive(Debug, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
enum Fault {
    Error { has: String },
    Console { has: String },
    Network { has: String },
    Finding { rule: String, has: String },
    LeftApp { has: String },
    Hang { has: String },
}

impl Answer {
    pub(crate) fn read(app: &str) -> Self {
        let path = crate::command::repository().join("fixtures/apps").join(format!("{app}.answer.json"));
        let text = std::fs::read_to_string(&path).expect("the answer is there");
        serde_json::from_str(&text).expect("the answer is well formed")
    }

    /// Everything in which the run departs from the answer; empty when it agrees.
    pub(crate) fn departures(&self, run: &RunDir) -> Vec<String> {
        let trace = run.trace().expect("a readable trace");
        let mut departures = self.missing_states(run, &trace);
        departures.extend(self.missing_coverage(run));
        departures.extend(self.missing_faults(run, &trace));
        departures.extend(self.false_alarms(&trace));
        departures
    }

    fn missing_states(&self, run: &RunDir, trace: &Trace) -> Vec<String> {
        let pages = pages(run, trace);
        let holds = |state: &KnownState, page: &String| {
            state.has.iter().all(|text| page.contains(text)) && !state.lacks.iter().any(|text| page.contains(text))
        };
        let missing = self.states.iter().filter(|state| !pages.iter().any(|page| holds(state, page)));
        let mut departures: Vec<String> = missing.map(|state| format!("state not found: {}", state.name)).collect();
        let canvases: BTreeSet<&str> = pages.iter().filter_map(|page| canvas_hash(page)).collect();
        if canvases.len() < self.distinct_canvases {
            departures.push(format!("{} pictures on the canvas, {} are known", canvases.len(), self.distinct_canvases));
        }
        departures
    }

    fn missing_coverage(&self, run: &RunDir) -> Vec<String> {
        let text = std::fs::read_to_string(run.root().join("coverage.json")).expect("coverage.json");
        let files: Value = serde_json::from_str(&text).expect("JSON");
        let files: Vec<&Value> = files.as_object().expect("a map").values().collect();
        let ran = |name: &str| files.iter().any(|file| function_count(file, name).is_some_and(|count| count > 0));
        let mut departures: Vec<String> = Vec::new();
        departures.extend(self.functions.iter().filter(|name| !ran(name)).map(|name| format!("never ran: {name}")));
        departures.extend(
            self.unreachable.iter().filter(|name| ran(name)).map(|name| format!("cannot run, but did: {name}")),
        );
        let counters = || files.iter().filter_map(|file| file["s"].as_object()).flat_map(|s| s.values());
        let covered = counters().filter(|count| count.as_u64() > Some(0)).count();
        let ratio = covered as f64 / counters().count().max(1) as f64;
        if ratio < self.statements {
            departures
                .push(format!("{ratio:.3} of the statements covered, {} are known to be reachable", self.statements));
        }
        departures
    }

    fn missing_faults(&self, run: &RunDir, trace: &Trace) -> Vec<String> {
        let seen = |fault: &Fault| match fault {
            Fault::Error { has } => trace.steps.iter().flat_map(|s| &s.errors).any(|e| e.message.contains(has)),
            Fault::Console { has } => trace.steps.iter().flat_map(|s| &s.console).any(|m| m.text.contains(has)),
            Fault::Network { has } => trace.steps.iter().flat_map(|s| &s.network).any(|n| n.url.contains(has)),
            Fault::Finding { rule, has } => {
                let scores = run.scores().expect("scores");
                let mut findings = scores.entries.iter().flat_map(|entry| entry.findings.clone());
                findings.any(|finding| finding.rule == *rule && finding.message.contains(has))
            }
            Fault::LeftApp { has } => effects(trace).any(|e| matches!(e, Effect::LeftApp { url } if url.contains(has))),
            Fault::Hang { has } => trace.steps.iter().any(|step| hung(step, has)),
        };
        self.faults.iter().filter(|fault| !seen(fault)).map(|fault| format!("fault not reported: {fault:?}")).collect()
    }

    /// An app without planted errors must show none.
    fn false_alarms(&self, trace: &Trace) -> Vec<String> {
        let plants = |wanted: fn(&Fault) -> bool| self.faults.iter().any(wanted);
        let mut alarms = Vec::new();
        if !plants(|fault| matches!(fault, Fault::Error { .. })) {
            alarms.extend(
                trace.steps.iter().flat_map(|s| &s.errors).map(|e| format!("error out of nowhere: {}", e.message)),
            );
        }
        if !plants(|fault| matches!(fault, Fault::Network { .. })) {
            alarms.extend(
                trace.steps.iter().flat_map(|s| &s.network).map(|n| format!("failure out of nowhere: {}", n.url)),
            );
        }
        if !plants(|fault| matches!(fault, Fault::Hang { .. })) {
            let lost = |s: &&Step| matches!(s.outcome.status, OutcomeStatus::TimedOut | OutcomeStatus::Crashed);
            alarms.extend(trace.steps.iter().filter(lost).map(|s| format!("step {} lost: {:?}", s.index, s.outcome)));
        }
        alarms
    }
}

fn effects(trace: &Trace) -> impl Iterator<Item = &Effect> {
    trace.steps.iter().flat_map(|step| &step.outcome.effects)
}

fn hung(step: &Step, name: &str) -> bool {
    let lost = matches!(step.outcome.status, OutcomeStatus::TimedOut | OutcomeStatus::Crashed);
    lost && step.action.target.as_ref().is_some_and(|target| target.name.contains(name))
}

fn pages(run: &RunDir, trace: &Trace) -> Vec<String> {
    let references: BTreeSet<_> = trace.steps.iter().filter_map(|step| step.snapshot.as_ref()).collect();
    references.into_iter().map(|reference| run.load_text(reference).expect("a stored snapshot")).collect()
}

fn canvas_hash(page: &str) -> Option<&str> {
    page.split("data-webeval-canvas=\"").nth(1)?.split('"').next()
}

fn function_count(file: &Value, name: &str) -> Option<u64> {
    let functions = file["fnMap"].as_object()?;
    let (id, _) = functions.iter().find(|(_, function)| function["name"] == name)?;
    file["f"][id].as_u64()
}
