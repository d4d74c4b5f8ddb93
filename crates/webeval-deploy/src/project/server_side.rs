//! What code of an app counted on a server.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use webeval_instrument::coverage::{CoverageMap, Delta};

use super::overlay::Overlay;

/// What code of the app counted on a server.
#[derive(Debug)]
pub(crate) struct ServerSide {
    map: CoverageMap,
    /// Files that run nowhere else: they count even when they never ran.
    only: BTreeSet<String>,
    folder: PathBuf,
}

impl ServerSide {
    /// Of a server that was started in `work` with an overlay's counters in its code.
    pub(crate) fn of(overlay: &Overlay, work: &Path) -> Self {
        Self { map: overlay.all_coverage(), only: overlay.server_files().clone(), folder: work.join("run") }
    }

    /// The coverage so far, of files that ran on the server or are for nothing else.
    pub(crate) fn read(&self) -> CoverageMap {
        let mut map = self.map.clone();
        let entries = std::fs::read_dir(&self.folder).into_iter().flatten().filter_map(Result::ok);
        for entry in entries.filter(|entry| entry.path().extension().is_some_and(|name| name == "counts")) {
            let text = std::fs::read_to_string(entry.path()).unwrap_or_default();
            for delta in text.lines().filter_map(|line| Delta::from_json(line).ok()) {
                map.apply(&delta);
            }
        }
        map.retain(|file| self.only.contains(&file.path) || file.summary().statements.covered > 0);
        map
    }
}
