//! Fixed means and deviations, so that z-scores compare across pools.

use crate::error::StatsError;
use crate::names::DimensionName;
use crate::standard::Moments;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Reference means and deviations per dimension, kept in a file beside a benchmark.
///
/// WebCraftBench §6 names this as the way to compare models that were not scored in one pool.
///
/// ```
/// use webeval_stats::Reference;
/// let file = r#"{"format": 1, "name": "spring", "dimensions":
///     {"usability": {"mean": 60.0, "deviation": 7.5}}}"#;
/// let reference = Reference::from_json(file)?;
/// assert_eq!(reference.moments(&"usability".into())?.z(67.5)?, 1.0);
/// # Ok::<(), webeval_stats::StatsError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Reference {
    format: u32,
    name: String,
    dimensions: BTreeMap<DimensionName, Moments>,
}

impl Reference {
    /// The format number this version writes and reads.
    pub const FORMAT: u32 = 1;

    /// A reference from the moments of each dimension.
    pub fn new(name: impl Into<String>, dimensions: BTreeMap<DimensionName, Moments>) -> Self {
        Reference { format: Self::FORMAT, name: name.into(), dimensions }
    }

    /// Reads a reference file's text.
    ///
    /// # Errors
    /// [`StatsError::Json`] (a deviation that is not positive among them) and
    /// [`StatsError::Format`].
    pub fn from_json(text: &str) -> Result<Self, StatsError> {
        let reference: Reference =
            serde_json::from_str(text).map_err(|source| StatsError::Json { what: "a z-score reference", source })?;
        if reference.format != Self::FORMAT {
            return Err(StatsError::Format {
                what: "a z-score reference",
                found: reference.format,
                supported: Self::FORMAT,
            });
        }
        Ok(reference)
    }

    /// What the pool was called.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The mean and deviation of a dimension.
    ///
    /// # Errors
    /// [`StatsError::Unknown`].
    pub fn moments(&self, dimension: &DimensionName) -> Result<Moments, StatsError> {
        self.dimensions
            .get(dimension)
            .copied()
            .ok_or_else(|| StatsError::Unknown { kind: "dimension in the reference", name: dimension.to_string() })
    }
}
