//! What can go wrong.

/// Failure to measure or process a page.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The measuring script's answer is not what it should be.
    #[error("measuring script gave an answer that cannot be read: {source}")]
    Answer {
        /// What the parser said.
        #[from]
        source: serde_json::Error,
    },
    /// The browser refused, or the page does not answer.
    #[error("browser failed: {source}")]
    Browser {
        /// The browser's reason.
        #[from]
        source: webeval_browser::Error,
    },
    /// What was opened is a document, but not a web page.
    #[error("{url} is {content_type}, which has no elements to measure: give a web page")]
    NotAPage {
        /// Its address.
        url: String,
        /// What it is.
        content_type: String,
    },
    /// A picture could not be read or made.
    #[error("cannot read or make a picture: {source}")]
    Picture {
        /// The reason.
        #[from]
        source: image::ImageError,
    },
    /// The operating system refused to read.
    #[error("cannot read {}: {source}", path.display())]
    Read {
        /// Which path.
        path: std::path::PathBuf,
        /// The system's reason.
        source: std::io::Error,
    },
    /// The operating system refused to write.
    #[error("cannot write {}: {source}", path.display())]
    Write {
        /// On which path.
        path: std::path::PathBuf,
        /// The system's reason.
        source: std::io::Error,
    },
    /// The answer was written by a newer version of the script.
    #[error("measurement has format {found}, this version reads {}", crate::measure::FORMAT)]
    Format {
        /// The format number found.
        found: u32,
    },
}

impl Error {
    /// Whether the browser was lost over it, so that the page may well do when it is opened in a new one.
    #[must_use]
    pub fn is_fatal(&self) -> bool {
        matches!(self, Self::Browser { source } if source.is_fatal())
    }
}
