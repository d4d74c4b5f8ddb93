//! What can go wrong while judging.

use std::path::PathBuf;

use webeval_evidence::BlobRef;

/// Failure to judge a run.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The run directory cannot be read or written.
    #[error(transparent)]
    Evidence(#[from] webeval_evidence::Error),
    /// The browser that an evaluator looks through failed.
    #[error(transparent)]
    Browser(#[from] webeval_browser::Error),
    /// A page could not be measured or split into sections.
    #[error(transparent)]
    Sections(#[from] webeval_sections::Error),
    /// The run holds nothing to judge yet.
    #[error("there is nothing to judge: {missing}")]
    NoEvidence {
        /// What is missing, and which stage makes it.
        missing: String,
    },
    /// A screenshot that is no picture; found before anything was sent.
    #[error("{screenshot} is not a picture: {source}")]
    Screenshot {
        /// Its reference.
        screenshot: BlobRef,
        /// What the decoder said.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// The model failed in a way that no further question would survive. What was judged before is kept.
    #[error("judging stopped: {source}")]
    Stopped {
        /// The model's failure.
        source: Box<webeval_llm::Error>,
    },
    /// A model was asked for a page and gave none, also after its answer was sent back.
    #[error("the model's answer is not a page: {fault}")]
    NoPage {
        /// What is wrong with it.
        fault: String,
    },
    /// A task file that is none.
    #[error("{name} is not a task file: {message}")]
    Task {
        /// The file.
        name: String,
        /// What is wrong, with line and column where known.
        message: String,
    },
    /// An evaluator file that is none.
    #[error("{name}{}: {}{message}", line.map(|line| format!(":{line}")).unwrap_or_default(), in_field(field))]
    Evaluator {
        /// The file.
        name: String,
        /// The line, from 1, where known.
        line: Option<usize>,
        /// The field, such as `criteria[1].points`; empty when it is the whole file.
        field: String,
        /// What is wrong with it.
        message: String,
    },
    /// A prompt template that cannot be used.
    #[error("prompt {name}: {message}")]
    Prompt {
        /// The template's file name.
        name: String,
        /// What is wrong with it.
        message: String,
    },
    /// A number that no formula takes: a fault of ours.
    #[error("a score cannot be computed: {0}")]
    Score(#[from] webeval_stats::StatsError),
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

fn in_field(field: &str) -> String {
    if field.is_empty() { String::new() } else { format!("{field}: ") }
}

impl Error {
    pub(crate) fn task(name: &str, message: impl ToString) -> Self {
        Self::Task { name: name.to_owned(), message: message.to_string() }
    }

    pub(crate) fn prompt(name: &str, message: impl ToString) -> Self {
        Self::Prompt { name: name.to_owned(), message: message.to_string() }
    }
}
