//! Human votes between two applications, and the benchmark's own vote on them (WebCraftBench §5.3).

use crate::error::StatsError;
use crate::leaderboard::{Settings, countable};
use crate::names::{Application, ModelName, TaskName};
use crate::pairwise::{BandAgreement, Preference};
use crate::scheme::Combine;
use crate::standard::Moments;
use crate::table::{ScoreTable, words};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// One vote between two applications made for the same task.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Vote {
    /// The task, or the session that stands for it.
    #[serde(alias = "session", alias = "question_id")]
    pub task: TaskName,
    /// Who made the left application.
    #[serde(alias = "model_a")]
    pub left: ModelName,
    /// Who made the right one.
    #[serde(alias = "model_b")]
    pub right: ModelName,
    /// Which one was preferred.
    #[serde(alias = "winner", alias = "vote")]
    pub preference: Preference,
}

/// Reads votes from CSV with the columns `task`, `left`, `right`, `preference`, in any order and
/// with others ignored.
///
/// Preferences are `left`, `right`, `tie` or `both-bad`. Arena files are read as they are: columns
/// `question_id`, `model_a`, `model_b`, `winner`, winners `model_a`, `model_b`, `tie`,
/// `tie (bothbad)`.
///
/// ```
/// let votes = webeval_stats::votes::from_csv("task,left,right,preference\ntodo,m1,m2,left\n")?;
/// assert_eq!(votes[0].left.as_str(), "m1");
/// # Ok::<(), webeval_stats::StatsError>(())
/// ```
///
/// # Errors
/// [`StatsError::Csv`], with the line.
pub fn from_csv(text: &str) -> Result<Vec<Vote>, StatsError> {
    csv::ReaderBuilder::new()
        .trim(csv::Trim::All)
        .from_reader(text.as_bytes())
        .deserialize()
        .map(|vote| vote.map_err(|source| StatsError::Csv { what: "votes", source }))
        .collect()
}

/// Reads votes from JSON, one object a line, blank lines skipped, with the names of [`from_csv`].
///
/// # Errors
/// [`StatsError::Json`].
pub fn from_json_lines(text: &str) -> Result<Vec<Vote>, StatsError> {
    text.lines()
        .filter(|line| !line.trim().is_empty())
        .map(|line| serde_json::from_str(line).map_err(|source| StatsError::Json { what: "votes", source }))
        .collect()
}

/// Several people's votes on the same two applications made one by majority; no majority is a tie.
///
/// Left and right may be swapped from vote to vote. Keeps the order in which the pairs first occur.
pub fn consolidate(votes: &[Vote]) -> Vec<Vote> {
    let mut places: BTreeMap<(&TaskName, &ModelName, &ModelName), usize> = BTreeMap::new();
    let mut groups: Vec<(&Vote, Vec<Preference>)> = Vec::new();
    for vote in votes {
        let swapped = vote.left > vote.right;
        let key = if swapped { (&vote.task, &vote.right, &vote.left) } else { (&vote.task, &vote.left, &vote.right) };
        let place = *places.entry(key).or_insert_with(|| {
            groups.push((vote, Vec::new()));
            groups.len() - 1
        });
        let (first, preferences) = &mut groups[place];
        preferences.push(if first.left == vote.left { vote.preference } else { mirrored(vote.preference) });
    }
    groups
        .into_iter()
        .map(|(first, preferences)| Vote {
            preference: crate::agreement::majority(&preferences).copied().unwrap_or(Preference::Tie),
            ..first.clone()
        })
        .collect()
}

fn mirrored(preference: Preference) -> Preference {
    match preference {
        Preference::Left => Preference::Right,
        Preference::Right => Preference::Left,
        neither => neither,
    }
}

/// The total of single applications, standardised over the pool of those applications.
///
/// `z = (x − μ) / σ` with each dimension's mean and population deviation over all of `pool`, then
/// combined as on the leaderboard (§5.3). Where some of a component's dimensions have nothing to
/// score, the component is the mean of the others; an application with no value in a whole
/// component has no total and is absent from the result. A reference in the settings takes the
/// place of the pool's moments; the bootstrap and [`Missing::DropTask`](crate::leaderboard::Missing)
/// (which drops the cell here) have no part in this.
///
/// # Errors
/// An application that the table does not have, a missing cell under the policy to stop there, or a
/// dimension without spread over the pool.
pub fn application_totals(
    table: &ScoreTable,
    settings: &Settings,
    pool: &BTreeSet<Application>,
) -> Result<BTreeMap<Application, f64>, StatsError> {
    let mut raw = Vec::with_capacity(pool.len());
    for application in pool {
        raw.push(scores(table, settings, application)?);
    }
    let scheme = table.scheme();
    let mut parts = raw;
    if scheme.combine() == Combine::StandardisedMean {
        standardise(&mut parts, table, settings)?;
    }
    let total = |row: &Vec<Option<f64>>| {
        let components: Vec<Option<f64>> = scheme
            .components()
            .iter()
            .map(|c| {
                let members: Vec<_> = c.members().iter().map(|&d| row[d]).collect();
                scheme.component(&members)
            })
            .collect();
        scheme.total(&components)
    };
    Ok(pool.iter().zip(&parts).filter_map(|(application, row)| Some((application.clone(), total(row)?))).collect())
}

/// One application's countable scores by dimension.
fn scores(table: &ScoreTable, settings: &Settings, application: &Application) -> Result<Vec<Option<f64>>, StatsError> {
    let model = table.model(&application.model)?;
    let task = table.task(&application.task)?;
    let cells = table.application(task, model);
    table
        .scheme()
        .dimensions()
        .iter()
        .zip(cells)
        .map(|(dimension, &cell)| {
            countable(cell, dimension.low(), settings).map_err(|_| StatsError::Missing {
                cell: words(&application.model, &application.task, dimension.name()),
            })
        })
        .collect()
}

/// Turns each column of scores into z-scores. A column without any value stays as it is.
fn standardise(rows: &mut [Vec<Option<f64>>], table: &ScoreTable, settings: &Settings) -> Result<(), StatsError> {
    for (d, dimension) in table.scheme().dimensions().iter().enumerate() {
        let column: Vec<f64> = rows.iter().filter_map(|row| row[d]).collect();
        if column.is_empty() {
            continue;
        }
        let moments = match settings.reference() {
            Some(reference) => reference.moments(dimension.name())?,
            None => Moments::of_pool(&column)?,
        };
        for row in rows.iter_mut() {
            row[d] = row[d].map(|score| moments.z(score)).transpose()?;
        }
    }
    Ok(())
}

/// How well the benchmark's votes agree with people's (table 4).
#[non_exhaustive]
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct VoteAgreement {
    /// Agreement by the size of the difference.
    pub agreement: BandAgreement,
    /// Votes on an application that has no total, which are in no band.
    pub unscored: Vec<Vote>,
    /// Votes for one side with which the benchmark disagrees, the largest difference first.
    pub disagreements: Vec<Disagreement>,
}

/// A vote with which the benchmark disagrees.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Disagreement {
    /// The vote.
    pub vote: Vote,
    /// Total of the left application minus total of the right one.
    pub gap: f64,
}

/// Compares votes with the totals of the applications voted on, which are the pool (§5.3).
///
/// # Errors
/// As [`application_totals`] and [`BandAgreement::new`].
pub fn agreement(
    votes: &[Vote],
    table: &ScoreTable,
    settings: &Settings,
    edges: &[f64],
) -> Result<VoteAgreement, StatsError> {
    let sides = |vote: &Vote| {
        [&vote.left, &vote.right].map(|model| Application { task: vote.task.clone(), model: model.clone() })
    };
    let pool: BTreeSet<Application> = votes.iter().flat_map(sides).collect();
    let totals = application_totals(table, settings, &pool)?;
    let (mut pairs, mut unscored, mut disagreements) = (Vec::new(), Vec::new(), Vec::new());
    for vote in votes {
        let [left, right] = sides(vote).map(|application| totals.get(&application));
        let (Some(left), Some(right)) = (left, right) else {
            unscored.push(vote.clone());
            continue;
        };
        let gap = left - right;
        pairs.push((gap, vote.preference));
        let against = match vote.preference {
            Preference::Left => gap <= 0.0,
            Preference::Right => gap >= 0.0,
            Preference::Tie | Preference::BothBad => false,
        };
        if against {
            let vote = vote.clone();
            disagreements.push(Disagreement { vote, gap });
        }
    }
    disagreements.sort_by(|a, b| crate::rank::order(b.gap.abs(), a.gap.abs()));
    Ok(VoteAgreement { agreement: BandAgreement::new(&pairs, edges)?, unscored, disagreements })
}
