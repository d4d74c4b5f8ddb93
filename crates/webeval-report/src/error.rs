//! What can go wrong while a report is made.

/// Failure to make a report.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The run directory could not be read or written.
    #[error(transparent)]
    Evidence(#[from] webeval_evidence::Error),
    /// The page could not be put together.
    #[error("cannot lay out the page: {0}")]
    Layout(#[source] Box<dyn std::error::Error + Send + Sync>),
}
