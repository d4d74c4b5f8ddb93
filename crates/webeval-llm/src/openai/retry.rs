//! Which failures are tried again, and after how long.

use std::time::Duration;

use crate::Error;

/// Longest waiting between two attempts that we choose ourselves.
const MOST: Duration = Duration::from_secs(30);

/// A failed attempt.
#[derive(Debug)]
pub(super) struct Verdict {
    pub(super) error: Error,
    pub(super) retry: bool,
    /// How long the provider asked us to wait.
    pub(super) wait: Option<Duration>,
}

impl Verdict {
    pub(super) fn again(error: Error) -> Self {
        Self { error, retry: true, wait: None }
    }

    pub(super) fn give_up(error: Error) -> Self {
        Self { error, retry: false, wait: None }
    }
}

/// Waiting before the next attempt: the provider's own wish, or twice as long each time.
pub(super) fn pause(verdict: &Verdict, attempt: u32, backoff: Duration) -> Duration {
    verdict.wait.unwrap_or_else(|| backoff.saturating_mul(1 << (attempt - 1).min(16)).min(MOST))
}
