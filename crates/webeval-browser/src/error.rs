//! What can go wrong between us and the browser.

use std::time::Duration;

/// Failure to start, reach or drive a browser. What the *page* does wrong is no error: it is in the
/// [`Observation`](crate::Observation) and in the [`Outcome`](webeval_evidence::Outcome) of an action.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// There is no such program as chromedriver.
    #[error("no chromedriver at {program:?}: install the package chromium-driver, or name another with its path")]
    DriverMissing {
        /// What was to be run.
        program: String,
        /// The system's reason.
        source: std::io::Error,
    },
    /// The driver runs, but finds no browser.
    #[error("chromedriver found no Chromium or Chrome: install the package chromium, or name its path")]
    BrowserMissing {
        /// The driver's own words.
        source: DriverFault,
    },
    /// The driver is for another version of the browser.
    #[error("chromedriver and browser do not fit together: {source}; install both from one source")]
    VersionMismatch {
        /// The driver's own words, which name both versions.
        source: DriverFault,
    },
    /// The driver started, but never said that it was ready.
    #[error("chromedriver did not get ready within {} s{}", .limit.as_secs(), .said.as_ref().map(|said| format!(": {said}")).unwrap_or_default())]
    DriverStart {
        /// How long was waited.
        limit: Duration,
        /// The last line that it printed.
        said: Option<String>,
    },
    /// The browser could not be started or a session with it not be made.
    #[error("cannot start the browser: {source}")]
    Session {
        /// The driver's own words.
        source: DriverFault,
    },
    /// A command was refused or failed.
    #[error("the browser could not {what}: {source}")]
    Command {
        /// What was asked for.
        what: String,
        /// The driver's own words.
        source: DriverFault,
    },
    /// A script did not end, or the page answered nothing, within the limit.
    #[error("the page did not answer within {} ms while asked to {what}", .limit.as_millis())]
    TimedOut {
        /// What was asked for.
        what: String,
        /// How long was waited.
        limit: Duration,
    },
    /// The browser or its driver is gone and could not be brought back.
    #[error("the browser was lost: {source}")]
    Lost {
        /// The driver's own words.
        source: DriverFault,
    },
    /// This driver has no such function: it takes Chromium and its chromedriver.
    #[error("not on this driver: {what}")]
    Unsupported {
        /// What was asked for.
        what: String,
    },
    /// An answer was not what the protocol says.
    #[error("cannot read the browser's answer to {what}: {source}")]
    Answer {
        /// What was asked for.
        what: &'static str,
        /// What the parser said.
        source: serde_json::Error,
    },
    /// The operating system refused.
    #[error("cannot {action}: {source}")]
    Io {
        /// What was tried.
        action: &'static str,
        /// The system's reason.
        source: std::io::Error,
    },
}

/// An error in the driver's own words.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct DriverFault {
    /// WebDriver error code (`no such window`, …); `connection` where no answer came at all.
    pub code: String,
    /// Its message, first line.
    pub message: String,
}

impl Error {
    pub(crate) fn io(action: &'static str) -> impl FnOnce(std::io::Error) -> Self {
        move |source| Self::Io { action, source }
    }

    /// Whether the browser has to be started anew before anything else can be done.
    #[must_use]
    pub fn is_fatal(&self) -> bool {
        matches!(self, Self::Lost { .. } | Self::TimedOut { .. })
    }
}
