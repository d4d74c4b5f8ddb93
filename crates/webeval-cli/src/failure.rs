//! How the command ends when it does not end well.

use std::error::Error;
use std::fmt;
use std::process::ExitCode;

/// Why the command failed, and with which exit code it says so.
#[derive(Debug)]
pub(crate) enum Failure {
    /// Bad usage or bad input: exit code 2, and nothing was written.
    Input(String),
    /// It ran and failed: exit code 1.
    Failed(String),
    /// The browser was lost over it: exit code 1, unless another browser does better.
    Lost(String),
    /// It ran and was interrupted: exit code 1, and what to do next.
    Interrupted(String),
}

impl Failure {
    pub(crate) fn input(error: impl Error) -> Self {
        Self::Input(chain(&error))
    }

    pub(crate) fn failed(error: impl Error) -> Self {
        Self::Failed(chain(&error))
    }

    /// A failure to measure a page.
    pub(crate) fn measuring(error: webeval_sections::Error) -> Self {
        if error.is_fatal() { Self::Lost(chain(&error)) } else { Self::Failed(chain(&error)) }
    }

    pub(crate) fn exit_code(&self) -> ExitCode {
        match self {
            Self::Input(_) => ExitCode::from(2),
            Self::Failed(_) | Self::Lost(_) | Self::Interrupted(_) => ExitCode::from(1),
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (Self::Input(message) | Self::Failed(message) | Self::Lost(message) | Self::Interrupted(message)) = self;
        f.write_str(message)
    }
}

/// The error and its causes on one line; a cause whose text the error above it repeats is left out.
fn chain(error: &dyn Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(source) = cause {
        let next = source.to_string();
        if !text.contains(&next) {
            text = format!("{text}: {next}");
        }
        cause = source.source();
    }
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
