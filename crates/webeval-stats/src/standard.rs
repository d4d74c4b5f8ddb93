//! Standard scores: how far a value lies from its pool's mean, in deviations of that pool.

use crate::error::{StatsError, all_finite, at_least, finite};
use serde::{Deserialize, Serialize};

/// A deviation this small beside the largest value is rounding, not spread.
const NO_SPREAD: f64 = 1e-12;

/// A pool's mean and *population* standard deviation, the deviation being positive.
///
/// With both taken from the pool itself, z-scores compare only within that pool; with both read
/// from a file they compare across pools (WebCraftBench §6 names this as future work).
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "RawMoments")]
pub struct Moments {
    mean: f64,
    deviation: f64,
}

/// What a file may hold before it has been checked.
#[derive(Deserialize)]
struct RawMoments {
    mean: f64,
    deviation: f64,
}

impl TryFrom<RawMoments> for Moments {
    type Error = StatsError;

    fn try_from(raw: RawMoments) -> Result<Self, StatsError> {
        Moments::new(raw.mean, raw.deviation)
    }
}

impl Moments {
    /// Takes a given mean and deviation.
    ///
    /// # Errors
    /// A value that is not finite, or a deviation that is not positive.
    pub fn new(mean: f64, deviation: f64) -> Result<Self, StatsError> {
        finite("a reference mean", mean)?;
        finite("a reference deviation", deviation)?;
        if deviation > 0.0 {
            Ok(Moments { mean, deviation })
        } else {
            Err(StatsError::Undefined { what: "a z-score", why: "the reference deviation is not positive" })
        }
    }

    /// Mean and population deviation (division by n) of a pool.
    ///
    /// # Errors
    /// Fewer than two values, one that is not finite, or a pool without spread: a deviation of no
    /// more than 10⁻¹² times the largest magnitude is rounding.
    pub fn of_pool(values: &[f64]) -> Result<Self, StatsError> {
        at_least("a pool's deviation", 2, values.len())?;
        let mean = mean(values)?;
        let deviation = population_deviation(values)?;
        let largest = values.iter().fold(0.0_f64, |m, v| m.max(v.abs()));
        if deviation <= NO_SPREAD * largest || deviation == 0.0 {
            return Err(StatsError::Undefined { what: "a z-score", why: "all values of the pool are equal" });
        }
        Ok(Moments { mean, deviation })
    }

    /// μ.
    pub fn mean(&self) -> f64 {
        self.mean
    }

    /// σ, positive.
    pub fn deviation(&self) -> f64 {
        self.deviation
    }

    /// `z = (x − μ) / σ` (WebCraftBench §4.4).
    ///
    /// # Errors
    /// A value that is not finite.
    pub fn z(&self, value: f64) -> Result<f64, StatsError> {
        finite("a value to standardise", value)?;
        finite("a z-score", (value - self.mean) / self.deviation)
    }
}

/// The z-score of each value within its own pool.
///
/// ```
/// // Mean 4, population deviation 2.
/// let z = webeval_stats::pool_z_scores(&[2.0, 2.0, 6.0, 6.0])?;
/// assert_eq!(z, [-1.0, -1.0, 1.0, 1.0]);
/// # Ok::<(), webeval_stats::StatsError>(())
/// ```
///
/// # Errors
/// As [`Moments::of_pool`].
pub fn pool_z_scores(values: &[f64]) -> Result<Vec<f64>, StatsError> {
    let pool = Moments::of_pool(values)?;
    values.iter().map(|&value| pool.z(value)).collect()
}

/// The arithmetic mean.
///
/// # Errors
/// No value, or one that is not finite.
pub fn mean(values: &[f64]) -> Result<f64, StatsError> {
    at_least("a mean", 1, values.len())?;
    all_finite("a value of a mean", values)?;
    finite("a mean", values.iter().sum::<f64>() / values.len() as f64)
}

/// The standard deviation that divides by n.
///
/// # Errors
/// No value, or one that is not finite.
pub fn population_deviation(values: &[f64]) -> Result<f64, StatsError> {
    let mean = mean(values)?;
    root_mean_square(values, mean, values.len())
}

/// The standard deviation that divides by n − 1.
///
/// # Errors
/// Fewer than two values, or one that is not finite.
pub fn sample_deviation(values: &[f64]) -> Result<f64, StatsError> {
    at_least("a sample deviation", 2, values.len())?;
    let mean = mean(values)?;
    root_mean_square(values, mean, values.len() - 1)
}

fn root_mean_square(values: &[f64], mean: f64, divisor: usize) -> Result<f64, StatsError> {
    let squares: f64 = values.iter().map(|v| (v - mean) * (v - mean)).sum();
    finite("a deviation", (squares / divisor as f64).sqrt())
}

/// The five z-scores of one model, one per column of WebCraftBench's table 3.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct ZComponents {
    /// Visual aesthetics.
    pub aesthetics: f64,
    /// Usability.
    pub usability: f64,
    /// Requirement alignment: functional criteria.
    pub functional: f64,
    /// Requirement alignment: content criteria.
    pub content: f64,
    /// Requirement alignment: visual criteria.
    pub visual: f64,
}

impl ZComponents {
    /// The plain mean of the three alignment z-scores, not standardised again (§4.4).
    ///
    /// # Errors
    /// A component that is not finite.
    pub fn alignment(&self) -> Result<f64, StatsError> {
        mean(&[self.functional, self.content, self.visual])
    }

    /// The mean of aesthetics, usability and [alignment](Self::alignment) (§4.4).
    ///
    /// # Errors
    /// A component that is not finite.
    pub fn total(&self) -> Result<f64, StatsError> {
        mean(&[self.aesthetics, self.usability, self.alignment()?])
    }
}
