//! Ranks, with both ways of treating ties that the papers need.

use crate::error::{StatsError, all_finite};
use std::cmp::Ordering;

/// Order of two finite numbers; unlike `total_cmp`, −0 and 0 are equal.
pub(crate) fn order(a: f64, b: f64) -> Ordering {
    a.partial_cmp(&b).unwrap_or(Ordering::Equal)
}

/// The place of each value on a leaderboard: 1 for the highest; equal values share the better
/// place, and the places after it stay empty ("1, 2, 2, 4").
///
/// # Errors
/// A value that is not finite.
pub fn leaderboard_ranks(values: &[f64]) -> Result<Vec<usize>, StatsError> {
    all_finite("a value to rank", values)?;
    let descending = |a: f64, b: f64| order(b, a);
    Ok(tie_groups(values, descending, |first, _| first + 1))
}

/// The rank of each value from 1 for the lowest; equal values share the mean of their places, as
/// Spearman's correlation needs.
///
/// # Errors
/// A value that is not finite.
pub fn average_ranks(values: &[f64]) -> Result<Vec<f64>, StatsError> {
    all_finite("a value to rank", values)?;
    Ok(tie_groups(values, order, |first, last| (first + last) as f64 / 2.0 + 1.0))
}

/// Sorts, and gives all members of a run of equal values what `rank` makes of the run's first and
/// last position.
fn tie_groups<R: Copy + Default>(
    values: &[f64],
    compare: impl Fn(f64, f64) -> Ordering,
    rank: impl Fn(usize, usize) -> R,
) -> Vec<R> {
    let mut by_value: Vec<usize> = (0..values.len()).collect();
    by_value.sort_by(|&i, &j| compare(values[i], values[j]));
    let mut ranks = vec![R::default(); values.len()];
    let mut first = 0;
    for run in by_value.chunk_by(|&i, &j| values[i] == values[j]) {
        let shared = rank(first, first + run.len() - 1);
        for &i in run {
            ranks[i] = shared;
        }
        first += run.len();
    }
    ranks
}
