//! Bootstrap intervals: how far a figure would move had other tasks been drawn.
//!
//! A benchmark's tasks are a sample. Drawing as many tasks again from it, with replacement, and
//! computing the figure anew, some thousands of times, shows its spread. Tasks are drawn once per
//! resample for *all* models, so that what the models share (a hard task is hard for all) does not
//! widen the difference between them.
//!
//! The interval is Efron's *bias-corrected* percentile interval. A plain one holds the middle 95 %
//! of the resampled values; but noise inflates the pool's deviation in every resample, which pulls
//! all z-scores towards 0 and leaves the best and the worst model outside of plain intervals too
//! often. With `p` the share of resampled values below the figure itself (equal ones, up to 10⁻¹² of the largest magnitude, half) and
//! `z₀ = Φ⁻¹(p)`, the ends are the quantiles at `Φ(2 z₀ ± Φ⁻¹((1 + level) / 2))`.

use crate::error::{StatsError, at_least, in_range};
use crate::rank::order;
use crate::rng::SplitMix64;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use statrs::function::erf::{erfc, erfc_inv};
use std::f64::consts::SQRT_2;

/// Two values this close, relative to the largest magnitude, differ by rounding only.
const ROUNDING: f64 = 1e-12;

/// Where a figure lies with the stated confidence.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Interval {
    /// Lower end.
    pub low: f64,
    /// Upper end.
    pub high: f64,
}

/// A figure with its interval, where one could be computed.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Estimate {
    /// The figure on the data as they are.
    pub value: f64,
    /// `None` when more than one resample in twenty left the figure undefined, and with a single
    /// observation, which shows no spread.
    pub interval: Option<Interval>,
}

/// How often to resample, from which seed, and how much the interval is to hold.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "RawBootstrap")]
pub struct Bootstrap {
    seed: u64,
    resamples: usize,
    level: f64,
}

/// What a file may hold before it has been checked.
#[derive(Deserialize)]
struct RawBootstrap {
    seed: u64,
    resamples: usize,
    level: f64,
}

impl TryFrom<RawBootstrap> for Bootstrap {
    type Error = StatsError;

    fn try_from(raw: RawBootstrap) -> Result<Self, StatsError> {
        Bootstrap::new(raw.seed).with_resamples(raw.resamples)?.with_level(raw.level)
    }
}

impl Bootstrap {
    /// Resamples of [`Bootstrap::new`].
    pub const DEFAULT_RESAMPLES: usize = 2_000;
    /// Level of [`Bootstrap::new`].
    pub const DEFAULT_LEVEL: f64 = 0.95;

    /// 2,000 resamples and a 95 % interval.
    pub fn new(seed: u64) -> Self {
        Bootstrap { seed, resamples: Self::DEFAULT_RESAMPLES, level: Self::DEFAULT_LEVEL }
    }

    /// Sets the number of resamples.
    ///
    /// # Errors
    /// Fewer than 20: no interval worth printing comes of so few.
    pub fn with_resamples(mut self, resamples: usize) -> Result<Self, StatsError> {
        at_least("a bootstrap", 20, resamples)?;
        self.resamples = resamples;
        Ok(self)
    }

    /// Sets the share of resamples that the interval holds, such as 0.95.
    ///
    /// # Errors
    /// A level outside [0.5, 0.999].
    pub fn with_level(mut self, level: f64) -> Result<Self, StatsError> {
        self.level = in_range("a confidence level", level, 0.5, 0.999)?;
        Ok(self)
    }

    /// The seed.
    pub fn seed(&self) -> u64 {
        self.seed
    }

    /// The number of resamples.
    pub fn resamples(&self) -> usize {
        self.resamples
    }

    /// The share of resamples that the interval holds.
    pub fn level(&self) -> f64 {
        self.level
    }

    /// A statistic over `n` observations, with its interval.
    ///
    /// `statistic` is given the indices of the observations drawn (`n` of them, with repeats) and
    /// returns `None` where it is undefined on them. Resample `i` draws its indices with
    /// [`SplitMix64::stream`]`(seed, i)` and [`SplitMix64::below`]`(n)`.
    ///
    /// ```
    /// use webeval_stats::Bootstrap;
    /// let gains = [1.0, 2.0, 0.5, 3.0, 2.5, 1.5, 0.0, 2.0];
    /// let mean = |drawn: &[usize]| Some(drawn.iter().map(|&i| gains[i]).sum::<f64>() / 8.0);
    /// let estimate = Bootstrap::new(7).estimate(gains.len(), mean)?;
    /// let interval = estimate.interval.unwrap();
    /// assert!(interval.low < estimate.value && estimate.value < interval.high);
    /// # Ok::<(), webeval_stats::StatsError>(())
    /// ```
    ///
    /// # Errors
    /// No observation, or a statistic that is undefined on the data themselves. One that is
    /// undefined on more than one resample in twenty, or rests on one observation, has no interval.
    pub fn estimate<F>(&self, n: usize, statistic: F) -> Result<Estimate, StatsError>
    where
        F: Fn(&[usize]) -> Option<f64> + Sync,
    {
        at_least("a bootstrap", 1, n)?;
        let all: Vec<usize> = (0..n).collect();
        let value = statistic(&all).filter(|v| v.is_finite()).ok_or(StatsError::Undefined {
            what: "the figure to bootstrap",
            why: "it has no value on the data themselves",
        })?;
        if n == 1 {
            // Drawn again it is always the same: no interval rather than one of no width.
            return Ok(Estimate { value, interval: None });
        }
        let values = self.map(n, |drawn| statistic(drawn).filter(|v| v.is_finite()));
        Ok(Estimate { value, interval: self.interval(value, values.into_iter().flatten().collect()) })
    }

    /// What `f` makes of each resample, in the order of the resamples.
    pub(crate) fn map<T: Send>(&self, n: usize, f: impl Fn(&[usize]) -> T + Sync) -> Vec<T> {
        (0..self.resamples as u64)
            .into_par_iter()
            .map_init(
                || vec![0; n],
                |drawn, resample| {
                    let mut rng = SplitMix64::stream(self.seed, resample);
                    drawn.fill_with(|| rng.below(n));
                    f(drawn)
                },
            )
            .collect()
    }

    /// The interval of a figure from the values that the defined resamples gave.
    pub(crate) fn interval(&self, figure: f64, mut values: Vec<f64>) -> Option<Interval> {
        if values.is_empty() || values.len() * 20 < self.resamples * 19 {
            return None;
        }
        values.sort_unstable_by(|a, b| order(*a, *b));
        let count = values.len() as f64;
        // Sums in another order differ by rounding; such values are equal to the figure.
        let rounding = ROUNDING * values[0].abs().max(values[values.len() - 1].abs());
        let below = values.partition_point(|&v| v < figure - rounding);
        let equal = values[below..].partition_point(|&v| v <= figure + rounding);
        let share = (below as f64 + equal as f64 / 2.0) / count;
        // No more extreme than so many resamples can show.
        let bias = normal_quantile(share.clamp(0.5 / count, 1.0 - 0.5 / count));
        let half = normal_quantile((1.0 + self.level) / 2.0);
        let end = |shift: f64| sorted_quantile(&values, normal_share(2.0 * bias + shift));
        Some(Interval { low: end(-half), high: end(half) })
    }
}

/// The share of a standard normal distribution below `z`.
fn normal_share(z: f64) -> f64 {
    erfc(-z / SQRT_2) / 2.0
}

/// The value below which a share of a standard normal distribution lies.
fn normal_quantile(share: f64) -> f64 {
    -SQRT_2 * erfc_inv(2.0 * share)
}

/// Quantile of sorted, non-empty values, linear between neighbours (type 7, numpy's default).
fn sorted_quantile(sorted: &[f64], q: f64) -> f64 {
    let place = q * (sorted.len() - 1) as f64;
    let below = place.floor() as usize;
    let above = (below + 1).min(sorted.len() - 1);
    let share = place - below as f64;
    sorted[below] + share * (sorted[above] - sorted[below])
}
