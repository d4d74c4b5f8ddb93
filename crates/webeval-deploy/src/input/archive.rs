//! Unpacking what was given as an archive. Whoever made it is not trusted: an entry that leads out, is no file, or makes
//! the whole too large is refused by its name, and nothing of the archive is used.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufReader, Read};
use std::path::{Component, Path, PathBuf};

use crate::Error;

/// Most entries.
const MAX_ENTRIES: usize = 50_000;
/// Most bytes that an archive may unpack to.
const MAX_BYTES: u64 = 512 << 20;
/// Longest path.
const MAX_PATH: usize = 1000;

/// A form of archive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    Zip,
    Tar,
    TarGz,
    TarZst,
}

impl Form {
    fn of(name: &str) -> Option<Self> {
        let lower = name.to_ascii_lowercase();
        let ends = |endings: &[&str]| endings.iter().any(|ending| lower.ends_with(ending));
        if ends(&[".zip"]) {
            Some(Self::Zip)
        } else if ends(&[".tar.gz", ".tgz"]) {
            Some(Self::TarGz)
        } else if ends(&[".tar.zst", ".tzst"]) {
            Some(Self::TarZst)
        } else if ends(&[".tar"]) {
            Some(Self::Tar)
        } else {
            None
        }
    }
}

/// Whether a file is an archive, by its name.
pub(super) fn is_archive(name: &str) -> bool {
    Form::of(name).is_some()
}

/// Unpacks an archive into an empty folder and gives the folder that the app is in: a single folder at its top is it.
pub(super) fn unpack(archive: &Path, target: &Path) -> Result<PathBuf, Error> {
    let mut into = Unpacking { archive, target, entries: 0, bytes: 0, links: BTreeMap::new() };
    let file = File::open(archive).map_err(Error::io("open", archive))?;
    let file = BufReader::new(file);
    match Form::of(&archive.to_string_lossy()) {
        Some(Form::Zip) => into.zip(file)?,
        Some(Form::TarGz) => into.tar(flate2::read::MultiGzDecoder::new(file))?,
        Some(Form::TarZst) => {
            let decoder = ruzstd::decoding::StreamingDecoder::new(file);
            into.tar(decoder.map_err(|error| into.broken(error.to_string()))?)?;
        }
        _ => into.tar(file)?,
    }
    into.links()?;
    top(target)
}

/// The only folder in a folder, when there is nothing else, or the folder itself.
fn top(target: &Path) -> Result<PathBuf, Error> {
    let entries = std::fs::read_dir(target).map_err(Error::io("read", target))?;
    let entries: Vec<_> = entries.filter_map(Result::ok).collect();
    match entries.as_slice() {
        [only] if only.path().is_dir() => Ok(only.path()),
        _ => Ok(target.to_owned()),
    }
}

/// An archive that is being unpacked.
struct Unpacking<'a> {
    archive: &'a Path,
    target: &'a Path,
    entries: usize,
    bytes: u64,
    /// Links by their place, to be made into copies of what they lead to. No link is ever made, so that nothing can be
    /// written through one.
    links: BTreeMap<PathBuf, PathBuf>,
}

impl Unpacking<'_> {
    fn broken(&self, reason: String) -> Error {
        Error::BadArchive { path: self.archive.to_owned(), reason }
    }

    fn refuse(&self, entry: &str, reason: impl Into<String>) -> Error {
        let shown: String = entry.chars().take(200).filter(|c| !c.is_control()).collect();
        Error::HostileArchive { path: self.archive.to_owned(), entry: shown, reason: reason.into() }
    }

    fn zip(&mut self, file: BufReader<File>) -> Result<(), Error> {
        let mut zip = zip::ZipArchive::new(file).map_err(|error| self.broken(error.to_string()))?;
        for at in 0..zip.len() {
            let mut entry = zip.by_index(at).map_err(|error| self.broken(error.to_string()))?;
            let name = entry.name().map_err(|error| self.broken(error.to_string()))?.into_owned();
            let Some(path) = self.place(&name)? else { continue };
            if entry.is_dir() {
                self.folder(&name, &path)?;
            } else if entry.is_symlink() {
                let mut link = String::new();
                let read = (&mut entry).take(4096).read_to_string(&mut link);
                read.map_err(|error| self.broken(error.to_string()))?;
                self.link(&name, path, &link, false)?;
            } else {
                self.file(&name, &path, &mut entry)?;
            }
        }
        Ok(())
    }

    fn tar(&mut self, reader: impl Read) -> Result<(), Error> {
        let mut tar = tar::Archive::new(reader);
        let entries = tar.entries().map_err(|error| self.broken(error.to_string()))?;
        for entry in entries {
            let mut entry = entry.map_err(|error| self.broken(error.to_string()))?;
            let name = String::from_utf8_lossy(&entry.path_bytes()).into_owned();
            let kind = entry.header().entry_type();
            if matches!(kind, tar::EntryType::XGlobalHeader | tar::EntryType::XHeader) {
                continue;
            }
            let Some(path) = self.place(&name)? else { continue };
            match kind {
                tar::EntryType::Directory => self.folder(&name, &path)?,
                tar::EntryType::Regular | tar::EntryType::Continuous | tar::EntryType::GNUSparse => {
                    self.file(&name, &path, &mut entry)?;
                }
                tar::EntryType::Symlink | tar::EntryType::Link => {
                    let link = entry.link_name_bytes().map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
                    self.link(&name, path, &link.unwrap_or_default(), kind == tar::EntryType::Link)?;
                }
                other => return Err(self.refuse(&name, format!("is no file, folder or link but {other:?}"))),
            }
        }
        Ok(())
    }

    /// Where an entry goes; none for what is no part of an app.
    fn place(&mut self, name: &str) -> Result<Option<PathBuf>, Error> {
        self.entries += 1;
        if self.entries > MAX_ENTRIES {
            return Err(self.refuse(name, format!("is one of more than {MAX_ENTRIES} entries")));
        }
        let unix = name.replace('\\', "/");
        if name.len() > MAX_PATH || name.contains('\0') {
            return Err(self.refuse(name, "has an impossible name"));
        }
        if unix.starts_with('/') || unix.get(1..2) == Some(":") {
            return Err(self.refuse(name, "has an absolute path"));
        }
        let mut path = PathBuf::new();
        for part in Path::new(&unix).components() {
            match part {
                Component::Normal(part) => path.push(part),
                Component::CurDir => {}
                _ => return Err(self.refuse(name, "leads out of the archive")),
            }
        }
        let first = path.components().next().map(|part| part.as_os_str().to_string_lossy().into_owned());
        let ignored = path.file_name().is_some_and(|name| name == ".DS_Store") || first.as_deref() == Some("__MACOSX");
        Ok((!ignored && !path.as_os_str().is_empty()).then_some(path))
    }

    fn folder(&self, name: &str, path: &Path) -> Result<(), Error> {
        std::fs::create_dir_all(self.target.join(path))
            .map_err(|error| self.refuse(name, format!("cannot be a folder: {error}")))
    }

    fn file(&mut self, name: &str, path: &Path, content: &mut impl Read) -> Result<(), Error> {
        if let Some(parent) = path.parent() {
            self.folder(name, parent)?;
        }
        let to = self.target.join(path);
        let mut file = File::create(&to).map_err(|error| self.refuse(name, format!("cannot be written: {error}")))?;
        let left = MAX_BYTES - self.bytes;
        let written = std::io::copy(&mut content.take(left + 1), &mut file);
        let written = written.map_err(|error| self.broken(format!("{name}: {error}")))?;
        if written > left {
            return Err(self.refuse(name, format!("makes it unpack to more than {} MB", MAX_BYTES >> 20)));
        }
        self.bytes += written;
        Ok(())
    }

    fn link(&mut self, name: &str, path: PathBuf, to: &str, hard: bool) -> Result<(), Error> {
        let base = if hard { Path::new("") } else { path.parent().unwrap_or(Path::new("")) };
        let out = || self.refuse(name, format!("is a link that leads out of the archive, to {to:?}"));
        if to.starts_with('/') {
            return Err(out());
        }
        let target = super::inside(base, to).ok_or_else(out)?;
        self.links.insert(path, target);
        Ok(())
    }

    /// Makes links to files into copies. Links to folders and to nothing are left out.
    fn links(&mut self) -> Result<(), Error> {
        for (path, mut to) in self.links.clone() {
            for _ in 0..8 {
                match self.links.get(&to) {
                    Some(next) => to = next.clone(),
                    None => break,
                }
            }
            let from = self.target.join(&to);
            let Ok(meta) = std::fs::symlink_metadata(&from) else { continue };
            if !meta.is_file() {
                continue;
            }
            self.bytes += meta.len();
            if self.bytes > MAX_BYTES {
                let reason = format!("makes it unpack to more than {} MB", MAX_BYTES >> 20);
                return Err(self.refuse(&path.to_string_lossy(), reason));
            }
            let place = self.target.join(&path);
            if let Some(parent) = place.parent() {
                std::fs::create_dir_all(parent).map_err(Error::io("create", parent))?;
            }
            std::fs::copy(&from, &place).map_err(Error::io("write", &place))?;
        }
        Ok(())
    }
}
