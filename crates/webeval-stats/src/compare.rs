//! Two models, or two judges, side by side.

use crate::bootstrap::{Bootstrap, Estimate};
use crate::correlation::{Correlation, kendall, pearson, spearman};
use crate::error::{StatsError, at_least};
use crate::leaderboard::{Leaderboard, Resolved, Settings};
use crate::names::ModelName;
use crate::pairwise::OrderAgreement;
use crate::permutation::{PermutationTest, paired_permutation};
use crate::power::tasks_to_separate;
use crate::scheme::Combine;
use crate::sections::HeadToHead;
use crate::standard::sample_deviation;
use crate::table::ScoreTable;
use serde::{Deserialize, Serialize};

/// Whether one model is better than another, or the tasks just fell that way.
#[non_exhaustive]
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ModelComparison {
    /// The model whose advantage is measured.
    pub first: ModelName,
    /// The model it is compared with.
    pub second: ModelName,
    /// Mean difference of the per-task totals, first minus second, on the leaderboard's scale.
    pub difference: Estimate,
    /// Paired permutation test of that difference.
    pub test: PermutationTest,
    /// Tasks won, tied and lost.
    pub outcomes: HeadToHead,
    /// Mean difference over its sample deviation; `None` where the differences do not vary.
    pub effect: Option<f64>,
    /// Tasks a paired t-test would need to find such an effect with the power and significance
    /// level asked for; `None` where the effect is none or too small.
    pub tasks_needed: Option<usize>,
}

/// How sure a comparison is to be.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Certainty {
    /// Accepted chance of finding a difference that is not there.
    pub alpha: f64,
    /// Wanted chance of finding one that is.
    pub power: f64,
}

impl Default for Certainty {
    /// 5 % and 80 %.
    fn default() -> Self {
        Certainty { alpha: 0.05, power: 0.8 }
    }
}

/// Compares two models task by task.
///
/// A task's difference is what it contributes to the difference of the totals: the weighted sum of
/// the differences in the dimensions, each divided by the pool's deviation (or the reference's)
/// where the scheme standardises. Tasks on which either model lacks a countable score in a
/// dimension that the other has are left out; dimensions that neither has on a task are left out of
/// their component, as for [single applications](crate::votes::application_totals). The deviations
/// are held fixed at the leaderboard's.
///
/// The bootstrap of the settings, or a default one with seed 0, gives the interval and the seed and
/// number of rounds of the permutation test (at least 10,000).
///
/// # Errors
/// A model that the table does not have, no task that both have, a dimension without deviation, and
/// as [`Leaderboard::new`].
pub fn models(
    table: &ScoreTable,
    settings: &Settings,
    first: &ModelName,
    second: &ModelName,
    certainty: Certainty,
) -> Result<ModelComparison, StatsError> {
    let differences = task_differences(table, settings, first, second)?;
    at_least("a comparison (tasks that both models have)", 1, differences.len())?;
    let default = Bootstrap::new(0);
    let bootstrap = settings.bootstrap().unwrap_or(&default);
    let n = differences.len() as f64;
    let difference =
        bootstrap.estimate(differences.len(), |drawn| Some(drawn.iter().map(|&i| differences[i]).sum::<f64>() / n))?;
    let rounds = bootstrap.resamples().max(10_000);
    let effect = sample_deviation(&differences)
        .ok()
        .map(|deviation| difference.value / deviation)
        .filter(|effect| effect.is_finite());
    Ok(ModelComparison {
        first: first.clone(),
        second: second.clone(),
        difference,
        test: paired_permutation(&differences, rounds, bootstrap.seed())?,
        outcomes: HeadToHead::of(&differences, &vec![0.0; differences.len()], 0.0)?,
        effect,
        tasks_needed: effect.and_then(|e| tasks_to_separate(e, certainty.alpha, certainty.power).ok()),
    })
}

/// The difference of the two models' totals on each task that both have.
fn task_differences(
    table: &ScoreTable,
    settings: &Settings,
    first: &ModelName,
    second: &ModelName,
) -> Result<Vec<f64>, StatsError> {
    let resolved = Resolved::new(table, settings)?;
    let scales = scales(table, settings)?;
    let width = scales.len();
    let (a, b) = (table.model(first)? * width, table.model(second)? * width);
    let scheme = table.scheme();
    let mut differences = Vec::new();
    'tasks: for task in 0..resolved.tasks.len() {
        let mut parts = Vec::with_capacity(width);
        for (d, scale) in scales.iter().enumerate() {
            match (resolved.value(task, a + d), resolved.value(task, b + d)) {
                (Some(x), Some(y)) => parts.push(Some((x - y) / scale)),
                (None, None) => parts.push(None),
                _ => continue 'tasks,
            }
        }
        let components: Vec<Option<f64>> = scheme
            .components()
            .iter()
            .map(|c| scheme.component(&parts[c.members()[0]..][..c.members().len()]))
            .collect();
        differences.extend(scheme.total(&components));
    }
    Ok(differences)
}

/// What each dimension's differences are divided by.
fn scales(table: &ScoreTable, settings: &Settings) -> Result<Vec<f64>, StatsError> {
    let width = table.scheme().dimensions().len();
    if table.scheme().combine() != Combine::StandardisedMean {
        return Ok(vec![1.0; width]);
    }
    let mut plain = Settings::new(settings.missing()).with_not_deployed(settings.not_deployed());
    if let Some(reference) = settings.reference() {
        plain = plain.with_reference(reference.clone());
    }
    // A dimension that no model has on any task divides nothing.
    let board = Leaderboard::new(table, &plain)?;
    let scored = |d: usize| board.standings.iter().any(|s| s.dimensions[d].mean.is_some());
    (0..width)
        .map(|d| match board.pool[d] {
            Some(moments) => Ok(moments.deviation()),
            None if !scored(d) => Ok(1.0),
            None => Err(StatsError::Undefined {
                what: "a comparison of models",
                why: "a dimension of the pool has no deviation",
            }),
        })
        .collect()
}

/// How far two judges agree on the models of two leaderboards (WebCraftBench §5.4).
#[non_exhaustive]
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct JudgeComparison {
    /// The models that both rank, in the first judge's order.
    pub models: Vec<ModelName>,
    /// Totals by the first judge, in the order of `models`.
    pub first: Vec<f64>,
    /// Totals by the second judge.
    pub second: Vec<f64>,
    /// Pearson's correlation of the totals; `None` where undefined.
    pub pearson: Option<Correlation>,
    /// Spearman's.
    pub spearman: Option<Correlation>,
    /// Kendall's τ-b.
    pub kendall: Option<Correlation>,
    /// Pairs of models that keep or reverse their order; places are those in `models`.
    pub order: OrderAgreement,
}

/// Compares the totals of two leaderboards over the models that both rank.
///
/// # Errors
/// Fewer than two models in common.
pub fn judges(first: &Leaderboard, second: &Leaderboard) -> Result<JudgeComparison, StatsError> {
    let common: Vec<(&ModelName, f64, f64)> = first
        .standings
        .iter()
        .filter_map(|s| {
            let other = second.standing(&s.model)?;
            Some((&s.model, s.total?.value, other.total?.value))
        })
        .collect();
    at_least("a comparison of judges (models in common)", 2, common.len())?;
    let x: Vec<f64> = common.iter().map(|c| c.1).collect();
    let y: Vec<f64> = common.iter().map(|c| c.2).collect();
    Ok(JudgeComparison {
        models: common.iter().map(|c| c.0.clone()).collect(),
        pearson: pearson(&x, &y).ok(),
        spearman: spearman(&x, &y).ok(),
        kendall: kendall(&x, &y).ok(),
        order: OrderAgreement::new(&x, &y)?,
        first: x,
        second: y,
    })
}
