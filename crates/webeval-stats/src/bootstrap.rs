//! Percentile bootstrap: how far a figure would move had other tasks been drawn.
//!
//! A benchmark's tasks are a sample. Drawing as many tasks again from it, with replacement, and
//! computing the figure anew, some thousands of times, shows its spread; the interval holds the
//! middle 95 % (or another level) of those values. Tasks are drawn once per resample for *all*
//! models, so that what the models share (a hard task is hard for all) does not widen the
//! difference between them.

use crate::error::{StatsError, at_least, in_range};
use crate::rng::SplitMix64;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

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
    /// `None` when more than one resample in twenty left the figure undefined.
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
        Bootstrap::new(raw.seed)
            .with_resamples(raw.resamples)?
            .with_level(raw.level)
    }
}

impl Bootstrap {
    /// Resamples of [`Bootstrap::new`].
    pub const DEFAULT_RESAMPLES: usize = 2_000;
    /// Level of [`Bootstrap::new`].
    pub const DEFAULT_LEVEL: f64 = 0.95;

    /// 2,000 resamples and a 95 % interval.
    pub fn new(seed: u64) -> Self {
        Bootstrap {
            seed,
            resamples: Self::DEFAULT_RESAMPLES,
            level: Self::DEFAULT_LEVEL,
        }
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

    /// The interval of a statistic over `n` observations.
    ///
    /// `statistic` is given the indices of the observations drawn (`n` of them, with repeats) and
    /// returns `None` where it is undefined on them. Resample `i` draws its indices with
    /// [`SplitMix64::stream`]`(seed, i)` and [`SplitMix64::below`]`(n)`.
    ///
    /// ```
    /// use webeval_stats::Bootstrap;
    /// let gains = [1.0, 2.0, 0.5, 3.0, 2.5, 1.5, 0.0, 2.0];
    /// let mean = |drawn: &[usize]| Some(drawn.iter().map(|&i| gains[i]).sum::<f64>() / 8.0);
    /// let interval = Bootstrap::new(7).interval(gains.len(), mean)?;
    /// assert!(interval.low < 1.5625 && 1.5625 < interval.high);
    /// # Ok::<(), webeval_stats::StatsError>(())
    /// ```
    ///
    /// # Errors
    /// No observation, or more than one resample in twenty undefined.
    pub fn interval<F>(&self, n: usize, statistic: F) -> Result<Interval, StatsError>
    where
        F: Fn(&[usize]) -> Option<f64> + Sync,
    {
        at_least("a bootstrap", 1, n)?;
        let values = self.map(n, |drawn| statistic(drawn).filter(|v| v.is_finite()));
        self.percentiles(values.into_iter().flatten().collect())
            .ok_or(StatsError::Undefined {
                what: "a bootstrap interval",
                why: "the figure is undefined on too many resamples",
            })
    }

    /// A statistic on the data as they are, with its interval.
    ///
    /// # Errors
    /// As [`interval`](Self::interval), except that too many undefined resamples give an estimate
    /// without an interval; and a statistic that is undefined on the data themselves.
    pub fn estimate<F>(&self, n: usize, statistic: F) -> Result<Estimate, StatsError>
    where
        F: Fn(&[usize]) -> Option<f64> + Sync,
    {
        at_least("a bootstrap", 1, n)?;
        let all: Vec<usize> = (0..n).collect();
        let value = statistic(&all)
            .filter(|v| v.is_finite())
            .ok_or(StatsError::Undefined {
                what: "the figure to bootstrap",
                why: "it has no value on the data themselves",
            })?;
        Ok(Estimate {
            value,
            interval: self.interval(n, statistic).ok(),
        })
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

    /// The interval of the values that the defined resamples gave.
    pub(crate) fn percentiles(&self, mut values: Vec<f64>) -> Option<Interval> {
        if values.is_empty() || values.len() * 20 < self.resamples * 19 {
            return None;
        }
        values.sort_unstable_by(f64::total_cmp);
        let tail = (1.0 - self.level) / 2.0;
        Some(Interval {
            low: sorted_quantile(&values, tail),
            high: sorted_quantile(&values, 1.0 - tail),
        })
    }
}

/// Quantile of sorted, non-empty values, linear between neighbours (type 7, numpy's default).
fn sorted_quantile(sorted: &[f64], q: f64) -> f64 {
    let place = q * (sorted.len() - 1) as f64;
    let below = place.floor() as usize;
    let above = (below + 1).min(sorted.len() - 1);
    let share = place - below as f64;
    sorted[below] + share * (sorted[above] - sorted[below])
}
