//! What can go wrong while exploring.

/// Failure of an exploration itself; what the app does wrong is in the trace.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The browser could not be driven any longer.
    #[error(transparent)]
    Browser(#[from] webeval_browser::Error),
    /// The run directory could not be read or written.
    #[error(transparent)]
    Evidence(#[from] webeval_evidence::Error),
    /// The tester cannot go on: its model is out of reach, or its money spent.
    #[error("the tester {tester} cannot go on: {source}")]
    Tester {
        /// Who it is.
        tester: String,
        /// Why.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// The advisor failed; exploration goes on without hints, this is only reported.
    #[error("the advisor {advisor} failed: {source}")]
    Advisor {
        /// Who it is.
        advisor: String,
        /// Why.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// Coverage could not be written as JSON.
    #[error("cannot write the coverage: {0}")]
    Coverage(#[source] serde_json::Error),
}
