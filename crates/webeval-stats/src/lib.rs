//! Scores, leaderboards and agreement statistics

pub mod agreement;
pub mod analysis;
mod bootstrap;
pub mod bradley_terry;
pub mod compare;
pub mod correlation;
pub mod cost;
pub mod dedup;
pub mod detection;
mod error;
pub mod leaderboard;
mod names;
pub mod pairwise;
pub mod permutation;
pub mod power;
pub mod rank;
mod reference;
pub mod reliability;
pub mod rng;
mod scheme;
mod score;
pub mod sections;
mod standard;
mod table;
pub mod votes;

pub use bootstrap::{Bootstrap, Estimate, Interval};
pub use error::StatsError;
pub use leaderboard::{Leaderboard, Settings};
pub use names::{Application, DimensionName, Label, ModelName, TaskName};
pub use reference::Reference;
pub use scheme::{Combine, Component, Dimension, Scheme};
pub use score::{
    CriteriaScore, CriteriaTally, JudgePoints, Score, deliberation_score, trimmed_mean,
};
pub use standard::{
    Moments, ZComponents, mean, pool_z_scores, population_deviation, sample_deviation,
};
pub use table::{Cell, Row, ScoreTable};
