//! What was given?

mod archive;
mod commands;
mod markdown;
mod references;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use tempfile::TempDir;
use url::Url;
use webeval_evidence::AppSource;

pub use markdown::{Reply, extract};
pub(crate) use references::{inside, page_and_its_files};

use crate::Error;

/// Largest reply that is read, in bytes.
const MAX_REPLY: u64 = 64 << 20;

/// An app that was found.
#[derive(Clone, Debug)]
pub struct App {
    source: AppSource,
    /// The folder that is staged; empty for a URL.
    pub(crate) root: PathBuf,
    /// The only file that is staged, for a single HTML file.
    pub(crate) only: Option<String>,
    /// Whether scripts that the author only uses are counted too.
    pub(crate) external: bool,
    /// Whether any script is counted at all.
    pub(crate) counters: bool,
    /// Commands that came with it to set it up.
    pub(crate) instructions: Vec<String>,
    /// What had to be decided to read it.
    pub(crate) notes: Vec<String>,
    /// Holds what was unpacked.
    _unpacked: Option<Arc<TempDir>>,
}

impl App {
    fn new(source: AppSource, root: PathBuf) -> Self {
        Self {
            source,
            root,
            only: None,
            external: false,
            counters: true,
            instructions: Vec::new(),
            notes: Vec::new(),
            _unpacked: None,
        }
    }

    /// The app's source as `run.json` records it.
    #[must_use]
    pub fn source(&self) -> &AppSource {
        &self.source
    }

    /// Whether scripts that the author only uses (package folders, minified files) are counted like the author's own.
    #[must_use]
    pub fn with_external(mut self, counted: bool) -> Self {
        self.external = counted;
        self
    }

    pub(crate) fn with_counters(mut self, counters: bool) -> Self {
        self.counters = counters;
        self
    }

    /// Folder of the app's files, unpacked; none for an address.
    #[must_use]
    pub fn folder(&self) -> Option<&Path> {
        (!self.root.as_os_str().is_empty()).then_some(self.root.as_path())
    }
}

/// Finds out what `given` is: the address of something running, a single HTML file, a folder, an archive (`.zip`,
/// `.tar`, `.tar.gz`, `.tar.zst`) or a model's reply in markdown (`.md`, see [`extract`]). The last two are unpacked into
/// a temporary folder that goes with the [`App`].
///
/// # Errors
/// When it is none of them, or an archive cannot be read or is hostile.
pub fn locate(given: &str) -> Result<App, Error> {
    if given.contains("://") {
        return locate_url(given);
    }
    let app = locate_files(Path::new(given))?;
    match &app.only {
        Some(name) if archive::is_archive(name) => unpack(app.root.join(name)),
        Some(name) if is_markdown(name) => read_reply(app.root.join(name)),
        Some(name) if !is_page(name) => Err(Error::NotHtml { path: PathBuf::from(given) }),
        _ => Ok(app),
    }
}

/// A folder or a single file, whether or not there is a page in it that could be opened: something to instrument.
///
/// # Errors
/// When there is nothing at the path, or it cannot be read.
pub fn locate_files(path: &Path) -> Result<App, Error> {
    let absolute = path.canonicalize().map_err(|error| match error.kind() {
        std::io::ErrorKind::NotFound => Error::NoSuchApp { path: path.to_owned() },
        _ => Error::io("open", path)(error),
    })?;
    if absolute.is_dir() {
        let source = AppSource::Folder { path: absolute.to_string_lossy().into_owned() };
        return Ok(App::new(source, absolute));
    }
    let name = absolute.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let root = absolute.parent().map(Path::to_owned).unwrap_or_default();
    let source = AppSource::HtmlFile { path: absolute.to_string_lossy().into_owned() };
    Ok(App { only: Some(name), ..App::new(source, root) })
}

fn locate_url(given: &str) -> Result<App, Error> {
    let url = Url::parse(given).map_err(|source| Error::BadUrl { url: given.to_owned(), source })?;
    if !matches!(url.scheme(), "http" | "https") || url.host().is_none() {
        return Err(Error::BadScheme { url: given.to_owned() });
    }
    Ok(App::new(AppSource::Url { url: url.into() }, PathBuf::new()))
}

fn unpack(path: PathBuf) -> Result<App, Error> {
    let folder = unpacked()?;
    let root = archive::unpack(&path, folder.path())?;
    let source = AppSource::Archive { path: path.to_string_lossy().into_owned() };
    Ok(App { _unpacked: Some(Arc::new(folder)), ..App::new(source, root) })
}

fn read_reply(path: PathBuf) -> Result<App, Error> {
    let size = std::fs::metadata(&path).map_err(Error::io("inspect", &path))?.len();
    if size > MAX_REPLY {
        return Err(Error::TooLarge { path, limit: format!("{} MB", MAX_REPLY >> 20) });
    }
    let bytes = std::fs::read(&path).map_err(Error::io("read", &path))?;
    let reply = extract(&String::from_utf8_lossy(&bytes));
    if reply.files.is_empty() {
        return Err(Error::NoFiles { path });
    }
    let folder = unpacked()?;
    for (name, content) in &reply.files {
        let to = folder.path().join(name);
        // A name that is a file in one place and a folder in another cannot be both.
        let written = to.parent().map_or(Ok(()), std::fs::create_dir_all).and_then(|()| std::fs::write(&to, content));
        written.map_err(Error::io("write", &to))?;
    }
    let source = AppSource::Markdown { path: path.to_string_lossy().into_owned() };
    let mut root = folder.path().to_owned();
    // Files that all lie in one folder are the app; its folder is only what it is called.
    while let Some(only) = only_folder(&root) {
        root = only;
    }
    let (instructions, notes) = (reply.commands, reply.notes);
    Ok(App { instructions, notes, _unpacked: Some(Arc::new(folder)), ..App::new(source, root) })
}

fn only_folder(folder: &Path) -> Option<PathBuf> {
    let entries: Vec<_> = std::fs::read_dir(folder).ok()?.filter_map(Result::ok).collect();
    match entries.as_slice() {
        [only] if only.path().is_dir() => Some(only.path()),
        _ => None,
    }
}

fn unpacked() -> Result<TempDir, Error> {
    TempDir::with_prefix("webeval-given-").map_err(Error::io("create a folder in", std::env::temp_dir()))
}

pub(crate) fn is_page(name: &str) -> bool {
    let lower = name.to_ascii_lowercase();
    [".html", ".htm", ".xhtml"].iter().any(|extension| lower.ends_with(extension))
}

fn is_markdown(name: &str) -> bool {
    let lower = name.to_ascii_lowercase();
    [".md", ".markdown"].iter().any(|extension| lower.ends_with(extension))
}
