//! Files that the browser downloads, as effects of the step that asked for them.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use webeval_evidence::Effect;

/// Longest time that a download which the page has asked for, or the browser has begun, is waited for.
const PATIENCE: Duration = Duration::from_secs(1);

/// The folder that downloads go into, and what was told of it.
#[derive(Debug, Default)]
pub(crate) struct Downloads {
    folder: Option<PathBuf>,
    told: BTreeSet<String>,
}

impl Downloads {
    pub(crate) fn into_folder(folder: Option<PathBuf>) -> Self {
        Self { folder, told: BTreeSet::new() }
    }

    /// Tells of the files that are new. Where the page has `asked` for one, it is waited for; the time that took comes
    /// back.
    pub(crate) async fn notice(&mut self, asked: bool, effects: &mut Vec<Effect>) -> Duration {
        if self.folder.is_none() {
            return Duration::ZERO;
        }
        let start = Instant::now();
        loop {
            let (whole, part) = self.fresh();
            let over = start.elapsed() >= PATIENCE;
            if !whole.is_empty() && !part || over || !(asked || part) {
                for name in whole {
                    effects.push(Effect::Download { name: name.clone() });
                    self.told.insert(name);
                }
                return start.elapsed();
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    }

    /// Files that are there and were not told of, in the order of their names, and whether another is being written.
    fn fresh(&self) -> (Vec<String>, bool) {
        let entries = self.folder.iter().filter_map(|folder| std::fs::read_dir(folder).ok()).flatten().flatten();
        let names: BTreeSet<String> = entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
        // While it is written, a file has another name: `.org.chromium.Chromium.…`, then `….crdownload`.
        let unfinished = |name: &String| name.starts_with('.') || name.ends_with(".crdownload");
        let part = names.iter().any(unfinished);
        (names.into_iter().filter(|name| !unfinished(name) && !self.told.contains(name)).collect(), part)
    }
}
