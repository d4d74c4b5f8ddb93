//! Everything a run directory holds, read once.

use std::collections::BTreeMap;

use webeval_evidence::{BlobRef, CoverageCounts, Judgement, RunDir, RunRecord, ScoresFile, Trace};
use webeval_instrument::coverage::CoverageMap;
use webeval_states::StateId;

use crate::Error;
use crate::coverage;
use crate::graph::{self, Graph};

/// A part of the evidence that a run may lack.
#[derive(Clone, Debug)]
pub(crate) enum Part<T> {
    Present(T),
    Absent,
    /// It is there and makes no sense; why.
    Unreadable(String),
}

impl<T> Part<T> {
    pub(crate) fn present(&self) -> Option<&T> {
        match self {
            Self::Present(value) => Some(value),
            Self::Absent | Self::Unreadable(_) => None,
        }
    }
}

/// A run, read.
#[derive(Debug)]
pub(crate) struct Evidence {
    pub(crate) record: RunRecord,
    pub(crate) trace: Trace,
    pub(crate) graph: Part<Graph>,
    pub(crate) state_of_step: Vec<Option<StateId>>,
    pub(crate) coverage: Part<CoverageMap>,
    pub(crate) sources: BTreeMap<String, String>,
    pub(crate) scores: ScoresFile,
    pub(crate) judgements: Vec<Judgement>,
}

impl Evidence {
    pub(crate) fn read(run: &RunDir) -> Result<Self, Error> {
        let coverage = match coverage::read(run) {
            None => Part::Absent,
            Some(Ok(map)) if map.is_empty() => Part::Absent,
            Some(Ok(map)) => Part::Present(map),
            Some(Err(reason)) => Part::Unreadable(reason),
        };
        let files = coverage.present().into_iter().flat_map(CoverageMap::files);
        let sources = files.filter_map(|file| Some((file.path.clone(), coverage::source(run, &file.path)?))).collect();
        let (graph, state_of_step) = match run.states() {
            Ok(Some(file)) if file.graph.states().is_empty() => (Part::Absent, file.steps),
            Ok(Some(file)) => (Part::Present(graph::read(&file)), file.steps),
            Ok(None) => (Part::Absent, Vec::new()),
            Err(error) => (Part::Unreadable(error.to_string()), Vec::new()),
        };
        Ok(Self {
            record: run.run()?,
            trace: run.trace()?,
            graph,
            state_of_step,
            coverage,
            sources,
            scores: run.scores()?,
            judgements: run.judgements()?,
        })
    }

    /// Coverage at the end: the map's own figures, or the last step's when the map was not written.
    pub(crate) fn final_coverage(&self) -> Option<CoverageCounts> {
        let last = || self.trace.steps.iter().rev().find_map(|step| step.coverage.map(|coverage| coverage.after));
        self.coverage.present().map(|map| coverage::counts(map.summary())).or_else(last)
    }

    /// References to all pictures that the page shows, in the order of the trace.
    pub(crate) fn pictures(&self) -> Vec<BlobRef> {
        let steps = self.trace.steps.iter().filter_map(|step| step.screenshot.clone());
        let findings = self.scores.entries.iter().flat_map(|entry| &entry.findings);
        let places = findings.filter_map(|finding| finding.place.screenshot.clone());
        let judged = self.judgements.iter().flat_map(|judgement| judgement.screenshots.iter().cloned());
        steps.chain(places).chain(judged).collect()
    }
}
