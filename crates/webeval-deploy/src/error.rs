//! Why an app could not be brought up.

use std::path::PathBuf;

/// Failure to bring an app up.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// There is nothing at the path.
    #[error("{} does not exist", path.display())]
    NoSuchApp {
        /// The path given.
        path: PathBuf,
    },
    /// The file is not an HTML page.
    #[error("{} is not an .html file; give an HTML file, a folder that holds one, or a URL", path.display())]
    NotHtml {
        /// The file given.
        path: PathBuf,
    },
    /// The folder holds no HTML page.
    #[error("no .html file in {}: there is no page to open", path.display())]
    NoPage {
        /// The folder given.
        path: PathBuf,
    },
    /// The app has to be built before it can be served.
    #[error("{} is a {framework} app ({grounds}) and has to be built first: build it and give its output folder", path.display())]
    NeedsBuild {
        /// The folder given.
        path: PathBuf,
        /// The framework's name.
        framework: String,
        /// How that is known.
        grounds: String,
    },
    /// An address that is none.
    #[error("{url:?} is not a URL: {source}")]
    BadUrl {
        /// The address given.
        url: String,
        /// What is wrong with it.
        source: url::ParseError,
    },
    /// An address of a kind that cannot be tested.
    #[error("{url:?} is not an http or https URL")]
    BadScheme {
        /// The address given.
        url: String,
    },
    /// The app is too large to be copied.
    #[error("{} is larger than {limit}: not copied", path.display())]
    TooLarge {
        /// The folder given.
        path: PathBuf,
        /// The limit broken, with its unit.
        limit: String,
    },
    /// The staging task was cancelled or panicked.
    #[error("staging was interrupted: {source}")]
    Interrupted {
        /// What the runtime says.
        source: tokio::task::JoinError,
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
}
