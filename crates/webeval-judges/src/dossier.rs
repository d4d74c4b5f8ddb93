//! A run's evidence as the judges see it, with names to cite it by.

use std::collections::BTreeMap;

use webeval_evidence::{
    BlobRef, DimensionScore, FailureOwner, RunDir, ScoreStatus, Stage, StageStatus, StatesFile, Step, Trace,
};
use webeval_states::{GraphView, Level, Options, StateId};

use crate::Error;

/// A run's evidence.
#[derive(Debug)]
pub(crate) struct Dossier {
    pub(crate) run: RunDir,
    pub(crate) trace: Trace,
    pub(crate) states: StatesFile,
    /// The graph as it is named and shown; its states are `S1`, `S2`, … in order.
    pub(crate) view: GraphView,
    /// Exact state to place in the view.
    places: BTreeMap<StateId, usize>,
}

impl Dossier {
    pub(crate) fn open(run: &RunDir) -> Result<Self, Error> {
        let trace = run.trace()?;
        if trace.steps.is_empty() {
            let missing = "the trace has no steps; explore the app first".to_owned();
            return Err(Error::NoEvidence { missing });
        }
        let states = match run.states()? {
            // A run that was resumed after its states were built has outgrown them.
            Some(states) if states.steps.len() == trace.steps.len() => states,
            _ => StatesFile::build(run, &Options::default())?,
        };
        let view = states.graph.readable();
        let places = view.states.iter().enumerate();
        let places = places.flat_map(|(at, state)| state.members.iter().map(move |&id| (id, at))).collect();
        Ok(Self { run: run.clone(), trace, states, view, places })
    }

    /// Name of the state that a step reached.
    pub(crate) fn state_after(&self, step: usize) -> Option<String> {
        self.place_after(step).map(name_of)
    }

    /// Name of the state that a step started from: what the last step before it that left a snapshot reached.
    pub(crate) fn state_before(&self, step: usize) -> Option<String> {
        (0..step).rev().find_map(|earlier| self.state_after(earlier))
    }

    /// Structure of the page after a step.
    pub(crate) fn structure_after(&self, step: usize) -> Option<StateId> {
        let id = self.states.steps.get(step).copied().flatten()?;
        Some(self.states.graph.state(id)?.first.identity.at(Level::Structure))
    }

    /// Structure of the page that a step started from.
    pub(crate) fn structure_before(&self, step: usize) -> Option<StateId> {
        (0..step).rev().find_map(|earlier| self.structure_after(earlier))
    }

    pub(crate) fn place_after(&self, step: usize) -> Option<usize> {
        self.states.steps.get(step).copied().flatten().and_then(|id| self.places.get(&id).copied())
    }

    /// Place of a state by its name.
    pub(crate) fn place(&self, name: &str) -> Option<usize> {
        let number: usize = name.trim().strip_prefix(['S', 's'])?.parse().ok()?;
        (1..=self.view.states.len()).contains(&number).then(|| number - 1)
    }

    pub(crate) fn name(&self, id: StateId) -> String {
        self.view.states.iter().position(|state| state.id == id).map_or_else(|| id.short(), name_of)
    }

    /// Whether an action was seen to lead from one state to another.
    pub(crate) fn has_edge(&self, from: usize, to: usize) -> bool {
        let (from, to) = (&self.view.states[from].id, &self.view.states[to].id);
        self.view.transitions.iter().any(|edge| edge.from == *from && edge.to == *to)
    }

    pub(crate) fn step(&self, index: u64) -> Option<&Step> {
        self.trace.steps.iter().find(|step| u64::from(step.index) == index)
    }

    /// The snapshots of a state, the first seen first.
    pub(crate) fn snapshots(&self, place: usize) -> Vec<BlobRef> {
        self.blobs(place, |step| step.snapshot.clone())
    }

    /// The screenshots of a state, the first seen first.
    pub(crate) fn screenshots(&self, place: usize) -> Vec<BlobRef> {
        self.blobs(place, |step| step.screenshot.clone())
    }

    fn blobs(&self, place: usize, of: impl Fn(&Step) -> Option<BlobRef>) -> Vec<BlobRef> {
        let mut blobs = Vec::new();
        for (at, step) in self.trace.steps.iter().enumerate() {
            if self.place_after(at) == Some(place)
                && let Some(blob) = of(step)
                && !blobs.contains(&blob)
            {
                blobs.push(blob);
            }
        }
        blobs
    }

    /// The score of every dimension where the app could not be brought up: 0 when that is the app's own fault
    /// (the default policy), otherwise there is nothing to judge.
    pub(crate) fn undeployable(run: &RunDir) -> Result<Option<DimensionScore>, Error> {
        let record = run.run()?;
        let Some(deploy) = record.stages.get(&Stage::Deploy).filter(|stage| stage.status == StageStatus::Failed) else {
            return Ok(None);
        };
        match &deploy.failure {
            Some(failure) if failure.whose == FailureOwner::App => Ok(Some(DimensionScore {
                status: ScoreStatus::Undeployable,
                value: Some(0.0),
                bounds: None,
                grounds: format!("the app could not be brought up: {}", failure.message),
            })),
            failure => {
                let why = failure.as_ref().map_or("no reason recorded", |failure| failure.message.as_str());
                Err(Error::NoEvidence { missing: format!("deployment failed, and not by the app's fault: {why}") })
            }
        }
    }
}

pub(crate) fn name_of(place: usize) -> String {
    format!("S{}", place + 1)
}
