//! Why a leaderboard looks as it does: by kind of task, by points lost, by how dimensions go together.

use crate::correlation::{Correlation, pearson};
use crate::error::StatsError;
use crate::leaderboard::{Leaderboard, Resolved, Settings};
use crate::names::{DimensionName, Label, ModelName, TaskName};
use crate::scheme::Combine;
use crate::table::ScoreTable;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A leaderboard for each label of the tasks (LiveEvalBench figures 6 and 7).
#[non_exhaustive]
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Breakdown {
    /// The leaderboard of each label, in the order of the labels.
    pub parts: BTreeMap<Label, Leaderboard>,
    /// Tasks without a label, which are in no part.
    pub unlabelled: Vec<TaskName>,
}

impl Breakdown {
    /// Splits the tasks by `label` and ranks the models on each part.
    ///
    /// z-scores of all parts are standardised by the means and deviations of the whole table (or by
    /// the reference of the settings), so that a hard label shows lower figures than an easy one.
    ///
    /// # Errors
    /// As [`Leaderboard::new`]; a whole table without deviations to standardise by.
    pub fn new(
        table: &ScoreTable,
        settings: &Settings,
        label: impl Fn(&TaskName) -> Option<Label>,
    ) -> Result<Self, StatsError> {
        let mut settings = settings.clone();
        if table.scheme().combine() == Combine::StandardisedMean && settings.reference().is_none() {
            let whole =
                Leaderboard::new(table, &Settings::new(settings.missing()).with_not_deployed(settings.not_deployed()))?;
            settings = settings.with_reference(whole.to_reference("all tasks")?);
        }
        let mut labelled: BTreeMap<Label, Vec<TaskName>> = BTreeMap::new();
        let mut unlabelled = Vec::new();
        for task in table.tasks() {
            match label(task) {
                Some(label) => labelled.entry(label).or_default().push(task.clone()),
                None => unlabelled.push(task.clone()),
            }
        }
        let mut parts = BTreeMap::new();
        for (label, tasks) in labelled {
            let part = table.with_tasks(|task| tasks.binary_search(task).is_ok());
            parts.insert(label, Leaderboard::new(&part, &settings)?);
        }
        Ok(Breakdown { parts, unlabelled })
    }

    /// The mean total of all models on a label's tasks; `None` where a model has none.
    pub fn aggregate(&self, label: &Label) -> Option<f64> {
        let board = self.parts.get(label)?;
        let totals: Option<Vec<f64>> = board.standings.iter().map(|s| s.total.map(|t| t.value)).collect();
        crate::standard::mean(&totals?).ok()
    }
}

/// Where a model loses its points (LiveEvalBench figure 5).
#[non_exhaustive]
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Losses {
    /// The model.
    pub model: ModelName,
    /// Points lost by dimension, in the scheme's order: the top of the scale less the mean, times
    /// the dimension's weight in the total. `None` where the model has no mean.
    pub lost: Vec<Option<f64>>,
    /// All points lost.
    pub total: f64,
}

impl Losses {
    /// The share of all lost points that each dimension accounts for, the shares summing to 1;
    /// `None` for a dimension without a mean, and where nothing is lost.
    pub fn shares(&self) -> Vec<Option<f64>> {
        self.lost.iter().map(|lost| lost.filter(|_| self.total > 0.0).map(|l| l / self.total)).collect()
    }
}

/// Attributes each model's distance from a perfect score to the dimensions, best model first.
///
/// Distances are on the raw scales, also where the leaderboard ranks by z-scores: there is no
/// perfect z-score.
pub fn losses(board: &Leaderboard) -> Vec<Losses> {
    let weights = board.scheme.weights();
    let dimensions = board.scheme.dimensions();
    board
        .standings
        .iter()
        .map(|standing| {
            let lost: Vec<Option<f64>> = standing
                .dimensions
                .iter()
                .zip(dimensions.iter().zip(&weights))
                .map(|(result, (dimension, weight))| result.mean.map(|m| weight * (dimension.high() - m.value)))
                .collect();
            Losses { model: standing.model.clone(), total: lost.iter().flatten().sum(), lost }
        })
        .collect()
}

/// What two dimensions are correlated over.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Over {
    /// The models' means (LiveEvalBench figure 8; r = 0.85 in WebCraftBench §5.2).
    Models,
    /// All applications that have both scores (0.36 in WebCraftBench §5.2).
    Applications,
}

/// Pearson's correlation of every two dimensions.
#[non_exhaustive]
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DimensionCorrelations {
    /// The dimensions in the scheme's order.
    pub dimensions: Vec<DimensionName>,
    /// What they are correlated over.
    pub over: Over,
    /// Row by row, symmetric; `None` where undefined: a constant dimension, fewer than two pairs.
    pub matrix: Vec<Vec<Option<Correlation>>>,
}

/// Correlates the dimensions of a table with one another.
///
/// # Errors
/// As [`Leaderboard::new`].
pub fn dimension_correlations(
    table: &ScoreTable,
    settings: &Settings,
    over: Over,
) -> Result<DimensionCorrelations, StatsError> {
    let resolved = Resolved::new(table, settings)?;
    let width = table.scheme().dimensions().len();
    // One row per model or application.
    let rows: Vec<Vec<Option<f64>>> = match over {
        Over::Models => resolved.means(0..resolved.tasks.len()).chunks(width).map(<[_]>::to_vec).collect(),
        Over::Applications => (0..resolved.tasks.len())
            .flat_map(|t| (0..table.models().len()).map(move |m| (t, m)))
            .map(|(t, m)| (0..width).map(|d| resolved.value(t, m * width + d)).collect())
            .collect(),
    };
    let correlate = |a: usize, b: usize| {
        let (x, y): (Vec<f64>, Vec<f64>) = rows.iter().filter_map(|row| Some((row[a]?, row[b]?))).unzip();
        pearson(&x, &y).ok()
    };
    Ok(DimensionCorrelations {
        dimensions: table.scheme().dimensions().iter().map(|d| d.name().clone()).collect(),
        over,
        matrix: (0..width).map(|a| (0..width).map(|b| correlate(a, b)).collect()).collect(),
    })
}
