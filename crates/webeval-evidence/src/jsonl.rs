//! Append-only logs of one JSON value a line.

use std::fs::{File, OpenOptions};
use std::io::{Read, Seek, SeekFrom, Write};
use std::marker::PhantomData;
use std::path::{Path, PathBuf};

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::Error;

/// Writer of an append-only log. Each line goes out in one write; a torn last line left by a process that died is cut
/// when the log is opened again.
#[derive(Debug)]
pub struct Log<T> {
    file: File,
    path: PathBuf,
    line: PhantomData<fn(&T)>,
}

impl<T: Serialize> Log<T> {
    pub(crate) fn open(path: PathBuf) -> Result<Self, Error> {
        let mut file =
            OpenOptions::new().read(true).append(true).create(true).open(&path).map_err(Error::io("open", &path))?;
        cut_torn_line(&mut file).map_err(Error::io("repair", &path))?;
        Ok(Self { file, path, line: PhantomData })
    }

    /// Appends one line.
    ///
    /// # Errors
    /// When the value cannot be written as JSON or the disk refuses; a line written in part (a full disk) is taken back.
    pub fn append(&mut self, value: &T) -> Result<(), Error> {
        let mut line = serde_json::to_vec(value).map_err(Error::json(&self.path, None))?;
        line.push(b'\n');
        let before = self.file.metadata().map_err(Error::io("inspect", &self.path))?.len();
        self.file.write_all(&line).map_err(|source| {
            // Best effort: when this fails too, the torn line is cut at the next opening.
            let _ = self.file.set_len(before);
            Error::io("append to", &self.path)(source)
        })
    }
}

fn cut_torn_line(file: &mut File) -> std::io::Result<()> {
    let length = file.metadata()?.len();
    let mut content = Vec::new();
    file.seek(SeekFrom::Start(0))?;
    file.read_to_end(&mut content)?;
    let whole = content.iter().rposition(|&byte| byte == b'\n').map_or(0, |at| at as u64 + 1);
    if whole < length {
        file.set_len(whole)?;
    }
    Ok(())
}

/// Reads a log; a missing file is an empty log. An unreadable *last* line without a line end is what a crash leaves and
/// is passed over, any other is an error.
pub(crate) fn read<T: DeserializeOwned>(path: &Path) -> Result<Vec<T>, Error> {
    let bytes = match std::fs::read(path) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(Error::io("read", path)(error)),
    };
    let mut values = Vec::new();
    for (number, line) in bytes.split_inclusive(|&byte| byte == b'\n').enumerate() {
        let whole = line.ends_with(b"\n");
        if line.trim_ascii().is_empty() {
            continue;
        }
        match serde_json::from_slice(line) {
            Ok(value) => values.push(value),
            Err(_) if !whole => break,
            Err(source) => return Err(Error::json(path, Some(number + 1))(source)),
        }
    }
    Ok(values)
}
