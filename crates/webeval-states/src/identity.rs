//! State ids: 128-bit hashes of normal forms.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use twox_hash::XxHash3_128;

use crate::normal;
use crate::{Error, Level, Options};

/// Version of the normal forms and their hash. Ids are comparable within one format number and it changes
/// whenever any normal form does.
pub const FORMAT: u32 = 1;

/// Identity of a state at one level: the XXH3-128 of the UTF-8 bytes of its normal form, with
/// `16 × FORMAT + level` as the seed. Written as 32 hexadecimal digits.
///
/// ```
/// use webeval_states::StateId;
///
/// let id: StateId = "000102030405060708090a0b0c0d0e0f".parse()?;
/// assert_eq!(id.to_string(), "000102030405060708090a0b0c0d0e0f");
/// # Ok::<(), webeval_states::Error>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct StateId(u128);

impl StateId {
    /// The id of a page whose normal form at `level` is `form`, as [`normalize`](crate::normalize) gives it.
    #[must_use]
    pub fn of_normal_form(form: &str, level: Level) -> Self {
        let seed = u64::from(FORMAT) * 16 + u64::from(level.number());
        Self(XxHash3_128::oneshot_with_seed(seed, form.as_bytes()))
    }

    /// The id as a number.
    #[must_use]
    pub const fn as_u128(self) -> u128 {
        self.0
    }

    /// The first eight hexadecimal digits, for labels that people read.
    #[must_use]
    pub fn short(self) -> String {
        format!("{:08x}", self.0 >> 96)
    }
}

impl From<u128> for StateId {
    fn from(value: u128) -> Self {
        Self(value)
    }
}

impl fmt::Display for StateId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:032x}", self.0)
    }
}

impl fmt::Debug for StateId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "StateId({:032x})", self.0)
    }
}

impl FromStr for StateId {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        let hex = text.len() == 32 && text.bytes().all(|b| b.is_ascii_hexdigit());
        match u128::from_str_radix(text, 16) {
            Ok(value) if hex => Ok(Self(value)),
            _ => Err(Error::InvalidStateId(text.to_owned())),
        }
    }
}

impl Serialize for StateId {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for StateId {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = std::borrow::Cow::<str>::deserialize(deserializer)?;
        text.parse().map_err(de::Error::custom)
    }
}

/// The ids of one page at every level.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Identity {
    /// Id at [`Level::Exact`].
    pub level0: StateId,
    /// Id at [`Level::Content`].
    pub level1: StateId,
    /// Id at [`Level::Structure`].
    pub level2: StateId,
}

impl Identity {
    /// The id at `level`.
    #[must_use]
    pub const fn at(&self, level: Level) -> StateId {
        match level {
            Level::Exact => self.level0,
            Level::Content => self.level1,
            Level::Structure => self.level2,
        }
    }
}

/// Ids of a page at all levels, in one pass over it.
///
/// `html` is a page as a browser serialises it, with the dynamic state that the [crate documentation](crate)
/// describes; sloppier HTML is read without complaint. Time and memory are linear in the length of the page
/// whatever its shape.
///
/// # Errors
///
/// [`Error::TooLarge`] for more than [`MAX_BYTES`](crate::MAX_BYTES).
pub fn identify(html: &str, options: &Options) -> Result<Identity, Error> {
    normal::identify(html, options)
}

/// The normal form of a page at `level`: HTML with sorted attributes and no insignificant white space.
///
/// Normalising a normal form changes nothing.
///
/// # Errors
///
/// [`Error::TooLarge`] for more than [`MAX_BYTES`](crate::MAX_BYTES).
pub fn normalize(html: &str, level: Level, options: &Options) -> Result<String, Error> {
    normal::normalize(html, level, options)
}
