//! Temporary folders that are cleared away even when we were not there to do it.

use std::fs::File;
use std::path::Path;

use rustix::fs::{FlockOperation, flock};
use tempfile::TempDir;

use crate::Error;

const PREFIX: &str = "webeval-app-";
const LOCK: &str = ".lock";

/// A folder for one deployment, removed on drop. As long as its owner lives, it holds a lock in it.
#[derive(Debug)]
pub(crate) struct Work {
    folder: TempDir,
    _lock: File,
}

impl Work {
    /// Makes a folder, and clears away those whose owner was killed.
    pub(crate) fn new() -> Result<Self, Error> {
        let base = std::env::temp_dir();
        sweep(&base);
        let folder = TempDir::with_prefix(PREFIX).map_err(Error::io("create a folder in", &base))?;
        let path = folder.path().join(LOCK);
        let lock = File::create(&path).map_err(Error::io("write", &path))?;
        flock(&lock, FlockOperation::NonBlockingLockExclusive)
            .map_err(|error| Error::io("lock", &path)(error.into()))?;
        Ok(Self { folder, _lock: lock })
    }

    pub(crate) fn path(&self) -> &Path {
        self.folder.path()
    }
}

fn sweep(base: &Path) {
    let entries = std::fs::read_dir(base).into_iter().flatten().filter_map(Result::ok);
    for entry in entries.filter(|entry| entry.file_name().to_string_lossy().starts_with(PREFIX)) {
        // A folder without a lock has an owner that is just making it.
        let Ok(lock) = File::open(entry.path().join(LOCK)) else { continue };
        if flock(&lock, FlockOperation::NonBlockingLockExclusive).is_ok() {
            let _ = std::fs::remove_dir_all(entry.path());
        }
    }
}
