use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{Delta, FileCoverage, Gain, Summary};

/// The coverage of several files, by path: what `__coverage__` holds and what nyc and Istanbul's reporters read.
///
/// ```
/// use webeval_instrument::{Options, coverage::CoverageMap, instrument};
/// let mut map = CoverageMap::default();
/// map.add(instrument("if (a) b(); else c();", "a.js", &Options::default())?.coverage);
/// let summary = map.summary();
/// assert_eq!((summary.statements.total, summary.branches.total), (3, 2));
/// assert_eq!(summary.statements.covered, 0);
/// # Ok::<(), webeval_instrument::Error>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct CoverageMap {
    files: BTreeMap<String, FileCoverage>,
}

impl CoverageMap {
    /// Adds a file. If the file is there already the two are merged, see [`FileCoverage::merge`].
    pub fn add(&mut self, file: FileCoverage) {
        match self.files.entry(file.path.clone()) {
            std::collections::btree_map::Entry::Vacant(entry) => {
                entry.insert(file);
            }
            std::collections::btree_map::Entry::Occupied(mut entry) => {
                entry.get_mut().merge(&file);
            }
        }
    }

    /// Merges every file of another map into this one.
    pub fn merge(&mut self, other: &Self) {
        for (path, file) in &other.files {
            match self.files.get_mut(path) {
                Some(own) => own.merge(file),
                None => {
                    self.files.insert(path.clone(), file.clone());
                }
            }
        }
    }

    /// The file of that path.
    #[must_use]
    pub fn get(&self, path: &str) -> Option<&FileCoverage> {
        self.files.get(path)
    }

    /// The file of that path, to change it.
    pub fn get_mut(&mut self, path: &str) -> Option<&mut FileCoverage> {
        self.files.get_mut(path)
    }

    /// The files in order of their paths.
    pub fn files(&self) -> impl ExactSizeIterator<Item = &FileCoverage> {
        self.files.values()
    }

    /// Keeps the files that the function says yes to.
    pub fn retain(&mut self, mut keep: impl FnMut(&FileCoverage) -> bool) {
        self.files.retain(|_, file| keep(file));
    }

    /// Number of files.
    #[must_use]
    pub fn len(&self) -> usize {
        self.files.len()
    }

    /// Whether there is no file.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.files.is_empty()
    }

    /// Totals over all files.
    #[must_use]
    pub fn summary(&self) -> Summary {
        self.files.values().map(FileCoverage::summary).sum()
    }

    /// Adds what a page counted since its last reading, and tells what that covered for the first time.
    ///
    /// Increments for a file that is not in the map, or is there in another version, are left out and listed.
    pub fn apply(&mut self, delta: &Delta) -> Gain {
        let mut gain = Gain::default();
        for (path, change) in delta.files() {
            let known = self.files.get_mut(path).filter(|file| {
                file.hash.is_none() || change.hash.is_empty() || file.hash.as_ref() == Some(&change.hash)
            });
            match known {
                Some(file) => gain += file.apply(change),
                None => gain.unknown.push(path.to_owned()),
            }
        }
        gain
    }
}

impl FromIterator<FileCoverage> for CoverageMap {
    fn from_iter<I: IntoIterator<Item = FileCoverage>>(files: I) -> Self {
        let mut map = Self::default();
        files.into_iter().for_each(|file| map.add(file));
        map
    }
}

impl Extend<FileCoverage> for CoverageMap {
    fn extend<I: IntoIterator<Item = FileCoverage>>(&mut self, files: I) {
        files.into_iter().for_each(|file| self.add(file));
    }
}
