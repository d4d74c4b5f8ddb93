//! Section scores: head-to-head outcomes and counts of low scores (WebGen-V §4.1, figures 4 and 7, table 3).

use crate::error::{StatsError, all_finite, at_least, finite, same_length};
use serde::{Deserialize, Serialize};

/// Wins, ties and losses of one system against another on the same inputs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct HeadToHead {
    /// Inputs on which the first scores higher.
    pub wins: usize,
    /// Inputs on which neither does.
    pub ties: usize,
    /// Inputs on which the second scores higher.
    pub losses: usize,
}

impl HeadToHead {
    /// Compares scores input by input; a difference of at most `tie` is a tie.
    ///
    /// # Errors
    /// Lengths that differ, a value that is not finite, or a negative `tie`.
    pub fn of(first: &[f64], second: &[f64], tie: f64) -> Result<Self, StatsError> {
        same_length("the scores of two systems", first.len(), second.len())?;
        all_finite("a score", first)?;
        all_finite("a score", second)?;
        crate::error::in_range("the width of a tie", tie, 0.0, f64::MAX)?;
        let mut outcome = HeadToHead::default();
        for (a, b) in first.iter().zip(second) {
            if (a - b).abs() <= tie {
                outcome.ties += 1;
            } else if a > b {
                outcome.wins += 1;
            } else {
                outcome.losses += 1;
            }
        }
        Ok(outcome)
    }

    /// Number of inputs.
    pub fn total(&self) -> usize {
        self.wins + self.ties + self.losses
    }

    /// Shares of wins, ties and losses, which sum to 1; `None` without an input.
    pub fn shares(&self) -> Option<[f64; 3]> {
        let total = self.total();
        (total > 0).then(|| [self.wins, self.ties, self.losses].map(|n| n as f64 / total as f64))
    }
}

/// How many section scores of one metric are low, by both of the paper's definitions.
///
/// Table 3 counts scores below 4, §4.1 scores of 4 and below.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct LowScores {
    /// Scores below the threshold (table 3).
    pub below: usize,
    /// Scores at or below the threshold (§4.1).
    pub at_or_below: usize,
    /// Pages counted over.
    pub pages: usize,
}

impl LowScores {
    /// The threshold of both definitions.
    pub const THRESHOLD: f64 = 4.0;

    /// Counts over `pages[p]`, the scores of one metric in the sections of page p.
    ///
    /// # Errors
    /// A score that is not finite.
    pub fn of(pages: &[Vec<f64>], threshold: f64) -> Result<Self, StatsError> {
        finite("the threshold of low scores", threshold)?;
        let mut low = LowScores { pages: pages.len(), ..LowScores::default() };
        for page in pages {
            all_finite("a section's score", page)?;
            low.below += page.iter().filter(|&&s| s < threshold).count();
            low.at_or_below += page.iter().filter(|&&s| s <= threshold).count();
        }
        Ok(low)
    }

    /// Mean number per page below the threshold, the figure of table 3; `None` without a page.
    pub fn below_per_page(&self) -> Option<f64> {
        (self.pages > 0).then(|| self.below as f64 / self.pages as f64)
    }

    /// Mean number per page at or below the threshold; `None` without a page.
    pub fn at_or_below_per_page(&self) -> Option<f64> {
        (self.pages > 0).then(|| self.at_or_below as f64 / self.pages as f64)
    }
}

/// By how much a count fell relative to where it started, `(before − after) / before`: the error
/// reduction of §4.1. Negative where it rose.
///
/// # Errors
/// Not finite, negative, or `before` 0.
pub fn error_reduction(before: f64, after: f64) -> Result<f64, StatsError> {
    let before = crate::error::in_range("a count before", before, 0.0, f64::MAX)?;
    let after = crate::error::in_range("a count after", after, 0.0, f64::MAX)?;
    if before == 0.0 {
        return Err(StatsError::Undefined { what: "an error reduction", why: "there was nothing to reduce" });
    }
    finite("an error reduction", (before - after) / before)
}

/// The figure of one section: the minimum of its metrics (appendix H).
///
/// # Errors
/// No metric, or one that is not finite.
pub fn section_score(metrics: &[f64]) -> Result<f64, StatsError> {
    at_least("a section's score", 1, metrics.len())?;
    all_finite("a metric", metrics)?;
    Ok(metrics.iter().copied().fold(f64::INFINITY, f64::min))
}
