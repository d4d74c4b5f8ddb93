//! Packages of the registry, fetched by npm with its own configuration, and kept.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Component, Path, PathBuf};
use std::sync::{Arc, PoisonError};

use serde_json::Value;
use tokio::process::Command;
use tokio::sync::Mutex;

/// Largest file that is taken out of a package, and all of a package, in bytes.
const MOST_BYTES: u64 = 256 << 20;

/// A package that is there.
#[derive(Clone, Debug)]
pub(super) struct Package {
    pub(super) name: String,
    pub(super) version: String,
    pub(super) folder: PathBuf,
}

impl Package {
    /// Its `package.json`.
    pub(super) fn manifest(&self) -> Value {
        let text = std::fs::read(self.folder.join("package.json")).unwrap_or_default();
        serde_json::from_slice(&text).unwrap_or_default()
    }

    /// The content of a file of it.
    pub(super) fn read(&self, path: &str) -> Option<Vec<u8>> {
        let path = Path::new(path.trim_start_matches('/'));
        if !path.components().all(|part| matches!(part, Component::Normal(_) | Component::CurDir)) {
            return None;
        }
        let path = self.folder.join(path);
        path.is_file().then(|| std::fs::read(path).ok()).flatten()
    }
}

/// What came of looking for a package; nothing before that is over.
type Fetched = Mutex<Option<Result<Package, String>>>;

/// Packages that were fetched, by what was asked for.
#[derive(Debug)]
pub(super) struct Packages {
    folder: PathBuf,
    /// One at a time of each: a page asks for many files of a package at once.
    fetched: Mutex<BTreeMap<String, Arc<Fetched>>>,
    /// Names and versions that were asked for by their number.
    asked: std::sync::Mutex<BTreeSet<(String, String)>>,
}

impl Packages {
    pub(super) fn new(folder: PathBuf) -> Self {
        Self { folder, fetched: Mutex::default(), asked: std::sync::Mutex::default() }
    }

    /// A package in a version or the newest of a range; fetched when it is not kept.
    pub(super) async fn get(&self, name: &str, range: &str) -> Result<Package, String> {
        if !is_name(name) || !range.chars().all(|c| c.is_ascii_alphanumeric() || ".-+^~*".contains(c)) {
            return Err(format!("{name}@{range} is no package"));
        }
        let range = if range.is_empty() { "latest" } else { range };
        let spec = format!("{name}@{range}");
        let cell = Arc::clone(self.fetched.lock().await.entry(spec.clone()).or_default());
        let mut cell = cell.lock().await;
        if let Some(known) = &*cell {
            return known.clone();
        }
        let result = match self.kept(name, range) {
            Some(package) => Ok(package),
            None => self.fetch(name, range, &spec).await,
        };
        *cell = Some(result.clone());
        result
    }

    /// Remembers that a version was asked for by its number.
    pub(super) fn note_asked(&self, name: &str, version: &str) {
        let mut asked = self.asked.lock().unwrap_or_else(PoisonError::into_inner);
        asked.insert((name.to_owned(), version.to_owned()));
    }

    /// A version of a package that was asked for by its number and is as wanted.
    pub(super) fn asked_for(&self, name: &str, wanted: impl Fn(&str) -> bool) -> Option<String> {
        let asked = self.asked.lock().unwrap_or_else(PoisonError::into_inner);
        let fitting = asked.iter().filter(|(known, version)| known == name && wanted(version));
        fitting.map(|(_, version)| version.clone()).next_back()
    }

    fn place(&self, name: &str, version: &str) -> PathBuf {
        self.folder.join(name.replace('/', "+")).join(version)
    }

    /// What a range meant when it was last looked up is written down, so that it works without the network.
    fn kept(&self, name: &str, range: &str) -> Option<Package> {
        let written = std::fs::read_to_string(self.place(name, &format!(".{}", plain(range))));
        let version = written.unwrap_or_else(|_| range.to_owned());
        let folder = self.place(name, version.trim());
        folder.join("package.json").is_file().then(|| Package {
            name: name.to_owned(),
            version: version.trim().to_owned(),
            folder,
        })
    }

    async fn fetch(&self, name: &str, range: &str, spec: &str) -> Result<Package, String> {
        let failed = |what: &str, error: std::io::Error| format!("{spec}: cannot {what}: {error}");
        std::fs::create_dir_all(&self.folder).map_err(|error| failed("make a folder", error))?;
        let temporary = tempfile::Builder::new().prefix(".partial-").tempdir_in(&self.folder);
        let temporary = temporary.map_err(|error| failed("make a folder", error))?;
        let mut command = Command::new("npm");
        command.args(["pack", "--json", "--ignore-scripts", "--pack-destination"]).arg(temporary.path()).arg(spec);
        command.current_dir(temporary.path()).kill_on_drop(true);
        let output = tokio::time::timeout(std::time::Duration::from_secs(120), command.output()).await;
        let output = output.map_err(|_| format!("{spec}: npm takes too long"))?;
        let output = output.map_err(|error| failed("run npm", error))?;
        if !output.status.success() {
            let text = String::from_utf8_lossy(&output.stderr).into_owned();
            let line = text.lines().find(|line| line.contains("code ")).unwrap_or("npm failed");
            return Err(format!("{spec} is not to be had from the package registry ({})", line.trim()));
        }
        let answer: Value = serde_json::from_slice(&output.stdout).unwrap_or_default();
        // An array of one, or an object by name, depending on npm's version.
        let entry = answer.get(0).or_else(|| answer.as_object().and_then(|all| all.values().next()));
        let text = |key: &str| entry.and_then(|entry| entry.get(key)).and_then(Value::as_str).map(str::to_owned);
        let version = text("version").ok_or_else(|| format!("{spec}: npm gave no version"))?;
        let folder = self.place(name, &version);
        if !folder.join("package.json").is_file() {
            let archive = std::fs::read_dir(temporary.path()).into_iter().flatten().filter_map(Result::ok);
            let archive =
                archive.map(|entry| entry.path()).find(|path| path.extension().is_some_and(|ending| ending == "tgz"));
            let archive = archive.ok_or_else(|| format!("{spec}: npm left no archive"))?;
            let unpacked = temporary.path().join("unpacked");
            let (from, to) = (archive, unpacked.clone());
            let done = tokio::task::spawn_blocking(move || unpack(&from, &to)).await;
            done.map_err(|error| format!("{spec}: {error}"))?.map_err(|error| failed("unpack it", error))?;
            if let Some(parent) = folder.parent() {
                std::fs::create_dir_all(parent).map_err(|error| failed("make a folder", error))?;
            }
            let renamed = std::fs::rename(&unpacked, &folder);
            // Somebody else may have been quicker.
            if let Err(error) = renamed.or_else(|error| if folder.is_dir() { Ok(()) } else { Err(error) }) {
                return Err(failed("keep it", error));
            }
        }
        let _ = std::fs::write(self.place(name, &format!(".{}", plain(range))), &version);
        Ok(Package { name: name.to_owned(), version, folder })
    }
}

fn plain(range: &str) -> String {
    range.replace('*', "x")
}

fn is_name(name: &str) -> bool {
    let part = |part: &str| {
        !part.is_empty()
            && !part.starts_with(['.', '-'])
            && part.chars().all(|c| c.is_ascii_alphanumeric() || "-_.~".contains(c))
    };
    match name.strip_prefix('@') {
        Some(scoped) => scoped.split_once('/').is_some_and(|(scope, name)| part(scope) && part(name)),
        None => part(name),
    }
}

/// The files of a package, without the folder that all of them are in.
fn unpack(archive: &Path, to: &Path) -> std::io::Result<()> {
    let file = std::io::BufReader::new(std::fs::File::open(archive)?);
    let mut tar = tar::Archive::new(flate2::read::GzDecoder::new(file));
    let mut bytes = 0;
    for entry in tar.entries()? {
        let mut entry = entry?;
        if !entry.header().entry_type().is_file() {
            continue;
        }
        let path: PathBuf = entry.path()?.components().skip(1).collect();
        if !path.components().all(|part| matches!(part, Component::Normal(_))) || path.as_os_str().is_empty() {
            continue;
        }
        let place = to.join(path);
        if let Some(parent) = place.parent() {
            std::fs::create_dir_all(parent)?;
        }
        let mut file = std::fs::File::create(place)?;
        bytes += std::io::copy(&mut std::io::Read::take(&mut entry, MOST_BYTES - bytes), &mut file)?;
        if bytes >= MOST_BYTES {
            return Err(std::io::Error::other("it is too large"));
        }
    }
    Ok(())
}
