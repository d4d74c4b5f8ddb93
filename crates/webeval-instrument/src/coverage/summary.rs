use std::collections::BTreeMap;
use std::iter::Sum;
use std::ops::AddAssign;

use serde::{Deserialize, Serialize};

use super::FileCoverage;

/// How many of something were covered.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Count {
    /// Ran at least once.
    pub covered: usize,
    /// There are.
    pub total: usize,
}

impl Count {
    /// Per cent covered, rounded down to hundredths as Istanbul does; 100 where there is nothing to cover.
    #[must_use]
    pub fn percent(self) -> f64 {
        if self.total == 0 {
            return 100.0;
        }
        let thousandths = 100_000.0 * self.covered as f64 / self.total as f64;
        (thousandths / 10.0).floor() / 100.0
    }

    /// The covered share, from 0 to 1; 1 where there is nothing to cover.
    #[must_use]
    pub fn ratio(self) -> f64 {
        if self.total == 0 { 1.0 } else { self.covered as f64 / self.total as f64 }
    }

    fn of(hits: impl Iterator<Item = u64>) -> Self {
        hits.fold(Self::default(), |count, hits| Self {
            covered: count.covered + usize::from(hits > 0),
            total: count.total + 1,
        })
    }
}

impl AddAssign for Count {
    fn add_assign(&mut self, other: Self) {
        self.covered += other.covered;
        self.total += other.total;
    }
}

/// Istanbul's totals.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Summary {
    /// Lines on which a statement starts.
    pub lines: Count,
    /// Statements.
    pub statements: Count,
    /// Functions.
    pub functions: Count,
    /// Arms of branches.
    pub branches: Count,
}

impl AddAssign for Summary {
    fn add_assign(&mut self, other: Self) {
        self.lines += other.lines;
        self.statements += other.statements;
        self.functions += other.functions;
        self.branches += other.branches;
    }
}

impl Sum for Summary {
    fn sum<I: Iterator<Item = Self>>(parts: I) -> Self {
        parts.fold(Self::default(), |mut sum, part| {
            sum += part;
            sum
        })
    }
}

impl FileCoverage {
    /// The file's totals.
    #[must_use]
    pub fn summary(&self) -> Summary {
        Summary {
            lines: Count::of(self.line_hits().into_values()),
            statements: Count::of(self.s.values().copied()),
            functions: Count::of(self.f.values().copied()),
            branches: Count::of(self.b.values().flatten().copied()),
        }
    }

    /// For each line on which a statement starts, how often the statement that ran most often there ran.
    #[must_use]
    pub fn line_hits(&self) -> BTreeMap<u32, u64> {
        let mut lines = BTreeMap::new();
        for (id, &hits) in self.s.iter() {
            if let Some(place) = self.statement_map.get(id) {
                let line = lines.entry(place.start.line).or_insert(hits);
                *line = hits.max(*line);
            }
        }
        lines
    }

    /// Lines on which statements start and none has run.
    #[must_use]
    pub fn uncovered_lines(&self) -> Vec<u32> {
        let hits = self.line_hits().into_iter();
        hits.filter(|&(_, hits)| hits == 0).map(|(line, _)| line).collect()
    }
}
