//! Correlation coefficients with two-sided p-values.
//!
//! | function | asks | p-value |
//! | --- | --- | --- |
//! | [`pearson`] | do the scores lie on a line? | Student's t with n − 2 degrees of freedom |
//! | [`spearman`] | do the ranks? Ties share their mean rank | the same on ranks |
//! | [`kendall`] | of all pairs, how many keep their order? τ-b, corrected for ties | exact for n ≤ 33 without ties, else normal |
//!
//! WebCraftBench compares judges by the first two (§5.4) and its leaderboard with people's by the
//! second (§1).

use crate::error::{StatsError, all_finite, at_least, finite, same_length};
use crate::rank::{average_ranks, order};
use serde::{Deserialize, Serialize};
use statrs::function::beta::beta_reg;
use statrs::function::erf::erfc;

/// The largest sample for which Kendall's p-value counts permutations rather than approximates.
const EXACT_UP_TO: usize = 33;

/// A coefficient and how likely one at least as far from 0 would be without any relation.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Correlation {
    /// From −1 to 1.
    pub coefficient: f64,
    /// Two-sided; `None` for two pairs, from which nothing can be inferred.
    pub p_value: Option<f64>,
    /// Number of pairs.
    pub n: usize,
}

/// Pearson's product-moment correlation, `Σ(x−x̄)(y−ȳ) / √(Σ(x−x̄)² Σ(y−ȳ)²)`.
///
/// # Errors
/// Fewer than two pairs, lengths that differ, a value that is not finite, or one side constant.
pub fn pearson(x: &[f64], y: &[f64]) -> Result<Correlation, StatsError> {
    check("Pearson's correlation", x, y)?;
    let coefficient = product_moment(x, y)?;
    Ok(Correlation { coefficient, p_value: t_test(coefficient, x.len()), n: x.len() })
}

/// Spearman's rank correlation: Pearson's of the mean ranks.
///
/// # Errors
/// As [`pearson`].
pub fn spearman(x: &[f64], y: &[f64]) -> Result<Correlation, StatsError> {
    check("Spearman's correlation", x, y)?;
    pearson(&average_ranks(x)?, &average_ranks(y)?)
}

/// Kendall's τ-b, `(C − D) / √((P − Tₓ)(P − T_y))`, with C pairs in the same order, D in opposite
/// order, P pairs in all, Tₓ and T_y of them tied on one side. O(n log n).
///
/// # Errors
/// As [`pearson`].
pub fn kendall(x: &[f64], y: &[f64]) -> Result<Correlation, StatsError> {
    check("Kendall's correlation", x, y)?;
    let pairs = PairCounts::of(x, y);
    let (left, right) = (pairs.all - pairs.tied_x, pairs.all - pairs.tied_y);
    if left == 0 || right == 0 {
        return Err(constant());
    }
    let tau = pairs.surplus() as f64 / (left as f64).sqrt() / (right as f64).sqrt();
    Ok(Correlation {
        coefficient: tau.clamp(-1.0, 1.0),
        p_value: (x.len() > 2).then(|| pairs.p_value(x, y)),
        n: x.len(),
    })
}

fn check(what: &'static str, x: &[f64], y: &[f64]) -> Result<(), StatsError> {
    same_length("the two sides of a correlation", x.len(), y.len())?;
    at_least(what, 2, x.len())?;
    all_finite("a value to correlate", x)?;
    all_finite("a value to correlate", y)
}

fn constant() -> StatsError {
    StatsError::Undefined { what: "a correlation", why: "all values of one side are equal" }
}

/// Pearson's coefficient of checked input. Each side is brought to length 1 first, so that neither
/// huge nor tiny values overflow a product.
fn product_moment(x: &[f64], y: &[f64]) -> Result<f64, StatsError> {
    let (x, y) = (unit_deviations(x)?, unit_deviations(y)?);
    let product: f64 = x.iter().zip(&y).map(|(a, b)| a * b).sum();
    Ok(finite("a correlation", product)?.clamp(-1.0, 1.0))
}

fn unit_deviations(values: &[f64]) -> Result<Vec<f64>, StatsError> {
    let n = values.len() as f64;
    // Dividing before summing keeps the mean of huge values finite.
    let mean: f64 = values.iter().map(|v| v / n).sum();
    let largest = values.iter().fold(0.0_f64, |m, v| m.max(v.abs()));
    let deviations: Vec<f64> = values.iter().map(|v| v - mean).collect();
    let spread = deviations.iter().fold(0.0_f64, |m, d| m.max(d.abs()));
    if spread <= 1e-13 * largest {
        return Err(constant());
    }
    finite("the spread of values to correlate", spread)?;
    let scaled: Vec<f64> = deviations.iter().map(|d| d / spread).collect();
    let length = scaled.iter().map(|d| d * d).sum::<f64>().sqrt();
    Ok(scaled.iter().map(|d| d / length).collect())
}

/// Two-sided p of `t = r √((n−2) / (1−r²))`, by the incomplete beta function.
fn t_test(r: f64, n: usize) -> Option<f64> {
    if n < 3 {
        return None;
    }
    let unexplained = (1.0 - r.abs()) * (1.0 + r.abs());
    Some(beta_reg((n - 2) as f64 / 2.0, 0.5, unexplained).clamp(0.0, 1.0))
}

/// Pairs of a sample by how the two sides order them.
struct PairCounts {
    all: u64,
    tied_x: u64,
    tied_y: u64,
    tied_both: u64,
    discordant: u64,
}

impl PairCounts {
    /// Knight's algorithm: sorted by x, the discordant pairs are the inversions of y.
    fn of(x: &[f64], y: &[f64]) -> Self {
        let mut pairs: Vec<(f64, f64)> = x.iter().copied().zip(y.iter().copied()).collect();
        pairs.sort_by(|a, b| order(a.0, b.0).then(order(a.1, b.1)));
        let n = pairs.len() as u64;
        let tied_x = tied_pairs(pairs.chunk_by(|a, b| a.0 == b.0));
        let tied_both = tied_pairs(pairs.chunk_by(|a, b| a == b));
        let mut ys: Vec<f64> = pairs.iter().map(|pair| pair.1).collect();
        let discordant = sort_counting_inversions(&mut ys);
        PairCounts {
            all: n * (n - 1) / 2,
            tied_x,
            tied_y: tied_pairs(ys.chunk_by(|a, b| a == b)),
            tied_both,
            discordant,
        }
    }

    /// Concordant minus discordant pairs.
    fn surplus(&self) -> i64 {
        let untied = self.all + self.tied_both - self.tied_x - self.tied_y;
        untied as i64 - 2 * self.discordant as i64
    }

    fn p_value(&self, x: &[f64], y: &[f64]) -> f64 {
        let fewer = self.discordant.min(self.all.saturating_sub(self.discordant));
        let no_ties = self.tied_x == 0 && self.tied_y == 0;
        if no_ties && (x.len() <= EXACT_UP_TO || fewer <= 1) {
            return exact_p(x.len(), fewer, self.all);
        }
        (erfc(self.surplus().unsigned_abs() as f64 / self.variance(x, y).sqrt() / 2f64.sqrt())).clamp(0.0, 1.0)
    }

    /// Variance of the surplus without any relation, given the ties (Kendall 1970).
    fn variance(&self, x: &[f64], y: &[f64]) -> f64 {
        let n = x.len() as f64;
        let m = n * (n - 1.0);
        let (x_cubic, x_linear) = tie_terms(x);
        let (y_cubic, y_linear) = tie_terms(y);
        (m * (2.0 * n + 5.0) - x_linear - y_linear) / 18.0
            + 2.0 * self.tied_x as f64 * self.tied_y as f64 / m
            + x_cubic * y_cubic / (9.0 * m * (n - 2.0))
    }
}

fn tied_pairs<'a, T: 'a>(runs: impl Iterator<Item = &'a [T]>) -> u64 {
    runs.map(|run| run.len() as u64 * (run.len() as u64 - 1) / 2).sum()
}

/// Σ t(t−1)(t−2) and Σ t(t−1)(2t+5) over the sizes t of the groups of equal values.
fn tie_terms(values: &[f64]) -> (f64, f64) {
    let mut sorted = values.to_vec();
    sorted.sort_by(|a, b| order(*a, *b));
    sorted.chunk_by(|a, b| a == b).fold((0.0, 0.0), |sums, run| {
        let t = run.len() as f64;
        let pairs = t * (t - 1.0);
        (sums.0 + pairs * (t - 2.0), sums.1 + pairs * (2.0 * t + 5.0))
    })
}

/// Bottom-up merge sort that counts the pairs in strictly descending order.
fn sort_counting_inversions(values: &mut Vec<f64>) -> u64 {
    let n = values.len();
    let mut inversions = 0;
    let mut merged = Vec::with_capacity(n);
    let mut width = 1;
    while width < n {
        merged.clear();
        for start in (0..n).step_by(2 * width) {
            let (middle, end) = ((start + width).min(n), (start + 2 * width).min(n));
            let (mut i, mut j) = (start, middle);
            while i < middle || j < end {
                if j == end || (i < middle && values[i] <= values[j]) {
                    merged.push(values[i]);
                    i += 1;
                } else {
                    merged.push(values[j]);
                    inversions += (middle - i) as u64;
                    j += 1;
                }
            }
        }
        std::mem::swap(values, &mut merged);
        width *= 2;
    }
    inversions
}

/// Twice the share of all permutations with at most `fewer` inversions.
///
/// Inserting the j-th element adds 0 to j − 1 inversions, each as likely.
fn exact_p(n: usize, fewer: u64, all: u64) -> f64 {
    if 2 * fewer == all {
        return 1.0;
    }
    let kept = fewer as usize + 1;
    let mut probability = vec![0.0; kept];
    probability[0] = 1.0;
    for j in 2..=n {
        let mut window = 0.0;
        let previous = probability.clone();
        for k in 0..kept {
            window += previous[k];
            if k >= j {
                window -= previous[k - j];
            }
            probability[k] = window / j as f64;
        }
    }
    (2.0 * probability.iter().sum::<f64>()).clamp(0.0, 1.0)
}
