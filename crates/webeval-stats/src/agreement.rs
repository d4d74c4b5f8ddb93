//! Agreement between raters, raw and corrected for chance.
//!
//! Two raters who say "pass" to nine tasks in ten agree often by luck alone. Each coefficient
//! subtracts the agreement expected by chance, `(observed − chance) / (1 − chance)`, and differs in
//! what it takes chance to be: the two raters' own habits ([`cohen_kappa`]), the categories'
//! prevalence in a way that stays stable when one category is rare ([`gwet_ac1`]), or a random
//! reshuffling of all ratings ([`krippendorff_alpha`], which also takes numbers, more than two
//! raters and missing ratings).

use crate::error::{StatsError, all_finite, at_least, same_length};
use crate::pairwise::Agreed;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// The share of items on which two raters agree, 0 to 1 (LiveEvalBench, human agreement).
///
/// # Errors
/// No item, or lengths that differ.
pub fn percent_agreement<T: PartialEq>(a: &[T], b: &[T]) -> Result<f64, StatsError> {
    same_length("the ratings of two raters", a.len(), b.len())?;
    at_least("agreement", 1, a.len())?;
    let same = a.iter().zip(b).filter(|(x, y)| x == y).count();
    Ok(same as f64 / a.len() as f64)
}

/// Cohen's κ for two raters: chance is `Σ p_a(k) p_b(k)` over the categories k, from each rater's
/// own frequencies (LiveEvalBench, agreement across evaluator models).
///
/// # Errors
/// No item, lengths that differ, or both raters naming one and the same category throughout.
pub fn cohen_kappa<T: Ord>(a: &[T], b: &[T]) -> Result<f64, StatsError> {
    let observed = percent_agreement(a, b)?;
    let (left, right) = (frequencies(a), frequencies(b));
    let n = a.len() as f64;
    let chance: f64 =
        left.iter().filter_map(|(label, count)| right.get(label).map(|other| count * other)).sum::<f64>() / (n * n);
    corrected("Cohen's kappa", observed, chance)
}

fn frequencies<T: Ord>(labels: &[T]) -> BTreeMap<&T, f64> {
    let mut counts = BTreeMap::new();
    for label in labels {
        *counts.entry(label).or_insert(0.0) += 1.0;
    }
    counts
}

fn corrected(what: &'static str, observed: f64, chance: f64) -> Result<f64, StatsError> {
    if chance >= 1.0 {
        return Err(StatsError::Undefined { what, why: "every rating names the same category" });
    }
    Ok((observed - chance) / (1.0 - chance))
}

/// Gwet's AC1 for two or more raters, `None` where a rater did not rate an item.
///
/// Rows are items. `categories` is the number of categories the raters could choose from, q ≥ 2,
/// whether or not all occur. With `r_ik` ratings of item i as category k out of `r_i`, agreement is
/// the mean of `Σ_k r_ik (r_ik − 1) / (r_i (r_i − 1))` over items rated at least twice, and chance
/// is `Σ_k π_k (1 − π_k) / (q − 1)`, π_k the mean of `r_ik / r_i` over rated items (Gwet 2008;
/// LiveEvalBench, human agreement).
///
/// ```
/// use webeval_stats::agreement::gwet_ac1;
/// // Nine of ten items agreed to pass, one disputed: pi = 0.95, chance 0.095, observed 0.9.
/// let mut items = vec![vec![Some("pass"), Some("pass")]; 9];
/// items.push(vec![Some("pass"), Some("fail")]);
/// assert!((gwet_ac1(&items, 2)? - 0.805 / 0.905).abs() < 1e-12);
/// # Ok::<(), webeval_stats::StatsError>(())
/// ```
///
/// # Errors
/// No item with two ratings, `categories` below 2 or below what occurs.
pub fn gwet_ac1<T: Ord>(items: &[Vec<Option<T>>], categories: usize) -> Result<f64, StatsError> {
    at_least("the categories of Gwet's AC1", 2, categories)?;
    let mut prevalence: BTreeMap<&T, f64> = BTreeMap::new();
    let (mut rated, mut paired, mut agreement) = (0.0, 0usize, 0.0);
    for item in items {
        let ratings: Vec<&T> = item.iter().flatten().collect();
        if ratings.is_empty() {
            continue;
        }
        let r = ratings.len() as f64;
        rated += 1.0;
        let mut same = 0.0;
        for (label, count) in counted(&ratings) {
            *prevalence.entry(label).or_insert(0.0) += count / r;
            same += count * (count - 1.0);
        }
        if ratings.len() >= 2 {
            paired += 1;
            agreement += same / (r * (r - 1.0));
        }
    }
    at_least("Gwet's AC1 (items with two ratings)", 1, paired)?;
    at_least("Gwet's AC1 (declared categories)", prevalence.len(), categories)?;
    let chance: f64 =
        prevalence.values().map(|sum| sum / rated).map(|pi| pi * (1.0 - pi)).sum::<f64>() / (categories - 1) as f64;
    corrected("Gwet's AC1", agreement / paired as f64, chance)
}

fn counted<'a, T: Ord>(ratings: &[&'a T]) -> BTreeMap<&'a T, f64> {
    let mut counts = BTreeMap::new();
    for &rating in ratings {
        *counts.entry(rating).or_insert(0.0) += 1.0;
    }
    counts
}

/// How far apart two ratings are, for [`krippendorff_alpha`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Scale {
    /// Different is different: δ² = 1.
    Nominal,
    /// By rank: δ² is the squared number of ratings between the two, ends counted half.
    Ordinal,
    /// By difference: δ² = (c − k)².
    Interval,
    /// By proportion: δ² = ((c − k) / (c + k))², for values that are not negative.
    Ratio,
}

/// Krippendorff's α, `1 − D_observed / D_expected`; rows are items, `None` a missing rating.
///
/// Items with fewer than two ratings do not count. Labels without order are coded as any distinct
/// numbers and compared on [`Scale::Nominal`].
///
/// # Errors
/// No item with two ratings, a value that is not finite, a negative one on [`Scale::Ratio`], or all
/// ratings equal.
pub fn krippendorff_alpha(items: &[Vec<Option<f64>>], scale: Scale) -> Result<f64, StatsError> {
    let paired = paired_items(items, scale)?;
    let values = distinct(&paired);
    let place = |v: f64| values.partition_point(|&other| other < v);
    let mut totals = vec![0.0; values.len()];
    for &rating in paired.iter().flatten() {
        totals[place(rating)] += 1.0;
    }
    let distance = Distances::new(&values, &totals, scale);
    let n: f64 = totals.iter().sum();
    let mut observed = 0.0;
    for item in &paired {
        let places: Vec<usize> = item.iter().map(|&v| place(v)).collect();
        let mut sum = 0.0;
        for (i, &c) in places.iter().enumerate() {
            sum += places[..i].iter().map(|&k| distance.of(c, k)).sum::<f64>();
        }
        observed += 2.0 * sum / (item.len() - 1) as f64;
    }
    let mut expected = 0.0;
    for c in 0..values.len() {
        for k in 0..c {
            expected += 2.0 * totals[c] * totals[k] * distance.of(c, k);
        }
    }
    if expected == 0.0 {
        return Err(StatsError::Undefined { what: "Krippendorff's alpha", why: "all ratings are equal" });
    }
    crate::error::finite("Krippendorff's alpha", 1.0 - (n - 1.0) * (observed / expected))
}

/// The ratings of the items that have at least two, checked.
fn paired_items(items: &[Vec<Option<f64>>], scale: Scale) -> Result<Vec<Vec<f64>>, StatsError> {
    let paired: Vec<Vec<f64>> = items
        .iter()
        .map(|item| item.iter().flatten().copied().collect::<Vec<f64>>())
        .filter(|item| item.len() >= 2)
        .collect();
    at_least("Krippendorff's alpha (items with two ratings)", 1, paired.len())?;
    for item in &paired {
        all_finite("a rating", item)?;
        if scale == Scale::Ratio {
            for &rating in item {
                crate::error::in_range("a rating on the ratio scale", rating, 0.0, f64::MAX)?;
            }
        }
    }
    Ok(paired)
}

fn distinct(items: &[Vec<f64>]) -> Vec<f64> {
    let mut values: Vec<f64> = items.iter().flatten().copied().collect();
    values.sort_by(|a, b| crate::rank::order(*a, *b));
    values.dedup();
    values
}

/// Squared distances between the distinct values, by their places.
struct Distances<'a> {
    values: &'a [f64],
    scale: Scale,
    /// `through[i]`: ratings at or before place i, those at i counted half.
    through: Vec<f64>,
}

impl<'a> Distances<'a> {
    fn new(values: &'a [f64], totals: &[f64], scale: Scale) -> Self {
        let mut before = 0.0;
        let through = totals
            .iter()
            .map(|total| {
                let half = before + total / 2.0;
                before += total;
                half
            })
            .collect();
        Distances { values, scale, through }
    }

    fn of(&self, c: usize, k: usize) -> f64 {
        if c == k {
            return 0.0;
        }
        let (a, b) = (self.values[c], self.values[k]);
        let distance = match self.scale {
            Scale::Nominal => 1.0,
            Scale::Ordinal => self.through[c] - self.through[k],
            Scale::Interval => a - b,
            Scale::Ratio => (a - b) / (a + b),
        };
        distance * distance
    }
}

/// How far two raters agree on labels, by every coefficient here (LiveEvalBench tables 2 and 7).
#[non_exhaustive]
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct RaterAgreement {
    /// Items, and those on which both name the same label.
    pub agreed: Agreed,
    /// Cohen's κ; `None` where undefined.
    pub kappa: Option<f64>,
    /// Gwet's AC1.
    pub ac1: f64,
    /// Krippendorff's α on the nominal scale; `None` where undefined.
    pub alpha: Option<f64>,
}

impl RaterAgreement {
    /// Compares two raters' labels of the same items; `categories` is the number of labels they
    /// could choose from.
    ///
    /// # Errors
    /// No item, lengths that differ, or `categories` below 2 or below what occurs.
    pub fn new<T: Ord + Clone>(a: &[T], b: &[T], categories: usize) -> Result<Self, StatsError> {
        percent_agreement(a, b)?;
        let mut labels: Vec<&T> = a.iter().chain(b).collect();
        labels.sort_unstable();
        labels.dedup();
        let code = |label: &T| Some(labels.partition_point(|&l| l < label) as f64);
        let coded: Vec<Vec<Option<f64>>> = a.iter().zip(b).map(|(x, y)| vec![code(x), code(y)]).collect();
        let items: Vec<Vec<Option<T>>> = a.iter().zip(b).map(|(x, y)| vec![Some(x.clone()), Some(y.clone())]).collect();
        Ok(RaterAgreement {
            agreed: Agreed { n: a.len(), agree: a.iter().zip(b).filter(|(x, y)| x == y).count() },
            kappa: cohen_kappa(a, b).ok(),
            ac1: gwet_ac1(&items, categories)?,
            alpha: krippendorff_alpha(&coded, Scale::Nominal).ok(),
        })
    }
}

/// The label that more than half of the ratings name, `None` where none does.
///
/// Among three runs two must agree; among four, three (LiveEvalBench, three-run leaderboard).
///
/// ```
/// use webeval_stats::agreement::majority;
/// assert_eq!(majority(&["pass", "fail", "pass"]), Some(&"pass"));
/// assert_eq!(majority(&["pass", "fail", "unable"]), None);
/// ```
pub fn majority<T: Ord>(ratings: &[T]) -> Option<&T> {
    let labels: BTreeSet<&T> = ratings.iter().collect();
    labels.into_iter().find(|&label| 2 * ratings.iter().filter(|&r| r == label).count() > ratings.len())
}
