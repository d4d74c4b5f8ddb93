//! The one error type of the crate.

use thiserror::Error;

/// Why a figure could not be computed.
///
/// No function of this crate returns `NaN` or an infinity: what has no value is an error here or an
/// explicit `None` in a table.
#[non_exhaustive]
#[derive(Debug, Error)]
pub enum StatsError {
    /// Fewer values than the formula needs.
    #[error("{what} needs at least {needed} values, got {found}")]
    TooFew {
        /// The figure asked for.
        what: &'static str,
        /// The smallest number of values it is defined for.
        needed: usize,
        /// How many there were.
        found: usize,
    },
    /// An input, or a sum of inputs, is `NaN` or infinite.
    #[error("{what} is not a finite number")]
    NotFinite {
        /// The input, or the sum, in words.
        what: &'static str,
    },
    /// An input lies outside the range that its definition allows.
    #[error("{what} must lie in [{low}, {high}], got {found}")]
    OutOfRange {
        /// The input in words.
        what: &'static str,
        /// Smallest allowed value.
        low: f64,
        /// Largest allowed value.
        high: f64,
        /// The value given.
        found: f64,
    },
    /// Two inputs that are read side by side differ in length.
    #[error("{what} differ in length: {left} and {right}")]
    LengthMismatch {
        /// The two inputs in words.
        what: &'static str,
        /// Length of the first.
        left: usize,
        /// Length of the second.
        right: usize,
    },
    /// The formula divides by zero on this input, or has no finite solution.
    #[error("{what} is undefined: {why}")]
    Undefined {
        /// The figure asked for.
        what: &'static str,
        /// What makes it undefined.
        why: &'static str,
    },
    /// The same cell is given twice.
    #[error("{cell} is given twice")]
    Duplicate {
        /// The cell in words: its model, task and dimension.
        cell: String,
    },
    /// A name that the scheme, the table or the reference does not have.
    #[error("there is no {kind} named {name:?}")]
    Unknown {
        /// What was looked for: a dimension, a component, a model.
        kind: &'static str,
        /// The name that was given.
        name: String,
    },
    /// A cell has no score and the caller's policy is to stop there.
    #[error("{cell} has no score")]
    Missing {
        /// The cell in words: its model, task and dimension.
        cell: String,
    },
    /// A CSV text could not be read.
    #[error("failed to read {what} as CSV")]
    Csv {
        /// What the text should have held.
        what: &'static str,
        /// Where and why.
        #[source]
        source: csv::Error,
    },
    /// A JSON text could not be read.
    #[error("failed to read {what} as JSON")]
    Json {
        /// What the text should have held.
        what: &'static str,
        /// Where and why.
        #[source]
        source: serde_json::Error,
    },
    /// A file of a format number that this version does not read.
    #[error("{what} has format {found}, this version reads {supported}")]
    Format {
        /// What the file should have held.
        what: &'static str,
        /// The number in the file.
        found: u32,
        /// The number this version reads.
        supported: u32,
    },
}

/// Refuses `NaN` and infinities, in inputs and in what sums of huge inputs overflow to.
pub(crate) fn finite(what: &'static str, value: f64) -> Result<f64, StatsError> {
    if value.is_finite() { Ok(value) } else { Err(StatsError::NotFinite { what }) }
}

/// [`finite`] over a slice.
pub(crate) fn all_finite(what: &'static str, values: &[f64]) -> Result<(), StatsError> {
    values.iter().try_for_each(|&v| finite(what, v).map(drop))
}

/// Refuses values outside the closed range, and `NaN`.
pub(crate) fn in_range(what: &'static str, value: f64, low: f64, high: f64) -> Result<f64, StatsError> {
    finite(what, value)?;
    if (low..=high).contains(&value) {
        Ok(value)
    } else {
        Err(StatsError::OutOfRange { what, low, high, found: value })
    }
}

/// Refuses fewer than `needed` values.
pub(crate) fn at_least(what: &'static str, needed: usize, found: usize) -> Result<(), StatsError> {
    if found >= needed { Ok(()) } else { Err(StatsError::TooFew { what, needed, found }) }
}
/// Refuses two inputs of different lengths.
pub(crate) fn same_length(what: &'static str, left: usize, right: usize) -> Result<(), StatsError> {
    if left == right { Ok(()) } else { Err(StatsError::LengthMismatch { what, left, right }) }
}
