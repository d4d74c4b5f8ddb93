//! How far repeated evaluations of the same thing scatter (LiveEvalBench table 4).

use crate::error::{StatsError, at_least};
use crate::standard::{mean, population_deviation, sample_deviation};
use serde::{Deserialize, Serialize};

/// Which standard deviation; the paper does not say which it prints.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Deviation {
    /// Divides by n − 1: the runs are a sample of all the runs there could be.
    Sample,
    /// Divides by n.
    Population,
}

impl Deviation {
    fn of(self, values: &[f64]) -> Result<f64, StatsError> {
        match self {
            Deviation::Sample => sample_deviation(values),
            Deviation::Population => population_deviation(values),
        }
    }
}

/// Mean, deviation and their ratio over the runs of one query.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Spread {
    /// Mean score of the runs.
    pub mean: f64,
    /// Standard deviation of the runs.
    pub deviation: f64,
    /// Coefficient of variation, `deviation / |mean|`; `None` where the mean is 0.
    pub variation: Option<f64>,
}

/// The spread of each query and the means over all queries.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RunSpread {
    /// One entry a query, in the order given.
    pub queries: Vec<Spread>,
    /// Mean of the queries' deviations.
    pub mean_deviation: f64,
    /// Mean of the queries' coefficients of variation, over the queries that have one.
    pub mean_variation: Option<f64>,
    /// Queries whose mean is 0, so that they have no coefficient of variation.
    pub without_variation: usize,
}

/// Spread per query, then averaged; `runs[q]` holds the scores of query q's runs.
///
/// # Errors
/// No query, a query with fewer than two runs, or a score that is not finite.
pub fn run_spread(runs: &[Vec<f64>], kind: Deviation) -> Result<RunSpread, StatsError> {
    at_least("the mean spread of queries", 1, runs.len())?;
    let mut queries = Vec::with_capacity(runs.len());
    for scores in runs {
        at_least("the spread of a query's runs", 2, scores.len())?;
        let (mean, deviation) = (mean(scores)?, kind.of(scores)?);
        let variation = Some(deviation / mean.abs()).filter(|v| v.is_finite());
        queries.push(Spread { mean, deviation, variation });
    }
    let deviations: Vec<f64> = queries.iter().map(|q| q.deviation).collect();
    let variations: Vec<f64> = queries.iter().filter_map(|q| q.variation).collect();
    Ok(RunSpread {
        mean_deviation: mean(&deviations)?,
        mean_variation: mean(&variations).ok(),
        without_variation: queries.len() - variations.len(),
        queries,
    })
}
