//! Leaderboards: from a table of scores to ranked models with intervals.
//!
//! Each dimension's scores are averaged over the tasks of a model, the averages standardised over
//! the pool of models (or by a fixed [`Reference`]), and combined as the [`Scheme`] says. All of it
//! is then repeated on resampled tasks ([`Bootstrap`]), which gives every figure, ranks included,
//! an interval.

mod compute;
mod resolve;

use crate::bootstrap::{Bootstrap, Estimate};
use crate::error::StatsError;
use crate::names::{Application, ModelName, TaskName};
use crate::reference::Reference;
use crate::scheme::Scheme;
use crate::standard::Moments;
use crate::table::ScoreTable;
use serde::{Deserialize, Serialize};

pub(crate) use resolve::{Resolved, countable};

/// What to do about a cell without a score that is not the application's fault.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Missing {
    /// Leave the cell out of its model's mean: every score counts, but models are then averaged
    /// over slightly different tasks.
    DropCell,
    /// Leave the task out for all models: comparisons stay paired, scores of others are lost.
    DropTask,
    /// Count the worst score of the dimension's scale.
    Worst,
    /// Stop with [`StatsError::Missing`].
    Error,
}

/// What an application counts that could not be deployed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum NotDeployed {
    /// The worst score of each dimension's scale, which is 0 in WebCraftBench.
    Worst,
    /// Nothing: its cells are left out of the means.
    Exclude,
}

/// How to make a leaderboard.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Settings {
    missing: Missing,
    not_deployed: NotDeployed,
    reference: Option<Reference>,
    bootstrap: Option<Bootstrap>,
}

impl Settings {
    /// With this policy for missing cells; what could not be deployed counts the worst score,
    /// z-scores are the pool's own, and there are no intervals.
    pub fn new(missing: Missing) -> Self {
        Settings { missing, not_deployed: NotDeployed::Worst, reference: None, bootstrap: None }
    }

    /// Sets what an application counts that could not be deployed.
    #[must_use]
    pub fn with_not_deployed(mut self, policy: NotDeployed) -> Self {
        self.not_deployed = policy;
        self
    }

    /// Standardises by fixed means and deviations in place of the pool's.
    #[must_use]
    pub fn with_reference(mut self, reference: Reference) -> Self {
        self.reference = Some(reference);
        self
    }

    /// Gives every figure an interval.
    #[must_use]
    pub fn with_bootstrap(mut self, bootstrap: Bootstrap) -> Self {
        self.bootstrap = Some(bootstrap);
        self
    }

    /// The policy for missing cells.
    pub fn missing(&self) -> Missing {
        self.missing
    }

    /// The policy for what could not be deployed.
    pub fn not_deployed(&self) -> NotDeployed {
        self.not_deployed
    }

    /// The fixed reference, where one is set.
    pub fn reference(&self) -> Option<&Reference> {
        self.reference.as_ref()
    }

    /// The bootstrap, where one is set.
    pub fn bootstrap(&self) -> Option<&Bootstrap> {
        self.bootstrap.as_ref()
    }
}

/// How many cells of a model and dimension were what, over the tasks that count.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct CellCounts {
    /// With a score, incomplete ones among them.
    pub scored: usize,
    /// With a score that has bounds.
    pub incomplete: usize,
    /// With nothing to score.
    pub not_applicable: usize,
    /// Of applications that could not be deployed.
    pub not_deployed: usize,
    /// Without a score.
    pub missing: usize,
}

/// A model's figures in one dimension.
#[non_exhaustive]
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DimensionResult {
    /// Mean score over the tasks; `None` where no cell counts.
    pub mean: Option<Estimate>,
    /// The mean if every unjudged criterion were met, where some score is incomplete.
    pub mean_high: Option<f64>,
    /// The standardised mean; `None` where the scheme does not standardise or it is undefined.
    pub z: Option<Estimate>,
    /// What the mean is made of.
    pub counts: CellCounts,
}

/// A place on the leaderboard, 1 the best; equal totals share the better place.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rank {
    /// The place by the total.
    pub place: usize,
    /// Best and worst place that the interval holds, rounded outwards.
    pub interval: Option<(usize, usize)>,
}

/// One model on the leaderboard.
#[non_exhaustive]
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Standing {
    /// The model.
    pub model: ModelName,
    /// Its place; `None` where its total is undefined.
    pub rank: Option<Rank>,
    /// By dimension, in the scheme's order.
    pub dimensions: Vec<DimensionResult>,
    /// By component, in the scheme's order.
    pub components: Vec<Option<Estimate>>,
    /// The figure it is ranked by.
    pub total: Option<Estimate>,
}

/// Models in the order of their places, with everything needed to recompute the figures.
#[non_exhaustive]
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Leaderboard {
    /// The dimensions and how they are combined.
    pub scheme: Scheme,
    /// The policies and seeds.
    pub settings: Settings,
    /// Number of tasks that count.
    pub tasks: usize,
    /// Tasks left out by [`Missing::DropTask`].
    pub dropped_tasks: Vec<TaskName>,
    /// Applications that could not be deployed, over the tasks that count.
    pub not_deployed: Vec<Application>,
    /// Means and deviations used for z-scores, by dimension; `None` where there are none: a scheme
    /// that does not standardise, fewer than two models, no spread.
    pub pool: Vec<Option<Moments>>,
    /// Best first; models without a total last, by name.
    pub standings: Vec<Standing>,
}

impl Leaderboard {
    /// Computes the leaderboard of a table.
    ///
    /// A model that has no countable score in a dimension in which others have some is listed
    /// without total and rank and does not belong to the pool. A dimension in which no model has
    /// any (a set of tasks without visual criteria) is left out of its component.
    ///
    /// # Errors
    /// No model or no task that counts, a missing cell under [`Missing::Error`], or a reference
    /// without one of the dimensions.
    pub fn new(table: &ScoreTable, settings: &Settings) -> Result<Self, StatsError> {
        let resolved = Resolved::new(table, settings)?;
        compute::leaderboard(table, settings, &resolved)
    }

    /// The standing of a model.
    pub fn standing(&self, model: &ModelName) -> Option<&Standing> {
        self.standings.iter().find(|s| s.model == *model)
    }

    /// This pool's means and deviations, to standardise other models by.
    ///
    /// # Errors
    /// A dimension without them.
    pub fn to_reference(&self, name: impl Into<String>) -> Result<Reference, StatsError> {
        let mut dimensions = std::collections::BTreeMap::new();
        for (dimension, moments) in self.scheme.dimensions().iter().zip(&self.pool) {
            let moments = moments.ok_or(StatsError::Undefined {
                what: "a reference",
                why: "a dimension of the pool has no deviation",
            })?;
            dimensions.insert(dimension.name().clone(), moments);
        }
        Ok(Reference::new(name, dimensions))
    }
}
