//! The app's own source as it was before it was instrumented, for advisors only.

use std::collections::BTreeMap;
use std::path::{Component, Path, PathBuf};

/// Where sources are read from.
#[derive(Clone, Debug, Default)]
enum From {
    /// Nowhere.
    #[default]
    Nothing,
    /// A folder that holds them by their paths in the coverage map.
    Folder(PathBuf),
    /// Texts by path.
    Texts(BTreeMap<String, String>),
}

/// The app's sources by their paths in the coverage map. A tester never sees them.
#[derive(Clone, Debug, Default)]
pub struct Sources(From);

impl Sources {
    /// Sources that lie in a folder.
    #[must_use]
    pub fn in_folder(folder: impl Into<PathBuf>) -> Self {
        Self(From::Folder(folder.into()))
    }

    /// Sources given as texts, by path.
    #[must_use]
    pub fn texts(texts: BTreeMap<String, String>) -> Self {
        Self(From::Texts(texts))
    }

    /// The source of that path, where it is known.
    #[must_use]
    pub fn read(&self, path: &str) -> Option<String> {
        match &self.0 {
            From::Nothing => None,
            From::Texts(texts) => texts.get(path).cloned(),
            From::Folder(folder) => {
                let inside = Path::new(path.trim_start_matches('/'));
                let plain = inside.components().all(|part| matches!(part, Component::Normal(_)));
                plain.then(|| std::fs::read_to_string(folder.join(inside)).ok()).flatten()
            }
        }
    }
}
