//! How alike two pages are that are not equal at level 2.

use serde::{Deserialize, Serialize};

use crate::normal;
use crate::{Error, Options};

/// What is compared of a page: the set of pairs of a part and a part directly in it, in the level-2 form.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Profile {
    /// Sorted, each once.
    pairs: Vec<u64>,
}

/// How alike two pages are: 0 for nothing in common, 1 for the same structure.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Similarity(f64);

impl Similarity {
    /// The number, from 0 to 1.
    #[must_use]
    pub const fn value(self) -> f64 {
        self.0
    }
}

impl Profile {
    /// The profile of a page.
    ///
    /// # Errors
    ///
    /// [`Error::TooLarge`] for more than [`MAX_BYTES`](crate::MAX_BYTES).
    pub fn new(html: &str, options: &Options) -> Result<Self, Error> {
        Ok(Self { pairs: normal::pairs(html, options)? })
    }

    /// The Jaccard index of the two sets: pairs in both ÷ pairs in either. Two pages without structure are alike.
    ///
    /// ```
    /// use webeval_states::{Options, Profile};
    ///
    /// let options = Options::default();
    /// let a = Profile::new("<main><h1>A</h1><form><input></form></main>", &options)?;
    /// let b = Profile::new("<main><h1>B</h1><ul><li>x</li></ul></main>", &options)?;
    /// // Both have a page with a main part and a heading in it, of six pairs in all.
    /// assert_eq!(a.similarity(&b).value(), 2.0 / 6.0);
    /// # Ok::<(), webeval_states::Error>(())
    /// ```
    #[must_use]
    pub fn similarity(&self, other: &Self) -> Similarity {
        let (a, b) = (&self.pairs, &other.pairs);
        let (mut i, mut j, mut both) = (0, 0, 0usize);
        while i < a.len() && j < b.len() {
            match a[i].cmp(&b[j]) {
                std::cmp::Ordering::Less => i += 1,
                std::cmp::Ordering::Greater => j += 1,
                std::cmp::Ordering::Equal => {
                    both += 1;
                    i += 1;
                    j += 1;
                }
            }
        }
        let either = a.len() + b.len() - both;
        Similarity(if either == 0 { 1.0 } else { both as f64 / either as f64 })
    }
}
