//! Paired permutation test: would two models differ this much if each task's winner were a coin toss?

use crate::error::{StatsError, all_finite, at_least, finite};
use crate::rng::SplitMix64;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

/// Up to so many differences that are not 0, all sign patterns are counted.
const EXACT_UP_TO: usize = 20;
/// Two sums this close, relative to the sum of magnitudes, differ by rounding only.
const ROUNDING: f64 = 1e-12;

/// How a p-value was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Method {
    /// All sign patterns were counted.
    Exact,
    /// Sign patterns were drawn at random.
    Sampled,
}

/// The outcome of [`paired_permutation`].
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct PermutationTest {
    /// Mean of the differences, first model minus second.
    pub mean_difference: f64,
    /// Two-sided p-value.
    pub p_value: f64,
    /// Number of tasks.
    pub tasks: usize,
    /// Exact or sampled.
    pub method: Method,
}

/// Tests per-task differences against 0 by flipping their signs.
///
/// p is the share of sign patterns whose sum is at least as far from 0 as the one observed. With at
/// most 20 differences other than 0 all patterns are counted; otherwise `rounds` are drawn and
/// `p = (1 + hits) / (1 + rounds)`. Round i takes its signs, 64 tasks a draw, lowest bit first, from
/// [`SplitMix64::stream`]`(seed, i)`; a set bit flips.
///
/// # Errors
/// No difference, one that is not finite, or no round.
pub fn paired_permutation(differences: &[f64], rounds: usize, seed: u64) -> Result<PermutationTest, StatsError> {
    at_least("a permutation test", 1, differences.len())?;
    at_least("the rounds of a permutation test", 1, rounds)?;
    all_finite("a difference", differences)?;
    let sum = finite("the sum of differences", differences.iter().sum::<f64>())?;
    let moving: Vec<f64> = differences.iter().copied().filter(|&d| d != 0.0).collect();
    let magnitude = finite("the sum of differences", moving.iter().map(|d| d.abs()).sum::<f64>())?;
    let bar = sum.abs() - ROUNDING * magnitude;
    let exact = moving.len() <= EXACT_UP_TO;
    let p_value = if exact { exact_share(&moving, bar) } else { sampled_share(&moving, bar, rounds, seed) };
    Ok(PermutationTest {
        mean_difference: sum / differences.len() as f64,
        p_value,
        tasks: differences.len(),
        method: if exact { Method::Exact } else { Method::Sampled },
    })
}

fn exact_share(differences: &[f64], bar: f64) -> f64 {
    let patterns = 1u64 << differences.len();
    let hits = (0..patterns).into_par_iter().filter(|&signs| signed_sum(differences, |_| signs).abs() >= bar).count();
    hits as f64 / patterns as f64
}

fn sampled_share(differences: &[f64], bar: f64, rounds: usize, seed: u64) -> f64 {
    let hits = (0..rounds as u64)
        .into_par_iter()
        .filter(|&round| {
            let mut rng = SplitMix64::stream(seed, round);
            signed_sum(differences, |_| rng.next_u64()).abs() >= bar
        })
        .count();
    (hits + 1) as f64 / (rounds + 1) as f64
}

/// The sum with the differences flipped whose bit is set; `bits` is asked once for each 64.
fn signed_sum(differences: &[f64], mut bits: impl FnMut(usize) -> u64) -> f64 {
    let mut sum = 0.0;
    for (block, chunk) in differences.chunks(64).enumerate() {
        let mut signs = bits(block);
        for d in chunk {
            // A select, not a branch: signs are random, so a branch would be mispredicted.
            sum += if signs & 1 == 1 { -d } else { *d };
            signs >>= 1;
        }
    }
    sum
}
