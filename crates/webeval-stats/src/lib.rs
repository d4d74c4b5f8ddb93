//! Scores, leaderboards and agreement statistics

pub mod agreement;
mod bootstrap;
pub mod correlation;
pub mod cost;
pub mod detection;
mod error;
pub mod permutation;
pub mod power;
pub mod rank;
pub mod reliability;
pub mod rng;
mod score;
pub mod sections;
mod standard;

pub use bootstrap::{Bootstrap, Estimate, Interval};
pub use error::StatsError;
pub use score::{
    CriteriaScore, CriteriaTally, JudgePoints, Score, deliberation_score, trimmed_mean,
};
pub use standard::{
    Moments, ZComponents, mean, pool_z_scores, population_deviation, sample_deviation,
};
