//! What can go wrong between a question and its answer.

use std::path::PathBuf;
use std::time::Duration;

/// Failure to get an answer out of a model.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The model cannot be set up as asked.
    #[error("{message}")]
    Config {
        /// What is wrong.
        message: String,
    },
    /// A model file that cannot be read.
    #[error("the model file is not valid: {source}")]
    ModelFile {
        /// What the parser said.
        #[from]
        source: toml::de::Error,
    },
    /// An image that is none, found before anything was sent.
    #[error("{name} is not an image that can be sent: {source}")]
    Image {
        /// The image's name.
        name: String,
        /// What the decoder said.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// More images than the model takes in one request.
    #[error("{count} images in one request, and {model} takes {limit}")]
    TooManyImages {
        /// The model.
        model: String,
        /// Images in the request.
        count: usize,
        /// Most it takes.
        limit: usize,
    },
    /// The provider refused the request, for good.
    #[error("the provider answered {status}: {message}")]
    Api {
        /// HTTP status.
        status: u16,
        /// The provider's words.
        message: String,
    },
    /// The connection failed or was cut.
    #[error("no connection to the provider: {source}")]
    Transport {
        /// The client's reason.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// No answer in time.
    #[error("no answer within {:.1} s", after.as_secs_f64())]
    TimedOut {
        /// The limit.
        after: Duration,
    },
    /// The answer is not a chat completion.
    #[error("the provider's answer is not a chat completion ({reason}): {excerpt}")]
    Malformed {
        /// What is wrong with it.
        reason: String,
        /// Its beginning.
        excerpt: String,
    },
    /// It was tried as often as allowed.
    #[error("given up after {attempts} attempts: {source}")]
    GivenUp {
        /// Attempts made.
        attempts: u32,
        /// The last one's failure.
        source: Box<Error>,
    },
    /// The answer was cut at the token limit, twice.
    #[error("the answer was cut at the token limit")]
    Truncated,
    /// The model refused to answer.
    #[error("the model refused: {message}")]
    Refused {
        /// Its words.
        message: String,
    },
    /// The answer breaks its schema, also after it was sent back.
    #[error("the answer breaks its schema after one repair: {}", faults.join("; "))]
    Schema {
        /// What is wrong with it.
        faults: Vec<String>,
    },
    /// The money limit is reached; nothing was sent.
    #[error("the cost limit of ${limit:.4} is reached (${spent:.4} spent)")]
    OverBudget {
        /// US dollars spent.
        spent: f64,
        /// The limit.
        limit: f64,
    },
    /// A replay met a request that was not recorded.
    #[error("the cassette has no recording of this request ({purpose}); nearest recorded one differs:\n{difference}")]
    NotRecorded {
        /// The request's purpose.
        purpose: String,
        /// Line difference to the nearest recorded request; `-` recorded, `+` asked.
        difference: String,
    },
    /// The failure that was recorded for this request.
    #[error("recorded failure: {message}")]
    Recorded {
        /// Its words.
        message: String,
    },
    /// A cassette that was recorded with another model.
    #[error("{} was recorded with {found}, not with {asked}", path.display())]
    OtherModel {
        /// The cassette.
        path: PathBuf,
        /// Its model.
        found: String,
        /// The model asked for.
        asked: String,
    },
    /// A cassette that is none.
    #[error("{}:{line} is not a recording: {source}", path.display())]
    Cassette {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// What the parser said.
        source: serde_json::Error,
    },
    /// The operating system refused.
    #[error("cannot {action} {}: {source}", path.display())]
    Io {
        /// What was tried.
        action: &'static str,
        /// On which path.
        path: PathBuf,
        /// The system's reason.
        source: std::io::Error,
    },
}

impl Error {
    /// Whether no later request to the same model can succeed either: the money is gone, the key is wrong, or the
    /// cassette does not fit.
    #[must_use]
    pub fn is_fatal(&self) -> bool {
        match self {
            Self::OverBudget { .. } | Self::NotRecorded { .. } | Self::Config { .. } | Self::Io { .. } => true,
            Self::Api { status, .. } => (401..=404).contains(status),
            Self::GivenUp { source, .. } => source.is_fatal(),
            _ => false,
        }
    }
}
