//! Near-duplicate removal by MinHash (WebCraftBench §3.1, after Broder 1997).
//!
//! Two texts are near-duplicates when the sets of their shingles (runs of characters) overlap: by
//! their Jaccard similarity, `|A ∩ B| / |A ∪ B|`. Comparing every two texts takes too long in a large
//! collection; MinHash signatures, cut into bands, find the few pairs worth comparing, and those
//! are then compared exactly.

use crate::error::{StatsError, at_least, in_range};
use crate::rng::SplitMix64;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeSet, HashMap};

/// Hash functions in a signature.
const HASHES: usize = 128;
/// The accepted chance that a pair right at the threshold is never compared.
const MISS: f64 = 1e-6;

/// Finds near-duplicates among texts.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MinHash {
    threshold: f64,
    shingle: usize,
    seed: u64,
}

/// A text left out because it repeats another.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Duplicate {
    /// Place of the text left out.
    pub index: usize,
    /// Place of the most similar text kept before it.
    pub of: usize,
    /// Exact Jaccard similarity of the two.
    pub similarity: f64,
}

/// What [`MinHash::deduplicate`] keeps and leaves out.
#[non_exhaustive]
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Deduplicated {
    /// Places of the texts kept, ascending.
    pub kept: Vec<usize>,
    /// The texts left out, ascending.
    pub duplicates: Vec<Duplicate>,
}

impl MinHash {
    /// Texts whose Jaccard similarity reaches `threshold` are near-duplicates. Shingles are five
    /// characters long.
    ///
    /// # Errors
    /// A threshold outside [0.1, 1].
    pub fn new(threshold: f64) -> Result<Self, StatsError> {
        Ok(MinHash { threshold: in_range("a similarity threshold", threshold, 0.1, 1.0)?, shingle: 5, seed: 0 })
    }

    /// Sets the number of characters in a shingle.
    ///
    /// # Errors
    /// 0.
    pub fn with_shingle(mut self, characters: usize) -> Result<Self, StatsError> {
        at_least("a shingle", 1, characters)?;
        self.shingle = characters;
        Ok(self)
    }

    /// Sets the seed of the hash functions.
    #[must_use]
    pub fn with_seed(mut self, seed: u64) -> Self {
        self.seed = seed;
        self
    }

    /// Keeps each text that is no near-duplicate of one kept before it.
    ///
    /// Texts are compared in lower case with runs of white space made one space; a text shorter
    /// than a shingle is one shingle.
    ///
    /// ```
    /// use webeval_stats::dedup::MinHash;
    /// let texts = ["A to-do list with drag and drop", "a  to-do list with drag and drop!", "A clock"];
    /// let found = MinHash::new(0.8)?.deduplicate(&texts);
    /// assert_eq!(found.kept, [0, 2]);
    /// # Ok::<(), webeval_stats::StatsError>(())
    /// ```
    pub fn deduplicate<T: AsRef<str>>(&self, texts: &[T]) -> Deduplicated {
        let rows = rows_per_band(self.threshold);
        let functions = self.functions();
        let mut buckets: HashMap<(usize, u64), Vec<usize>> = HashMap::new();
        let mut shingles: Vec<BTreeSet<u64>> = Vec::with_capacity(texts.len());
        let mut found = Deduplicated { kept: Vec::new(), duplicates: Vec::new() };
        for (index, text) in texts.iter().enumerate() {
            let set = self.shingles(text.as_ref());
            let bands = bands(&signature(&set, &functions), rows);
            let candidates: BTreeSet<usize> =
                bands.iter().filter_map(|band| buckets.get(band)).flatten().copied().collect();
            // Of equally similar texts the first counts, whatever the hash functions.
            let best = candidates
                .into_iter()
                .map(|of| (of, jaccard(&shingles[of], &set)))
                .filter(|&(_, similarity)| similarity >= self.threshold)
                .reduce(|best, next| if next.1 > best.1 { next } else { best });
            if let Some((of, similarity)) = best {
                found.duplicates.push(Duplicate { index, of, similarity });
            } else {
                found.kept.push(index);
                for band in bands {
                    buckets.entry(band).or_default().push(index);
                }
            }
            shingles.push(set);
        }
        found
    }

    /// The exact Jaccard similarity of two texts' shingles, 0 to 1.
    pub fn similarity(&self, a: &str, b: &str) -> f64 {
        jaccard(&self.shingles(a), &self.shingles(b))
    }

    /// The similarity as the signatures estimate it: the share of hash functions whose minimum is
    /// the same for both. Its standard error is at most 0.045.
    pub fn estimated_similarity(&self, a: &str, b: &str) -> f64 {
        let functions = self.functions();
        let a = signature(&self.shingles(a), &functions);
        let b = signature(&self.shingles(b), &functions);
        a.iter().zip(&b).filter(|(x, y)| x == y).count() as f64 / HASHES as f64
    }

    fn functions(&self) -> Vec<u64> {
        let mut rng = SplitMix64::new(self.seed);
        (0..HASHES).map(|_| rng.next_u64()).collect()
    }

    fn shingles(&self, text: &str) -> BTreeSet<u64> {
        let lower = text.to_lowercase();
        let words: Vec<&str> = lower.split_whitespace().collect();
        let text: Vec<char> = words.join(" ").chars().collect();
        let size = self.shingle.min(text.len()).max(1);
        if text.is_empty() {
            return BTreeSet::from([hash(&[])]);
        }
        text.windows(size).map(hash).collect()
    }
}

/// A 64-bit hash of characters: SplitMix64's mixing, chained.
fn hash(characters: &[char]) -> u64 {
    characters.iter().fold(0, |h, &c| mix(h ^ u64::from(u32::from(c))))
}

fn mix(value: u64) -> u64 {
    SplitMix64::new(value).next_u64()
}

/// The minimum over the set, for each hash function.
fn signature(shingles: &BTreeSet<u64>, functions: &[u64]) -> Vec<u64> {
    functions
        .iter()
        .map(|function| shingles.iter().map(|shingle| mix(shingle ^ function)).min().unwrap_or(u64::MAX))
        .collect()
}

/// The most rows per band (the fewest pairs to compare) with which a pair at the threshold is
/// almost surely compared: it escapes a band of r rows with probability 1 − tʳ.
fn rows_per_band(threshold: f64) -> usize {
    let escapes = |rows: usize| (1.0 - threshold.powi(rows as i32)).powi((HASHES / rows) as i32);
    [64, 32, 16, 8, 4, 2].into_iter().find(|&rows| escapes(rows) <= MISS).unwrap_or(1)
}

/// Each band's place and content.
fn bands(signature: &[u64], rows: usize) -> Vec<(usize, u64)> {
    signature.chunks(rows).map(|band| band.iter().fold(0, |h, &value| mix(h ^ value))).enumerate().collect()
}

fn jaccard(a: &BTreeSet<u64>, b: &BTreeSet<u64>) -> f64 {
    let shared = a.intersection(b).count();
    shared as f64 / (a.len() + b.len() - shared) as f64
}
