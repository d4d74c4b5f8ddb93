//! The run directory itself.

use std::path::{Path, PathBuf};

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::jsonl;
use crate::{
    BlobKind, BlobRef, CoverageIncrement, Error, Judgement, Log, RunRecord, ScoresFile, StatesFile, Trace, TraceLine,
};

/// A run directory on disk.
#[derive(Clone, Debug)]
pub struct RunDir {
    root: PathBuf,
}

impl RunDir {
    /// Makes a run directory and writes its first `run.json`. The folder may exist if it is empty.
    ///
    /// # Errors
    /// [`Error::Occupied`] when the folder holds a run or anything else; nothing is written then.
    pub fn create(root: impl Into<PathBuf>, record: &RunRecord) -> Result<Self, Error> {
        let root = root.into();
        Self::check_vacant(&root)?;
        std::fs::create_dir_all(&root).map_err(Error::io("create", &root))?;
        let dir = Self { root };
        dir.write_run(record)?;
        Ok(dir)
    }

    /// Fails unless [`RunDir::create`] could make a run directory at `root`: no such folder yet, or an empty one.
    ///
    /// # Errors
    /// [`Error::Occupied`] or [`Error::Io`].
    pub fn check_vacant(root: &Path) -> Result<(), Error> {
        let occupied = |what| Err(Error::Occupied { path: root.to_owned(), what });
        if root.join("run.json").exists() {
            return occupied("another run");
        }
        match std::fs::read_dir(root) {
            Ok(mut entries) => match entries.next() {
                Some(_) => occupied("other files"),
                None => Ok(()),
            },
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(()),
            Err(error) if error.kind() == std::io::ErrorKind::NotADirectory => occupied("a file of that name"),
            Err(error) => Err(Error::io("read", root)(error)),
        }
    }

    /// Opens a run directory.
    ///
    /// # Errors
    /// [`Error::NotARun`] without a `run.json`, [`Error::Format`] when it is newer than this version reads.
    pub fn open(root: impl Into<PathBuf>) -> Result<Self, Error> {
        let dir = Self { root: root.into() };
        if !dir.root.join("run.json").is_file() {
            return Err(Error::NotARun { path: dir.root });
        }
        let format = dir.run()?.format;
        if format > crate::FORMAT {
            return Err(Error::Format { path: dir.root, found: format });
        }
        Ok(dir)
    }

    /// Where it is.
    #[must_use]
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Reads `run.json`.
    ///
    /// # Errors
    /// When it cannot be read or is not what its schema says.
    pub fn run(&self) -> Result<RunRecord, Error> {
        self.read_json("run.json")
    }

    /// Writes `run.json`.
    ///
    /// # Errors
    /// When the disk refuses.
    pub fn write_run(&self, record: &RunRecord) -> Result<(), Error> {
        self.write_json("run.json", record)
    }

    /// Reads `trace.jsonl`; a missing file is an empty trace.
    ///
    /// # Errors
    /// When a line other than a torn last one cannot be read.
    pub fn trace(&self) -> Result<Trace, Error> {
        Ok(jsonl::read::<TraceLine>(&self.root.join("trace.jsonl"))?.into_iter().collect())
    }

    /// Opens `trace.jsonl` for appending.
    ///
    /// # Errors
    /// When the disk refuses.
    pub fn trace_log(&self) -> Result<Log<TraceLine>, Error> {
        Log::open(self.root.join("trace.jsonl"))
    }

    /// Reads `judgements.jsonl`; a missing file is empty.
    ///
    /// # Errors
    /// When a line other than a torn last one cannot be read.
    pub fn judgements(&self) -> Result<Vec<Judgement>, Error> {
        jsonl::read(&self.root.join("judgements.jsonl"))
    }

    /// Opens `judgements.jsonl` for appending.
    ///
    /// # Errors
    /// When the disk refuses.
    pub fn judgement_log(&self) -> Result<Log<Judgement>, Error> {
        Log::open(self.root.join("judgements.jsonl"))
    }

    /// Reads `coverage-log.jsonl`, the increments of coverage that the steps added; a missing file is empty.
    ///
    /// # Errors
    /// When a line other than a torn last one cannot be read.
    pub fn coverage_log(&self) -> Result<Vec<CoverageIncrement>, Error> {
        jsonl::read(&self.root.join("coverage-log.jsonl"))
    }

    /// Opens `coverage-log.jsonl` for appending.
    ///
    /// # Errors
    /// When the disk refuses.
    pub fn open_coverage_log(&self) -> Result<Log<CoverageIncrement>, Error> {
        Log::open(self.root.join("coverage-log.jsonl"))
    }

    /// Reads `states.json`; none before that stage.
    ///
    /// # Errors
    /// When it cannot be read or is not what its schema says.
    pub fn states(&self) -> Result<Option<StatesFile>, Error> {
        self.read_optional("states.json")
    }

    /// Writes `states.json`.
    ///
    /// # Errors
    /// When the disk refuses.
    pub fn write_states(&self, states: &StatesFile) -> Result<(), Error> {
        self.write_json("states.json", states)
    }

    /// Reads `scores.json`; empty before anybody judged.
    ///
    /// # Errors
    /// When it cannot be read or is not what its schema says.
    pub fn scores(&self) -> Result<ScoresFile, Error> {
        Ok(self.read_optional("scores.json")?.unwrap_or_default())
    }

    /// Writes `scores.json`.
    ///
    /// # Errors
    /// When the disk refuses.
    pub fn write_scores(&self, scores: &ScoresFile) -> Result<(), Error> {
        self.write_json("scores.json", scores)
    }

    /// Stores a blob, once per content, and tells its reference.
    ///
    /// # Errors
    /// When the disk refuses; nothing is left half written under the reference's name.
    pub fn store(&self, kind: BlobKind, content: &[u8]) -> Result<BlobRef, Error> {
        let reference = BlobRef::of(kind, content);
        let path = reference.resolve(&self.root)?;
        if !path.exists() {
            let folder = self.root.join(kind.folder());
            std::fs::create_dir_all(&folder).map_err(Error::io("create", &folder))?;
            write_whole(&path, content)?;
        }
        Ok(reference)
    }

    /// Reads a blob.
    ///
    /// # Errors
    /// [`Error::Escape`] for a forged reference, [`Error::Io`] for one that is not there.
    pub fn load(&self, reference: &BlobRef) -> Result<Vec<u8>, Error> {
        let path = reference.resolve(&self.root)?;
        std::fs::read(&path).map_err(Error::io("read", &path))
    }

    /// Reads a blob as text; bytes that are not UTF-8 are replaced.
    ///
    /// # Errors
    /// As [`RunDir::load`].
    pub fn load_text(&self, reference: &BlobRef) -> Result<String, Error> {
        Ok(String::from_utf8_lossy(&self.load(reference)?).into_owned())
    }

    /// Writes a file of the run directory as a whole: beside its place, then renamed into it.
    ///
    /// # Errors
    /// When the disk refuses.
    pub fn write_file(&self, name: &str, content: &[u8]) -> Result<(), Error> {
        write_whole(&self.root.join(name), content)
    }

    fn write_json<T: Serialize>(&self, name: &str, value: &T) -> Result<(), Error> {
        let path = self.root.join(name);
        let mut bytes = serde_json::to_vec_pretty(value).map_err(Error::json(&path, None))?;
        bytes.push(b'\n');
        write_whole(&path, &bytes)
    }

    fn read_json<T: DeserializeOwned>(&self, name: &str) -> Result<T, Error> {
        let path = self.root.join(name);
        let bytes = std::fs::read(&path).map_err(Error::io("read", &path))?;
        serde_json::from_slice(&bytes).map_err(Error::json(&path, None))
    }

    fn read_optional<T: DeserializeOwned>(&self, name: &str) -> Result<Option<T>, Error> {
        if self.root.join(name).is_file() { self.read_json(name).map(Some) } else { Ok(None) }
    }
}

/// A reader never sees half a file: the content goes to a neighbour that is renamed into place.
fn write_whole(path: &Path, content: &[u8]) -> Result<(), Error> {
    let mut partial = path.as_os_str().to_owned();
    partial.push(".partial");
    let partial = PathBuf::from(partial);
    let written = std::fs::write(&partial, content).and_then(|()| std::fs::rename(&partial, path));
    written.map_err(|source| {
        let _ = std::fs::remove_file(&partial);
        Error::io("write", path)(source)
    })
}
