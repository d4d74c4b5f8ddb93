//! Bradley–Terry: one strength per model from votes between pairs of them.
//!
//! The model takes the odds that a beats b to be `exp(θ_a − θ_b)`. The strengths θ are those under
//! which the votes are likeliest, with mean 0; a tie counts half a win to either side. Unlike a
//! plain share of wins they allow for whom a model was compared with.

use crate::bootstrap::{Bootstrap, Estimate, Interval};
use crate::error::{StatsError, at_least};
use crate::names::ModelName;
use crate::pairwise::Preference;
use crate::votes::Vote;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Elo points that correspond to one unit of strength: 400 / ln 10.
pub const ELO_PER_UNIT: f64 = 400.0 / std::f64::consts::LN_10;

/// One model's strength.
#[non_exhaustive]
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Strength {
    /// The model.
    pub model: ModelName,
    /// θ, with mean 0 over the models; the interval is the bootstrap's over votes.
    pub strength: Estimate,
    /// Standard error of θ by the inverse of the Fisher information.
    pub standard_error: f64,
    /// Votes won.
    pub wins: usize,
    /// Votes for neither side.
    pub ties: usize,
    /// Votes lost.
    pub losses: usize,
}

impl Strength {
    /// The strength on the scale of Elo ratings, 1000 the mean.
    pub fn elo(&self) -> f64 {
        1000.0 + ELO_PER_UNIT * self.strength.value
    }
}

/// Fits strengths to votes, the strongest model first.
///
/// With a bootstrap, votes are resampled; resamples in which some models are no longer connected do
/// not count, and where they are more than one in twenty there are no intervals.
///
/// # Errors
/// Fewer than two models, a vote between a model and itself, or models between which no finite
/// strengths exist: some group never beats, nor ties with, any model outside it.
pub fn fit(votes: &[Vote], bootstrap: Option<&Bootstrap>) -> Result<Vec<Strength>, StatsError> {
    let games = Games::new(votes)?;
    let all: Vec<usize> = (0..votes.len()).collect();
    let wins = games.wins(&all);
    let fitted = maximise(&wins)?;
    let intervals = bootstrap.map(|b| games.intervals(b, &fitted));
    let mut strengths: Vec<Strength> = (0..games.models.len())
        .map(|m| {
            let interval = intervals.as_ref().and_then(|i| i[m]);
            games.strength(m, &fitted, interval)
        })
        .collect();
    strengths
        .sort_by(|a, b| crate::rank::order(b.strength.value, a.strength.value).then_with(|| a.model.cmp(&b.model)));
    Ok(strengths)
}

/// Votes by the places of the models in sorted order.
struct Games {
    models: Vec<ModelName>,
    games: Vec<(usize, usize, Preference)>,
}

impl Games {
    fn new(votes: &[Vote]) -> Result<Self, StatsError> {
        let mut places: BTreeMap<&ModelName, usize> =
            votes.iter().flat_map(|vote| [(&vote.left, 0), (&vote.right, 0)]).collect();
        at_least("Bradley-Terry strengths (models)", 2, places.len())?;
        for (place, value) in places.values_mut().enumerate() {
            *value = place;
        }
        let mut games = Vec::with_capacity(votes.len());
        for vote in votes {
            if vote.left == vote.right {
                return Err(StatsError::Undefined {
                    what: "a Bradley-Terry strength",
                    why: "a vote compares a model with itself",
                });
            }
            games.push((places[&vote.left], places[&vote.right], vote.preference));
        }
        Ok(Games { models: places.into_keys().cloned().collect(), games })
    }

    /// `wins[a][b]`: how often a beat b among the votes drawn, a tie half.
    fn wins(&self, drawn: &[usize]) -> Vec<Vec<f64>> {
        let n = self.models.len();
        let mut wins = vec![vec![0.0; n]; n];
        for &vote in drawn {
            let (left, right, preference) = self.games[vote];
            match preference {
                Preference::Left => wins[left][right] += 1.0,
                Preference::Right => wins[right][left] += 1.0,
                Preference::Tie | Preference::BothBad => {
                    wins[left][right] += 0.5;
                    wins[right][left] += 0.5;
                }
            }
        }
        wins
    }

    fn intervals(&self, bootstrap: &Bootstrap, fitted: &Fitted) -> Vec<Option<Interval>> {
        let draws =
            bootstrap.map(self.games.len(), |drawn| maximise(&self.wins(drawn)).map(|fitted| fitted.strengths).ok());
        (0..self.models.len())
            .map(|m| {
                let values = draws.iter().flatten().map(|draw| draw[m]).collect();
                bootstrap.interval(fitted.strengths[m], values)
            })
            .collect()
    }

    fn strength(&self, model: usize, fitted: &Fitted, interval: Option<Interval>) -> Strength {
        let (mut wins, mut ties, mut losses) = (0, 0, 0);
        for &(left, right, preference) in &self.games {
            if left != model && right != model {
                continue;
            }
            match (preference, left == model) {
                (Preference::Left, true) | (Preference::Right, false) => wins += 1,
                (Preference::Left, false) | (Preference::Right, true) => losses += 1,
                (Preference::Tie | Preference::BothBad, _) => ties += 1,
            }
        }
        Strength {
            model: self.models[model].clone(),
            strength: Estimate { value: fitted.strengths[model], interval },
            standard_error: fitted.covariance[model][model].max(0.0).sqrt(),
            wins,
            ties,
            losses,
        }
    }
}

struct Fitted {
    strengths: Vec<f64>,
    /// Inverse of the Fisher information on the strengths with mean 0.
    covariance: Vec<Vec<f64>>,
}

/// Newton's method on the log-likelihood, which is concave; a step that does not raise it is halved.
fn maximise(wins: &[Vec<f64>]) -> Result<Fitted, StatsError> {
    const ROUNDS: usize = 200;
    if !connected(wins) {
        return Err(no_strengths("some models never beat the others"));
    }
    let n = wins.len();
    let games: f64 = wins.iter().flatten().sum();
    let mut strengths = vec![0.0; n];
    let mut best = log_likelihood(wins, &strengths);
    for _ in 0..ROUNDS {
        let (gradient, information) = derivatives(wins, &strengths);
        let covariance = inverse_on_mean_zero(information)?;
        if gradient.iter().all(|g| g.abs() <= 1e-10 * games) {
            return Ok(Fitted { strengths, covariance });
        }
        let step: Vec<f64> = covariance.iter().map(|row| row.iter().zip(&gradient).map(|(c, g)| c * g).sum()).collect();
        let mut scale = 1.0;
        loop {
            let tried: Vec<f64> = strengths.iter().zip(&step).map(|(s, d)| s + scale * d).collect();
            let found = log_likelihood(wins, &tried);
            // Close to the maximum the likelihood no longer shows the gain of a good step.
            if found >= best - 1e-12 * best.abs() {
                (strengths, best) = (tried, found);
                break;
            }
            scale /= 2.0;
            if scale < 1e-9 {
                return Err(no_strengths("the search for the likeliest did not settle"));
            }
        }
    }
    Err(no_strengths("the search for the likeliest did not settle"))
}

fn no_strengths(why: &'static str) -> StatsError {
    StatsError::Undefined { what: "a Bradley-Terry strength", why }
}

/// Ford's condition: from each model one can come to each other along "has beaten".
fn connected(wins: &[Vec<f64>]) -> bool {
    let reaches_all = |beats: &dyn Fn(usize, usize) -> bool| {
        let mut seen = vec![false; wins.len()];
        let mut open = vec![0];
        while let Some(a) = open.pop() {
            if !std::mem::replace(&mut seen[a], true) {
                open.extend((0..wins.len()).filter(|&b| !seen[b] && beats(a, b)));
            }
        }
        seen.into_iter().all(|s| s)
    };
    reaches_all(&|a, b| wins[a][b] > 0.0) && reaches_all(&|a, b| wins[b][a] > 0.0)
}

/// ln P(a beats b), without overflow at large differences.
fn log_chance(difference: f64) -> f64 {
    if difference > 0.0 { -(-difference).exp().ln_1p() } else { difference - difference.exp().ln_1p() }
}

fn log_likelihood(wins: &[Vec<f64>], strengths: &[f64]) -> f64 {
    let mut sum = 0.0;
    for (a, row) in wins.iter().enumerate() {
        for (b, &won) in row.iter().enumerate() {
            if won > 0.0 {
                sum += won * log_chance(strengths[a] - strengths[b]);
            }
        }
    }
    sum
}

/// Gradient of the log-likelihood and the Fisher information.
fn derivatives(wins: &[Vec<f64>], strengths: &[f64]) -> (Vec<f64>, Vec<Vec<f64>>) {
    let n = wins.len();
    let mut gradient = vec![0.0; n];
    let mut information = vec![vec![0.0; n]; n];
    for a in 0..n {
        for b in 0..n {
            let games = wins[a][b] + wins[b][a];
            if games == 0.0 {
                continue;
            }
            let chance = log_chance(strengths[a] - strengths[b]).exp();
            gradient[a] += wins[a][b] - games * chance;
            let weight = games * chance * log_chance(strengths[b] - strengths[a]).exp();
            information[a][a] += weight;
            information[a][b] -= weight;
        }
    }
    (gradient, information)
}

/// Pseudo-inverse of a matrix whose rows sum to 0: (M + J)⁻¹ − J, with 1 / n in each place of J.
fn inverse_on_mean_zero(mut matrix: Vec<Vec<f64>>) -> Result<Vec<Vec<f64>>, StatsError> {
    let n = matrix.len();
    let share = 1.0 / n as f64;
    for value in matrix.iter_mut().flatten() {
        *value += share;
    }
    let mut inverse = invert(matrix)?;
    for value in inverse.iter_mut().flatten() {
        *value -= share;
    }
    Ok(inverse)
}

/// Gauss–Jordan with partial pivoting.
fn invert(mut matrix: Vec<Vec<f64>>) -> Result<Vec<Vec<f64>>, StatsError> {
    let n = matrix.len();
    for (i, row) in matrix.iter_mut().enumerate() {
        row.extend((0..n).map(|j| f64::from(u8::from(i == j))));
    }
    for column in 0..n {
        let pivot = (column..n)
            .max_by(|&a, &b| matrix[a][column].abs().total_cmp(&matrix[b][column].abs()))
            .filter(|&row| matrix[row][column].abs() > 1e-300)
            .ok_or_else(|| no_strengths("the votes do not determine it"))?;
        matrix.swap(column, pivot);
        let scale = matrix[column][column];
        matrix[column].iter_mut().for_each(|value| *value /= scale);
        let pivot_row = matrix[column].clone();
        for (i, row) in matrix.iter_mut().enumerate() {
            let factor = row[column];
            if i != column && factor != 0.0 {
                for (value, p) in row.iter_mut().zip(&pivot_row) {
                    *value -= factor * p;
                }
            }
        }
    }
    Ok(matrix.into_iter().map(|row| row[n..].to_vec()).collect())
}
