//! Progress.

use webeval_evidence::TokenUsage;

/// What happened while judging, for progress.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Event {
    /// A verdict was given, or taken over from an earlier sitting.
    Judged {
        /// The dimension.
        dimension: String,
        /// `advocate`, `critic`, `final`, `alignment`, `ground`, `task`, `review` or `section`.
        role: String,
        /// Which of several in this role, from 0.
        round: u32,
        /// It was taken over.
        reused: bool,
        /// What it used.
        usage: TokenUsage,
    },
    /// A call failed for good; the failure is recorded.
    Failed {
        /// The dimension.
        dimension: String,
        /// The role.
        role: String,
        /// Which of several in this role, from 0.
        round: u32,
        /// Why.
        failure: String,
    },
}
