//! Pairwise agreement: do two ways of judging order the same two things the same way?
//!
//! WebCraftBench asks it twice: of people and the benchmark, by how far apart the benchmark puts
//! the two applications (table 4, [`BandAgreement`]), and of two judges over all pairs of models
//! (§5.4, [`OrderAgreement`]).

use crate::bootstrap::Interval;
use crate::error::{StatsError, all_finite, at_least, finite, in_range, same_length};
use serde::{Deserialize, Serialize};
use statrs::function::erf::erfc_inv;

/// The lower ends of table 4's bands of Δz.
pub const TABLE_4_BANDS: [f64; 7] = [0.0, 0.25, 0.5, 0.75, 1.0, 1.5, 2.0];

/// Which of two things is preferred.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Preference {
    /// The first.
    #[serde(alias = "a", alias = "A", alias = "model_a", alias = "Left")]
    Left,
    /// The second.
    #[serde(alias = "b", alias = "B", alias = "model_b", alias = "Right")]
    Right,
    /// Neither: equally good.
    #[serde(alias = "Tie")]
    Tie,
    /// Neither: equally bad. Counts as a tie.
    #[serde(alias = "tie (bothbad)", alias = "bothbad", alias = "both_bad", alias = "Both Bad")]
    BothBad,
}

impl Preference {
    /// The side preferred, as the sign that `left − right` should have; `None` for a tie.
    fn sign(self) -> Option<f64> {
        match self {
            Preference::Left => Some(1.0),
            Preference::Right => Some(-1.0),
            Preference::Tie | Preference::BothBad => None,
        }
    }
}

/// Pairs and how many of them agree.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Agreed {
    /// Number of pairs.
    pub n: usize,
    /// Those on which both agree.
    pub agree: usize,
}

impl Agreed {
    /// `agree / n`, from 0 to 1; `None` without a pair.
    pub fn rate(&self) -> Option<f64> {
        (self.n > 0).then(|| self.agree as f64 / self.n as f64)
    }

    /// Wilson's score interval of the rate at a confidence level such as 0.95; `None` without a pair.
    ///
    /// # Errors
    /// A level outside [0.5, 0.999], or more agreements than pairs.
    pub fn interval(&self, level: f64) -> Result<Option<Interval>, StatsError> {
        in_range("a confidence level", level, 0.5, 0.999)?;
        in_range("the number of agreements", self.agree as f64, 0.0, self.n as f64)?;
        let Some(rate) = self.rate() else {
            return Ok(None);
        };
        let z2 = 2.0 * erfc_inv(1.0 - level).powi(2);
        let n = self.n as f64;
        let centre = (rate + z2 / (2.0 * n)) / (1.0 + z2 / n);
        let half = (z2 * (rate * (1.0 - rate) / n + z2 / (4.0 * n * n))).sqrt() / (1.0 + z2 / n);
        Ok(Some(Interval { low: (centre - half).max(0.0), high: (centre + half).min(1.0) }))
    }
}

/// One row of table 4: pairs whose |Δz| lies in [`low`, `high`).
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Band {
    /// Lower end, included.
    pub low: f64,
    /// Upper end, excluded; `None` for no end.
    pub high: Option<f64>,
    /// Pairs within the band.
    pub within: Agreed,
    /// Pairs in this band and all above it.
    pub cumulative: Agreed,
}

/// Agreement between preferences and score differences, by the size of the difference.
#[non_exhaustive]
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct BandAgreement {
    /// The bands from the smallest difference up.
    pub bands: Vec<Band>,
    /// Votes for neither side, which are in no band.
    pub ties: usize,
    /// Pairs whose scores are equal although the vote is for one side: in the first band, and no
    /// agreement.
    pub undecided: usize,
}

impl BandAgreement {
    /// Sorts pairs of (score of the left − score of the right, preference) into bands.
    ///
    /// `edges` are the lower ends of the bands, the first of them 0; the last band has no end. A
    /// pair agrees when the preferred side has the higher score.
    ///
    /// # Errors
    /// Edges that do not start at 0 or do not ascend, or a difference that is not finite.
    pub fn new(pairs: &[(f64, Preference)], edges: &[f64]) -> Result<Self, StatsError> {
        check_edges(edges)?;
        let mut within = vec![Agreed::default(); edges.len()];
        let (mut ties, mut undecided) = (0, 0);
        for &(gap, preference) in pairs {
            finite("a score difference", gap)?;
            let Some(sign) = preference.sign() else {
                ties += 1;
                continue;
            };
            let band = edges.partition_point(|&edge| edge <= gap.abs()) - 1;
            within[band].n += 1;
            within[band].agree += usize::from(gap * sign > 0.0);
            undecided += usize::from(gap == 0.0);
        }
        let mut agreement = Self::from_counts(edges, &within)?;
        agreement.ties = ties;
        agreement.undecided = undecided;
        Ok(agreement)
    }

    /// The table of bands whose counts are known; the cumulative columns follow from them.
    ///
    /// # Errors
    /// Edges as in [`new`](Self::new), or not as many counts as edges.
    pub fn from_counts(edges: &[f64], within: &[Agreed]) -> Result<Self, StatsError> {
        check_edges(edges)?;
        same_length("the edges and counts of bands", edges.len(), within.len())?;
        let mut above = Agreed::default();
        let mut bands = Vec::with_capacity(edges.len());
        for i in (0..edges.len()).rev() {
            above.n += within[i].n;
            above.agree += within[i].agree;
            bands.push(Band { low: edges[i], high: edges.get(i + 1).copied(), within: within[i], cumulative: above });
        }
        bands.reverse();
        Ok(BandAgreement { bands, ties: 0, undecided: 0 })
    }

    /// All pairs: the first band's cumulative count.
    pub fn overall(&self) -> Agreed {
        self.bands.first().map(|b| b.cumulative).unwrap_or_default()
    }
}

fn check_edges(edges: &[f64]) -> Result<(), StatsError> {
    at_least("the bands of agreement", 1, edges.len())?;
    all_finite("the end of a band", edges)?;
    if edges[0] != 0.0 || !edges.is_sorted_by(|a, b| a < b) {
        return Err(StatsError::Undefined { what: "agreement by band", why: "the bands do not start at 0 and ascend" });
    }
    Ok(())
}

/// Two things that two judges order differently.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Reversal {
    /// Place of the one that the first judge puts higher.
    pub higher: usize,
    /// Place of the other.
    pub lower: usize,
    /// How far apart the first judge puts them, positive.
    pub gap: f64,
}

/// How many pairs keep their order from one judge to another (§5.4).
#[non_exhaustive]
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct OrderAgreement {
    /// All pairs, `n (n − 1) / 2`.
    pub pairs: usize,
    /// Pairs in the same order for both, tied by both among them.
    pub kept: usize,
    /// Pairs tied by one judge only.
    pub tied: usize,
    /// Pairs in opposite order, the smallest gap first.
    pub reversed: Vec<Reversal>,
}

impl OrderAgreement {
    /// Compares the scores of the same things by two judges.
    ///
    /// # Errors
    /// Lengths that differ, fewer than two things, or a score that is not finite.
    pub fn new(first: &[f64], second: &[f64]) -> Result<Self, StatsError> {
        same_length("the scores of two judges", first.len(), second.len())?;
        at_least("the order of pairs", 2, first.len())?;
        all_finite("a score", first)?;
        all_finite("a score", second)?;
        let mut agreement =
            OrderAgreement { pairs: first.len() * (first.len() - 1) / 2, kept: 0, tied: 0, reversed: Vec::new() };
        for j in 0..first.len() {
            for i in 0..j {
                agreement.compare(first, second, i, j);
            }
        }
        agreement
            .reversed
            .sort_by(|a, b| crate::rank::order(a.gap, b.gap).then((a.higher, a.lower).cmp(&(b.higher, b.lower))));
        Ok(agreement)
    }

    fn compare(&mut self, first: &[f64], second: &[f64], i: usize, j: usize) {
        let before = crate::rank::order(first[i], first[j]);
        let after = crate::rank::order(second[i], second[j]);
        if before == after {
            self.kept += 1;
        } else if before.is_eq() || after.is_eq() {
            self.tied += 1;
        } else {
            let (higher, lower) = if before.is_gt() { (i, j) } else { (j, i) };
            self.reversed.push(Reversal { higher, lower, gap: first[higher] - first[lower] });
        }
    }

    /// The share of pairs that keep their order, from 0 to 1.
    pub fn rate(&self) -> f64 {
        self.kept as f64 / self.pairs as f64
    }
}
