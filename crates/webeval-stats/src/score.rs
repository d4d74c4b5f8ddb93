//! Scores of one application: the judge's deliberation and the share of criteria met.

use crate::error::{StatsError, at_least, finite, in_range};
use serde::{Deserialize, Serialize};

/// A score on the 0–100 scale (WebCraftBench §4.4).
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd, Serialize, Deserialize)]
#[serde(try_from = "f64", into = "f64")]
pub struct Score(f64);

impl Score {
    /// The lowest score, which an application that cannot be deployed gets by default.
    pub const ZERO: Score = Score(0.0);
    /// The highest score.
    pub const FULL: Score = Score(100.0);

    /// Takes a finite number from 0 to 100.
    ///
    /// # Errors
    /// [`StatsError::NotFinite`] or [`StatsError::OutOfRange`].
    pub fn new(value: f64) -> Result<Self, StatsError> {
        in_range("a score", value, 0.0, 100.0).map(Score)
    }

    /// The number, from 0 to 100.
    pub fn get(self) -> f64 {
        self.0
    }
}

impl TryFrom<f64> for Score {
    type Error = StatsError;

    fn try_from(value: f64) -> Result<Self, StatsError> {
        Score::new(value)
    }
}

impl From<Score> for f64 {
    fn from(score: Score) -> f64 {
        score.0
    }
}

/// What one run of the final judge awards: 0 to 5 points (WebCraftBench A.2).
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd, Serialize, Deserialize)]
#[serde(try_from = "f64", into = "f64")]
pub struct JudgePoints(f64);

impl JudgePoints {
    /// Takes a finite number from 0 to 5.
    ///
    /// # Errors
    /// [`StatsError::NotFinite`] or [`StatsError::OutOfRange`].
    pub fn new(value: f64) -> Result<Self, StatsError> {
        in_range("a judge's points", value, 0.0, 5.0).map(JudgePoints)
    }

    /// The base score, 0 to 5, plus the signed aspect adjustments, the sum clipped to [0, 5].
    ///
    /// Only the sum is clipped: no running total is, so the order of the aspects does not matter.
    ///
    /// ```
    /// use webeval_stats::JudgePoints;
    /// let points = JudgePoints::from_base(4.5, &[0.5, 0.5, 0.0, -0.2, 0.0, 0.0, 0.0])?;
    /// assert_eq!(points.get(), 5.0); // 5.3, clipped
    /// # Ok::<(), webeval_stats::StatsError>(())
    /// ```
    ///
    /// # Errors
    /// A base outside [0, 5]; a base or an adjustment that is not finite.
    pub fn from_base(base: f64, adjustments: &[f64]) -> Result<Self, StatsError> {
        let base = in_range("a judge's base score", base, 0.0, 5.0)?;
        let mut sum = base;
        for &adjustment in adjustments {
            sum += finite("an aspect adjustment", adjustment)?;
        }
        finite("the sum of a judge's adjustments", sum)?;
        Ok(JudgePoints(sum.clamp(0.0, 5.0)))
    }

    /// The number, from 0 to 5.
    pub fn get(self) -> f64 {
        self.0
    }
}

impl TryFrom<f64> for JudgePoints {
    type Error = StatsError;

    fn try_from(value: f64) -> Result<Self, StatsError> {
        JudgePoints::new(value)
    }
}

impl From<JudgePoints> for f64 {
    fn from(points: JudgePoints) -> f64 {
        points.0
    }
}

/// The mean of what remains when one highest and one lowest value are dropped.
///
/// Of several equal extremes only one is dropped on each side.
///
/// # Errors
/// Fewer than three values, or one that is not finite.
pub fn trimmed_mean(values: &[f64]) -> Result<f64, StatsError> {
    at_least("a trimmed mean", 3, values.len())?;
    let mut sorted = Vec::with_capacity(values.len());
    for &value in values {
        sorted.push(finite("a value of a trimmed mean", value)?);
    }
    // Summing the kept values rather than subtracting the dropped ones: no cancellation.
    sorted.sort_by(f64::total_cmp);
    let kept = &sorted[1..sorted.len() - 1];
    finite("a trimmed mean", kept.iter().sum::<f64>() / kept.len() as f64)
}

/// The 0–100 score of a deliberation: [`trimmed_mean`] of the final judge's runs × 20.
///
/// `s = 20 · (Σq − max q − min q) / (n − 2)`; the paper runs the judge five times, so divides by
/// three (WebCraftBench §4.4, A.2).
///
/// ```
/// use webeval_stats::{JudgePoints, deliberation_score};
/// let runs = [3.0, 3.5, 4.0, 2.0, 5.0].map(|q| JudgePoints::new(q).unwrap());
/// assert_eq!(deliberation_score(&runs)?.get(), 70.0); // 20 × (3 + 3.5 + 4) / 3
/// # Ok::<(), webeval_stats::StatsError>(())
/// ```
///
/// # Errors
/// Fewer than three runs.
pub fn deliberation_score(runs: &[JudgePoints]) -> Result<Score, StatsError> {
    let points: Vec<f64> = runs.iter().map(|run| run.0).collect();
    // Rounding in the mean of five equal runs may exceed the top by one unit in the last place.
    Ok(Score((20.0 * trimmed_mean(&points)?).clamp(0.0, 100.0)))
}

/// How many criteria of one kind a judge found met, not met, and left unjudged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct CriteriaTally {
    /// Judged to be implemented.
    pub met: usize,
    /// Judged not to be implemented.
    pub unmet: usize,
    /// Without a usable judgement.
    pub unjudged: usize,
}

impl CriteriaTally {
    /// Counts verdicts: `Some(true)` met, `Some(false)` not met, `None` unjudged.
    pub fn count(verdicts: impl IntoIterator<Item = Option<bool>>) -> Self {
        let mut tally = CriteriaTally::default();
        for verdict in verdicts {
            match verdict {
                Some(true) => tally.met += 1,
                Some(false) => tally.unmet += 1,
                None => tally.unjudged += 1,
            }
        }
        tally
    }

    /// How many criteria there are.
    pub fn total(&self) -> usize {
        self.met + self.unmet + self.unjudged
    }

    /// 100 × met / all (WebCraftBench §4.4), with the bounds that unjudged criteria leave open.
    ///
    /// `None` where there is no criterion of this kind: the share of nothing is not a score.
    pub fn percentage(&self) -> Option<CriteriaScore> {
        let total = self.total();
        if total == 0 {
            return None;
        }
        let share = |met: usize| Score(100.0 * met as f64 / total as f64);
        Some(CriteriaScore { low: share(self.met), high: share(self.met + self.unjudged) })
    }
}

/// The percentage of criteria met; incomplete where some criteria stayed unjudged.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct CriteriaScore {
    low: Score,
    high: Score,
}

impl CriteriaScore {
    /// The figure as the paper defines it, 100 × met / all: unjudged criteria count as not met.
    pub fn value(&self) -> Score {
        self.low
    }

    /// The figure if every unjudged criterion were not met.
    pub fn low(&self) -> Score {
        self.low
    }

    /// The figure if every unjudged criterion were met.
    pub fn high(&self) -> Score {
        self.high
    }

    /// Whether every criterion was judged.
    pub fn is_complete(&self) -> bool {
        self.low == self.high
    }
}
