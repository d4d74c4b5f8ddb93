use thiserror::Error;

/// Why a file was left as it was.
///
/// Every variant that points into the source gives a line counted from 1 and a column counted from 0 in UTF-16
/// units, as Istanbul and browsers count them. A caller can always go on with the file as it was.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum Error {
    /// The parser could not make sense of the source.
    #[error("syntax error at {line}:{column}: {reason}")]
    Syntax {
        /// Line of the error, from 1.
        line: u32,
        /// Column of the error, from 0.
        column: u32,
        /// What the parser expected or found.
        reason: String,
    },
    /// The file holds coverage counters already, from this crate or from another Istanbul-style instrumenter.
    #[error("already instrumented (counter code at {line}:{column})")]
    AlreadyInstrumented {
        /// Line of the first trace of counter code.
        line: u32,
        /// Column of the first trace of counter code.
        column: u32,
    },
    /// The file is not text, whatever its name says.
    #[error("not a text file: {reason} at byte {offset}")]
    Binary {
        /// Byte offset of the first byte that text does not have.
        offset: usize,
        /// What was found there.
        reason: String,
    },
    /// The file is written in a language that is not covered, such as Flow or CoffeeScript.
    #[error("{dialect} is not supported (seen at {line}:{column})")]
    UnsupportedDialect {
        /// Name of the dialect.
        dialect: String,
        /// Line at which it shows.
        line: u32,
        /// Column at which it shows.
        column: u32,
    },
    /// An input source map that cannot be read.
    #[error("broken source map: {reason}")]
    SourceMap {
        /// What is wrong with it.
        reason: String,
    },
    /// An option whose value would not give working code.
    #[error("option {option} cannot be {value:?}: {reason}")]
    Option {
        /// Istanbul's name of the option.
        option: &'static str,
        /// The refused value.
        value: String,
        /// Why it was refused.
        reason: &'static str,
    },
    /// The path's extension names no source form that can be instrumented.
    #[error("{path} is not a source file that can be instrumented")]
    NotCode {
        /// The path as it was given.
        path: String,
    },
    /// Sources of 4 GiB and more do not fit the parser's offsets.
    #[error("source of {bytes} bytes is too large")]
    TooLarge {
        /// Size of the source.
        bytes: usize,
    },
}

impl Error {
    /// Line and column of the error, where it has one.
    #[must_use]
    pub fn position(&self) -> Option<(u32, u32)> {
        match self {
            Self::Syntax { line, column, .. }
            | Self::AlreadyInstrumented { line, column }
            | Self::UnsupportedDialect { line, column, .. } => Some((*line, *column)),
            _ => None,
        }
    }

    /// A short stable name of the kind of error, for reports and statistics.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Syntax { .. } => "syntax",
            Self::AlreadyInstrumented { .. } => "already-instrumented",
            Self::Binary { .. } => "binary",
            Self::UnsupportedDialect { .. } => "unsupported-dialect",
            Self::SourceMap { .. } => "source-map",
            Self::Option { .. } => "option",
            Self::NotCode { .. } => "not-code",
            Self::TooLarge { .. } => "too-large",
        }
    }
}
