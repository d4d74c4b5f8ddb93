//! Scores, leaderboards and agreement statistics

mod error;
mod score;
mod standard;

pub use error::StatsError;
pub use score::{
    CriteriaScore, CriteriaTally, JudgePoints, Score, deliberation_score, trimmed_mean,
};
pub use standard::{
    Moments, ZComponents, mean, pool_z_scores, population_deviation, sample_deviation,
};
