//! What was given?

use std::path::{Path, PathBuf};

use url::Url;
use webeval_evidence::AppSource;

use crate::Error;

/// An app that was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct App {
    source: AppSource,
    /// The folder that is staged; empty for a URL.
    pub(crate) root: PathBuf,
    /// The only file that is staged, for a single HTML file.
    pub(crate) only: Option<String>,
    /// Whether scripts that the author only uses are counted too.
    pub(crate) external: bool,
}

impl App {
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
}

/// Finds out what `given` is: the address of something running, a single HTML file, or a folder.
///
/// # Errors
/// When it is none of them.
pub fn locate(given: &str) -> Result<App, Error> {
    if given.contains("://") {
        return locate_url(given);
    }
    let app = locate_files(Path::new(given))?;
    match &app.only {
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
        return Ok(App { source, root: absolute, only: None, external: false });
    }
    let name = absolute.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let root = absolute.parent().map(Path::to_owned).unwrap_or_default();
    let source = AppSource::HtmlFile { path: absolute.to_string_lossy().into_owned() };
    Ok(App { source, root, only: Some(name), external: false })
}

fn locate_url(given: &str) -> Result<App, Error> {
    let url = Url::parse(given).map_err(|source| Error::BadUrl { url: given.to_owned(), source })?;
    if !matches!(url.scheme(), "http" | "https") || url.host().is_none() {
        return Err(Error::BadScheme { url: given.to_owned() });
    }
    Ok(App { source: AppSource::Url { url: url.into() }, root: PathBuf::new(), only: None, external: false })
}

pub(crate) fn is_page(name: &str) -> bool {
    let lower = name.to_ascii_lowercase();
    [".html", ".htm", ".xhtml"].iter().any(|extension| lower.ends_with(extension))
}
