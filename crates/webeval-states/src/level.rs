//! How much of a page an identity looks at.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::Error;

/// How much of a page its normal form keeps. Levels nest: two pages equal at one level are equal at every
/// coarser one.
///
/// The ordering is from fine to coarse: `Level::Exact < Level::Content < Level::Structure`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Level {
    /// Level 0, the rule of WebCraftBench §4.3: scripts, styles and mutable attributes removed, clock strings
    /// replaced by a placeholder.
    Exact,
    /// Level 1: as [`Level::Exact`], and the order and repetition of list items folded.
    Content,
    /// Level 2: no free text; roles, types, names and stable classes, with repeated siblings folded to one.
    Structure,
}

impl Level {
    /// All levels, finest first.
    pub const ALL: [Self; 3] = [Self::Exact, Self::Content, Self::Structure];

    /// The level's number: 0, 1 or 2.
    #[must_use]
    pub const fn number(self) -> u8 {
        self as u8
    }
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Exact => "exact",
            Self::Content => "content",
            Self::Structure => "structure",
        })
    }
}

impl FromStr for Level {
    type Err = Error;

    /// Reads a level by number (`0`, `1`, `2`) or by name (`exact`, `content`, `structure`).
    fn from_str(text: &str) -> Result<Self, Error> {
        match text {
            "0" | "exact" => Ok(Self::Exact),
            "1" | "content" => Ok(Self::Content),
            "2" | "structure" => Ok(Self::Structure),
            _ => Err(Error::UnknownLevel(text.to_owned())),
        }
    }
}
