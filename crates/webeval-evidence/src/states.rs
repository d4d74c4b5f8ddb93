//! `states.json`: the state-transition graph, and which state each step reached.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use webeval_states::{Identity, Observation, Options, StateGraph, StateId, identify};

use crate::{BlobRef, Error, OutcomeStatus, RunDir, Step};

/// The content of `states.json`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct StatesFile {
    /// [`crate::FORMAT`] when it was written.
    pub format: u32,
    /// For each step of the trace, the exact state it reached; none where it left no snapshot.
    #[schemars(with = "Vec<Option<String>>")]
    pub steps: Vec<Option<StateId>>,
    /// The graph.
    #[schemars(with = "serde_json::Value")]
    pub graph: StateGraph,
}

impl StatesFile {
    /// Abstracts a run's recorded snapshots to states and connects them by its steps (WebCraftBench §4.3).
    ///
    /// A step that left no snapshot (the page hung, the browser was lost) is an edge that failed, from its state to
    /// itself; the step after it starts from whatever state it finds.
    ///
    /// # Errors
    /// When the trace or a snapshot cannot be read.
    pub fn build(run: &RunDir, options: &Options) -> Result<Self, Error> {
        let trace = run.trace()?;
        let mut builder = Builder { run, options, known: BTreeMap::new(), graph: StateGraph::new() };
        let mut here = None;
        let mut steps = Vec::with_capacity(trace.steps.len());
        for step in &trace.steps {
            let reached = builder.observe(step)?;
            if let Some(from) = here {
                builder.connect(from, reached.unwrap_or(from), step)?;
            }
            here = reached.or(here);
            steps.push(reached);
        }
        Ok(Self { format: crate::FORMAT, steps, graph: builder.graph })
    }
}

struct Builder<'a> {
    run: &'a RunDir,
    options: &'a Options,
    /// A snapshot that comes back is not read again.
    known: BTreeMap<BlobRef, Identity>,
    graph: StateGraph,
}

impl Builder<'_> {
    fn observe(&mut self, step: &Step) -> Result<Option<StateId>, Error> {
        let Some(snapshot) = &step.snapshot else { return Ok(None) };
        let identity = match self.known.get(snapshot) {
            Some(identity) => *identity,
            None => {
                let html = self.run.load_text(snapshot)?;
                let identity = identify(&html, self.options).map_err(Error::states(snapshot))?;
                self.known.insert(snapshot.clone(), identity);
                identity
            }
        };
        Ok(Some(self.graph.observe(Observation {
            identity,
            step: step.index.into(),
            title: step.title.clone(),
            url: step.url.clone(),
            screenshot: step.screenshot.as_ref().map(ToString::to_string),
            snapshot: Some(snapshot.to_string()),
        })))
    }

    fn connect(&mut self, from: StateId, to: StateId, step: &Step) -> Result<(), Error> {
        let outcome = match step.outcome.status {
            OutcomeStatus::Performed if step.errors.is_empty() => webeval_states::Outcome::Done,
            _ => webeval_states::Outcome::Failed,
        };
        let gain = step.coverage.map_or(0, |coverage| coverage.gain);
        self.graph
            .transition(from, to, &step.action.label(), outcome, gain.into())
            .map_err(Error::states(&step.action.label()))
    }
}
