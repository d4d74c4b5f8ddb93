//! From the verdicts of repeated runs to points (LiveEvalBench A.3).
//!
//! A criterion is checked by one or more concrete tasks; any failed task fails it. Each criterion is
//! judged in several runs, and the verdict of more than half of them counts. What does not apply and
//! what an evaluator was unable to check are neither passed nor failed and are kept apart.

use crate::agreement::majority;
use crate::error::{StatsError, in_range};
use serde::{Deserialize, Serialize};

/// One run's verdict on a task or criterion.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// Satisfied.
    Passed,
    /// Not satisfied.
    Failed,
    /// There is nothing to check.
    NotApplicable,
    /// The evaluator could not check it.
    Unable,
}

/// The verdict on a criterion from those on its tasks; `None` without a task.
///
/// One failed task fails the criterion; otherwise one that could not be checked leaves it
/// unchecked; otherwise it passes, unless none of its tasks applies.
pub fn criterion_verdict(tasks: &[Verdict]) -> Option<Verdict> {
    [Verdict::Failed, Verdict::Unable, Verdict::Passed, Verdict::NotApplicable]
        .into_iter()
        .find(|verdict| tasks.contains(verdict))
}

/// The verdict of more than half of the runs; `None` is an unresolved criterion.
pub fn verdict_over_runs(runs: &[Verdict]) -> Option<Verdict> {
    majority(runs).copied()
}

/// A dimension's points by what became of its criteria, as a sum of their weights.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct CriteriaWeights {
    /// Passed.
    pub passed: f64,
    /// Failed.
    pub failed: f64,
    /// Without a majority.
    pub unresolved: f64,
    /// Not applicable.
    pub not_applicable: f64,
    /// Not checked.
    pub unable: f64,
}

/// The points of one dimension of an application.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct DimensionPoints {
    /// Points earned: those of the criteria passed.
    pub earned: f64,
    /// Points if every criterion that could not be checked had passed.
    pub high: f64,
    /// What became of the criteria.
    pub weights: CriteriaWeights,
}

impl CriteriaWeights {
    /// Sums the weights of criteria by their verdict over runs, `None` for unresolved.
    ///
    /// # Errors
    /// A weight that is negative or not finite.
    pub fn sum(criteria: &[(Option<Verdict>, f64)]) -> Result<Self, StatsError> {
        let mut sums = CriteriaWeights::default();
        for &(verdict, weight) in criteria {
            let weight = in_range("a criterion's weight", weight, 0.0, f64::MAX)?;
            *match verdict {
                Some(Verdict::Passed) => &mut sums.passed,
                Some(Verdict::Failed) => &mut sums.failed,
                Some(Verdict::NotApplicable) => &mut sums.not_applicable,
                Some(Verdict::Unable) => &mut sums.unable,
                None => &mut sums.unresolved,
            } += weight;
        }
        Ok(sums)
    }

    /// `max × passed / applicable`: the dimension's points, shared out over the criteria that apply.
    ///
    /// Unresolved criteria earn nothing. `None` where no criterion applies.
    ///
    /// ```
    /// use webeval_stats::criteria::{CriteriaWeights, Verdict};
    /// let (pass, fail) = (Some(Verdict::Passed), Some(Verdict::Failed));
    /// let points = CriteriaWeights::sum(&[(pass, 1.0), (fail, 1.0), (pass, 1.0)])?.points(22.5)?;
    /// assert_eq!(points.unwrap().earned, 15.0);
    /// # Ok::<(), webeval_stats::StatsError>(())
    /// ```
    ///
    /// # Errors
    /// A maximum, or a sum of weights, that is negative or not finite.
    pub fn points(&self, max: f64) -> Result<Option<DimensionPoints>, StatsError> {
        in_range("a dimension's points", max, 0.0, f64::MAX)?;
        let applicable = self.passed + self.failed + self.unresolved + self.unable;
        in_range("the weights of criteria", applicable, 0.0, f64::MAX)?;
        if applicable == 0.0 {
            return Ok(None);
        }
        let share = |weight: f64| max * (weight / applicable);
        Ok(Some(DimensionPoints { earned: share(self.passed), high: share(self.passed + self.unable), weights: *self }))
    }
}
