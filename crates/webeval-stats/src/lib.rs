//! Scores, leaderboards and agreement statistics for benchmarks that judge generated web
//! applications.
//!
//! # From verdicts to a ranking
//!
//! A benchmark of this kind has *models*, which each made an *application* for every *task*. Judges
//! score an application in several *dimensions*; this crate starts where they stop:
//!
//! 1. **One application.** A panel's five runs become a [score](deliberation_score), verdicts on
//!    criteria a [percentage](CriteriaTally::percentage) with bounds where some stayed open.
//! 2. **One model.** Scores are averaged over the tasks. Scales differ in level and spread, so each
//!    dimension's averages are standardised over the pool of models, `z = (x̄ − μ) / σ`, or by a
//!    fixed [`Reference`] that makes separate pools comparable, before they are combined into a
//!    total as a [`Scheme`] says.
//! 3. **A ranking that says how sure it is.** The tasks are a sample. Drawing them again thousands
//!    of times ([`Bootstrap`]) gives every figure and every rank of a [`Leaderboard`] an interval;
//!    [`compare`] tests two models against each other and says how many tasks would tell them apart.
//! 4. **Whether to believe it.** [`votes`] and [`pairwise`] hold the ranking against people's
//!    choices, [`agreement`] and [`correlation`] one judge against another, [`reliability`] a judge
//!    against itself.
//!
//! ```
//! use webeval_stats::leaderboard::Missing;
//! use webeval_stats::{Bootstrap, Leaderboard, Scheme, ScoreTable, Settings, render::Grid};
//!
//! let csv = "model,task,dimension,score
//! ada,todo,aesthetics,80
//! ada,todo,usability,70
//! ada,todo,functional,90
//! ada,todo,content,100
//! ada,todo,visual,50
//! bob,todo,aesthetics,60
//! bob,todo,usability,75
//! bob,todo,functional,50
//! bob,todo,content,80
//! bob,todo,visual,40
//! ";
//! let table = ScoreTable::from_csv(Scheme::webcraftbench(), csv)?;
//! let settings = Settings::new(Missing::Error).with_bootstrap(Bootstrap::new(1));
//! let board = Leaderboard::new(&table, &settings)?;
//!
//! // Two models lie one deviation above or below their mean in each dimension: ada in all but
//! // usability, so (1 − 1 + 1) / 3.
//! let first = &board.standings[0];
//! assert_eq!(first.model.as_str(), "ada");
//! assert!((first.total.unwrap().value - 1.0 / 3.0).abs() < 1e-12);
//! assert!(Grid::leaderboard(&board).markdown().contains("| 1 | ada |"));
//! # Ok::<(), webeval_stats::StatsError>(())
//! ```
//!
//! # Promises
//!
//! * No figure is `NaN` or infinite. What has no value (a deviation of 0, a pool of one model, a
//!   missing cell under the policy to stop) is a [`StatsError`] or an explicit `None`.
//! * The same input and seed give the same output on any number of threads, from documented random
//!   numbers ([`rng`]) that another program can draw again.
//! * Nothing is read, printed or looked up: text in, text out, and resampling runs in the caller's
//!   rayon pool.
//!
//! # Where the formulas come from
//!
//! | paper | here |
//! | --- | --- |
//! | WebCraftBench §4.4, A.2 | [`deliberation_score`], [`JudgePoints`], [`CriteriaTally`], [`pool_z_scores`], [`ZComponents`], [`Leaderboard`] |
//! | WebCraftBench §3.1, §5.2–5.4, §6 | [`dedup`], [`analysis`], [`votes`], [`pairwise`], [`compare::judges`], [`Reference`] |
//! | LiveEvalBench A.3, results, C | [`criteria`], [`agreement`], [`reliability`], [`analysis`] |
//! | WebGen-V §4.1, §4.3, B, C | [`sections`], [`detection`], [`cost`] |
//! | none of them | [`Bootstrap`], [`permutation`], [`power`], [`bradley_terry`], [`compare::models`] |

pub mod agreement;
pub mod analysis;
mod bootstrap;
pub mod bradley_terry;
pub mod compare;
pub mod correlation;
pub mod cost;
pub mod criteria;
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
pub mod render;
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
pub use score::{CriteriaScore, CriteriaTally, JudgePoints, Score, deliberation_score, trimmed_mean};
pub use standard::{Moments, ZComponents, mean, pool_z_scores, population_deviation, sample_deviation};
pub use table::{Cell, Row, ScoreTable};
