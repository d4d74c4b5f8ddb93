//! What can go wrong with a run directory.

use std::path::PathBuf;

/// Failure to read or write a run directory.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The folder is no run directory: it has no `run.json`.
    #[error("{} is not a run directory: it has no run.json", path.display())]
    NotARun {
        /// The folder that was given.
        path: PathBuf,
    },
    /// A new run was asked for in a folder that holds something already.
    #[error("{} already holds {what}; choose another folder, or resume", path.display())]
    Occupied {
        /// The folder that was given.
        path: PathBuf,
        /// What was found there.
        what: &'static str,
    },
    /// The directory was written by a newer version of the format.
    #[error("{} has run format {found}, this version reads up to {}", path.display(), crate::FORMAT)]
    Format {
        /// The run directory.
        path: PathBuf,
        /// The format number found.
        found: u32,
    },
    /// A file's content is not what its schema says.
    #[error("{}{}: {source}", path.display(), line.map(|line| format!(":{line}")).unwrap_or_default())]
    Json {
        /// The file.
        path: PathBuf,
        /// The line within a `.jsonl` file, from 1.
        line: Option<usize>,
        /// What the parser said.
        source: serde_json::Error,
    },
    /// A reference to a snapshot, screenshot or probe that leads out of the run directory.
    #[error("reference {reference:?} leaves the run directory")]
    Escape {
        /// The reference as found.
        reference: String,
    },
    /// A snapshot or transition that the state graph does not take.
    #[error("cannot put {what} into the state graph: {source}")]
    States {
        /// The snapshot's reference or the action.
        what: String,
        /// The reason.
        source: webeval_states::Error,
    },
    /// The operating system refused.
    #[error("cannot {action} {}: {source}", path.display())]
    Io {
        /// What was tried: "read", "write", …
        action: &'static str,
        /// On which path.
        path: PathBuf,
        /// The system's reason.
        source: std::io::Error,
    },
}

impl Error {
    pub(crate) fn io(action: &'static str, path: impl Into<PathBuf>) -> impl FnOnce(std::io::Error) -> Self {
        let path = path.into();
        move |source| Self::Io { action, path, source }
    }

    pub(crate) fn states(what: &impl ToString) -> impl FnOnce(webeval_states::Error) -> Self {
        let what = what.to_string();
        move |source| Self::States { what, source }
    }

    pub(crate) fn json(path: impl Into<PathBuf>, line: Option<usize>) -> impl FnOnce(serde_json::Error) -> Self {
        let path = path.into();
        move |source| Self::Json { path, line, source }
    }
}
