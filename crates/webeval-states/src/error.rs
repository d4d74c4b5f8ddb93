//! Everything that can go wrong in this crate.

use crate::StateId;

/// What can go wrong while reading identities, building graphs and applying diffs.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The page is longer than [`MAX_BYTES`](crate::MAX_BYTES).
    #[error("page of {bytes} bytes is longer than the limit of {limit}")]
    TooLarge {
        /// Length of the page, in bytes.
        bytes: usize,
        /// The limit, in bytes.
        limit: usize,
    },
    /// A level that is none of `0`, `1`, `2`, `exact`, `content`, `structure`.
    #[error("unknown level {0:?}: expected 0, 1, 2, exact, content or structure")]
    UnknownLevel(String),
    /// A state id that is not 32 hexadecimal digits.
    #[error("invalid state id {0:?}: expected 32 hexadecimal digits")]
    InvalidStateId(String),
    /// A graph was asked about a state that it does not hold.
    #[error("state {0} is not in the graph")]
    UnknownState(StateId),
    /// A graph file of another format.
    #[error("graph has format {found}, this version reads format {expected}")]
    GraphFormat {
        /// The format number found in the file.
        found: u32,
        /// The one that this version of the crate reads.
        expected: u32,
    },
    /// A graph file that is not JSON of the documented shape.
    #[error("invalid graph file")]
    GraphJson(#[from] serde_json::Error),
    /// A diff was applied to a page that it was not made from.
    #[error("diff does not fit this page: it starts from {expected}, the page is {found}")]
    DiffBase {
        /// The exact identity of the page that the diff was made from.
        expected: StateId,
        /// The exact identity of the page given.
        found: StateId,
    },
    /// A diff whose steps contradict each other: it was edited or damaged after it was made.
    #[error("diff is damaged at operation {operation}")]
    DiffDamaged {
        /// Index of the first operation that cannot be applied.
        operation: usize,
    },
}
