//! Why an app could not be brought up.

use std::path::PathBuf;

/// Failure to bring an app up.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// There is nothing at the path.
    #[error("{} does not exist", path.display())]
    NoSuchApp {
        /// The path given.
        path: PathBuf,
    },
    /// The file is not an HTML page.
    #[error("{} is not an .html file; give an HTML file, a folder, an archive (.zip, .tar, .tar.gz, .tar.zst), a model's reply (.md), or a URL", path.display())]
    NotHtml {
        /// The file given.
        path: PathBuf,
    },
    /// The folder holds no HTML page.
    #[error("no .html file in {}: there is no page to open", path.display())]
    NoPage {
        /// The folder given.
        path: PathBuf,
    },
    /// The reply holds no file.
    #[error("no file in {}: a reply needs fenced blocks with paths, or an HTML document", path.display())]
    NoFiles {
        /// The reply.
        path: PathBuf,
    },
    /// The archive cannot be read.
    #[error("{} is not an archive that can be read: {reason}", path.display())]
    BadArchive {
        /// The archive.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// The archive has an entry that no app has.
    #[error("{} is refused: its entry {entry:?} {reason}", path.display())]
    HostileArchive {
        /// The archive.
        path: PathBuf,
        /// Name of the entry.
        entry: String,
        /// What is wrong with it.
        reason: String,
    },
    /// The framework that is asked for needs a package.json, and there is none.
    #[error("no package.json in {}: it cannot be built as a {framework} app", path.display())]
    NoPackage {
        /// The folder given.
        path: PathBuf,
        /// The framework asked for.
        framework: &'static str,
    },
    /// Everything was tried, and the app is not up; the record says what and why.
    #[error("{}", record.failure.as_ref().map_or("the app is not up", |failure| failure.message.as_str()))]
    Undeployable {
        /// What was done, with its failure.
        record: Box<webeval_evidence::Deployment>,
    },
    /// The file with headers and login is not one.
    #[error("{} {reason}", path.display())]
    Access {
        /// The file.
        path: std::path::PathBuf,
        /// What is wrong with it, without its values.
        reason: String,
    },
    /// The login at an app that runs elsewhere did not work.
    #[error("cannot log in at {url}: {reason}")]
    Login {
        /// The app's address.
        url: String,
        /// Which request failed, and how.
        reason: String,
    },
    /// Headers and login are for an app that runs elsewhere.
    #[error("headers and a login are for the address of an app that runs already")]
    AccessWithoutAddress,
    /// A certificate could not be made.
    #[error("cannot make a certificate: {reason}")]
    Certificate {
        /// What the library says.
        reason: String,
    },
    /// Commands of an app are not run without a sandbox, unless that is asked for.
    #[error("no sandbox for what the app runs: {reason}; scripts/setup installs bubblewrap, --no-sandbox does without")]
    NoSandbox {
        /// Why there is none.
        reason: String,
    },
    /// An address that is none.
    #[error("{url:?} is not a URL: {source}")]
    BadUrl {
        /// The address given.
        url: String,
        /// What is wrong with it.
        source: url::ParseError,
    },
    /// An address of a kind that cannot be tested.
    #[error("{url:?} is not an http or https URL")]
    BadScheme {
        /// The address given.
        url: String,
    },
    /// The app is too large to be copied.
    #[error("{} is larger than {limit}: not copied", path.display())]
    TooLarge {
        /// The folder given.
        path: PathBuf,
        /// The limit broken, with its unit.
        limit: String,
    },
    /// The staging task was cancelled or panicked.
    #[error("staging was interrupted: {source}")]
    Interrupted {
        /// What the runtime says.
        source: tokio::task::JoinError,
    },
    /// The operating system refused.
    #[error("cannot {action} {}: {source}", path.display())]
    Io {
        /// What was tried: "read", "write", …
        action: &'static str,
        /// On which path.
        path: PathBuf,
        /// The system's reason.
        source: std::io::Error,
    },
}

impl Error {
    pub(crate) fn io(action: &'static str, path: impl Into<PathBuf>) -> impl FnOnce(std::io::Error) -> Self {
        let path = path.into();
        move |source| Self::Io { action, path, source }
    }
}
