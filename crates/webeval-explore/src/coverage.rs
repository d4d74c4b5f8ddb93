//! Cumulative coverage over all documents of a run.

use std::collections::BTreeMap;
use std::sync::Arc;

use webeval_evidence::{Count, CoverageCounts};
use webeval_instrument::coverage::{self, CoverageMap, Delta, FileCoverage, Origins, Summary};

/// Coverage of the app's own code so far.
#[derive(Clone, Debug)]
pub(crate) struct Ledger {
    map: CoverageMap,
    /// Where the counters come from, when they are in bundles.
    origins: Option<Arc<Origins>>,
    /// Totals of each file: only those of files that ran are counted anew.
    files: BTreeMap<String, Summary>,
    counts: CoverageCounts,
}

/// What a reading covered for the first time.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Gained {
    pub(crate) statements: u32,
    pub(crate) functions: u32,
    /// Whether the page that is there now runs any of the app's code.
    pub(crate) ran: bool,
}

impl Ledger {
    pub(crate) fn new(map: CoverageMap) -> Self {
        let files: BTreeMap<String, Summary> = map.files().map(|file| (file.path.clone(), file.summary())).collect();
        let counts = counts(&files.values().copied().sum());
        Self { map, origins: None, files, counts }
    }

    /// A ledger of sources, whose counters are in the bundles that were made of them.
    pub(crate) fn with_origins(mut self, origins: Option<Arc<Origins>>) -> Self {
        self.origins = origins;
        self
    }

    /// Increments as a page wrote them, told of the app's sources.
    fn delta(&self, text: &str) -> Result<Delta, serde_json::Error> {
        let delta = Delta::from_json(text)?;
        Ok(match &self.origins {
            Some(origins) => origins.translate(&delta),
            None => delta,
        })
    }

    /// Takes in a file that has not been known before.
    pub(crate) fn add(&mut self, file: FileCoverage) {
        self.files.insert(file.path.clone(), file.summary());
        self.map.add(file);
        self.counts = counts(&self.files.values().copied().sum());
    }

    pub(crate) fn map(&self) -> &CoverageMap {
        &self.map
    }

    pub(crate) fn counts(&self) -> CoverageCounts {
        self.counts
    }

    /// Whether the increments are of any known file.
    pub(crate) fn knows(&self, deltas: &[String]) -> bool {
        let mut read = deltas.iter().filter_map(|text| self.delta(text).ok());
        read.any(|delta| delta.files().any(|(path, _)| self.map.get(path).is_some()))
    }

    fn count_anew(&mut self, delta: &Delta) {
        for (path, _) in delta.files() {
            if let Some(file) = self.map.get(path) {
                self.files.insert(path.to_owned(), file.summary());
            }
        }
    }

    /// Adds increments as the page wrote them; what cannot be read is passed over.
    pub(crate) fn apply(&mut self, deltas: &[String]) -> Gained {
        let mut gained = Gained::default();
        let mut any = false;
        for text in deltas {
            let delta = match self.delta(text) {
                Ok(delta) => delta,
                Err(error) => {
                    tracing::warn!(%error, "increments of coverage that cannot be read");
                    continue;
                }
            };
            let gain = self.map.apply(&delta);
            if !gain.unknown.is_empty() {
                tracing::debug!(files = ?gain.unknown, "coverage of files that were not staged");
            }
            gained.statements += small(gain.statements);
            gained.functions += small(gain.functions);
            if gain.statements + gain.functions + gain.branches > 0 {
                self.count_anew(&delta);
                any = true;
            }
        }
        if any {
            self.counts = counts(&self.files.values().copied().sum());
        }
        gained
    }
}

fn small(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}

fn counts(summary: &coverage::Summary) -> CoverageCounts {
    let count = |count: coverage::Count| Count { covered: small(count.covered), total: small(count.total) };
    CoverageCounts {
        statements: count(summary.statements),
        functions: count(summary.functions),
        branches: count(summary.branches),
        lines: count(summary.lines),
    }
}
