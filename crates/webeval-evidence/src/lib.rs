//! The run directory: typed reading and writing of everything a run records.
//!
//! A *run* is one application, explored once. Every stage (deploy, explore, states, judge, report) reads what the
//! stage before it left in the run directory and writes its own files there, so a stage can be run alone, repeated,
//! or replaced by another program that writes the same files:
//!
//! | file | type | written by |
//! | --- | --- | --- |
//! | `run.json` | [`RunRecord`] | every stage |
//! | `trace.jsonl` | [`TraceLine`], one a line, append-only | explore |
//! | `snapshots/`, `screenshots/`, `probes/` | content-addressed [`BlobRef`]s | explore |
//! | `coverage.json` | Istanbul coverage map | explore |
//! | `coverage-log.jsonl` | [`CoverageIncrement`], one a line, append-only | explore |
//! | `states.json` | [`StatesFile`] | states |
//! | `judgements.jsonl` | [`Judgement`], one a line, append-only | judge |
//! | `scores.json` | [`ScoresFile`] | judge |
//! | `report.html` | self-contained page | report |
//!
//! Whole files are written beside their place and renamed into it; the two `.jsonl` logs are append-only, and a torn
//! last line (the process died while writing it) is tolerated by readers and cut by the next writer. Every file's
//! shape is published as a JSON Schema by [`schema`].
//!
//! ```
#![doc = include_str!("../examples/read_a_run.rs")]
//! ```

mod action;
mod blob;
mod dir;
mod error;
mod jsonl;
mod run;
pub mod schema;
mod score;
mod states;
mod trace;

pub use action::{Action, ActionKind, Effect, Outcome, OutcomeStatus, Point, Rect, Target};
pub use blob::{BlobKind, BlobRef};
pub use dir::RunDir;
pub use error::Error;
pub use jsonl::Log;
pub use run::{
    AdvisorKind, AppSource, CommandStep, CoverageBy, DeployFailure, DeployMode, Deployment, Environment, FailureOwner,
    OutsideFate, OutsideRequest, RunRecord, Settings, SkippedScript, Stage, StageFailure, StageRecord, StageStatus,
    StepKind, TesterKind, Viewport,
};
pub use score::{
    Citation, CriterionKind, CriterionVerdict, DimensionScore, Finding, FindingPlace, Judgement, ScoreEntry,
    ScoreStatus, ScoresFile, Severity, TokenUsage,
};
pub use states::StatesFile;
pub use trace::{
    ConsoleLevel, ConsoleMessage, Count, CoverageCounts, CoverageIncrement, Hint, NetworkFailure, PageError,
    PageErrorKind, Step, StepCoverage, Summary, Timings, Trace, TraceLine,
};

/// Version of the run directory's format. A reader refuses a directory with a higher number.
pub const FORMAT: u32 = 1;
