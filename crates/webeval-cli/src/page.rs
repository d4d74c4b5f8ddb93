//! Opening the page that a command is about: a file served on loopback, or a URL.

use std::path::{Path, PathBuf};

use clap::Args;
use serde_json::json;
use webeval_browser::{Driver, Session, SessionOptions};
use webeval_deploy::Server;
use webeval_evidence::{Action, ActionKind, OutcomeStatus, Viewport};

use crate::args::viewport;
use crate::failure::Failure;
use crate::pipeline;

/// Endings of files that are pages.
const PAGES: [&str; 3] = ["html", "htm", "xhtml"];

/// One page, as the commands take it that look at one.
#[derive(Clone, Debug, Args)]
pub(crate) struct PageArgs {
    /// An .html file, or the URL of a page
    #[arg(value_name = "PAGE")]
    pub(crate) page: String,
    /// Size of the page in CSS pixels [default: 1280x800]
    #[arg(long, value_name = "WxH", value_parser = viewport)]
    pub(crate) viewport: Option<Viewport>,
    #[command(flatten)]
    pub(crate) opening: OpeningArgs,
}

/// How pages are opened.
#[derive(Clone, Debug, Args)]
pub(crate) struct OpeningArgs {
    /// Folder to serve, where the page uses files that lie above its own folder
    #[arg(long, value_name = "DIR")]
    pub(crate) root: Option<PathBuf>,
    /// A WebDriver to use instead of starting chromedriver
    #[arg(long, value_name = "URL", env = "WEBEVAL_WEBDRIVER")]
    pub(crate) webdriver: Option<String>,
}

/// What was given as a page.
#[derive(Debug)]
pub(crate) enum Source {
    /// The address of a page.
    Url(String),
    /// A page on disk, and the folder that is served for it.
    File { page: PathBuf, root: PathBuf },
    /// A folder of pages, and the folder that is served for it.
    Folder { folder: PathBuf, root: PathBuf },
}

impl Source {
    /// Tells what `given` is. Nothing there, or nothing that could be opened, is bad input.
    pub(crate) fn parse(given: &str, root: Option<&Path>) -> Result<Self, Failure> {
        if given.contains("://") {
            if root.is_some() {
                return Err(Failure::Input(format!("--root is for pages on disk, and {given} is a URL")));
            }
            webeval_deploy::locate(given).map_err(Failure::input)?;
            return Ok(Self::Url(given.to_owned()));
        }
        let path = canonical(Path::new(given))?;
        let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or_default().to_ascii_lowercase();
        let own = if path.is_dir() { path.as_path() } else { path.parent().unwrap_or(&path) };
        let root = root.map_or_else(|| Ok(own.to_owned()), canonical)?;
        if !path.starts_with(&root) {
            return Err(Failure::Input(format!("{given} does not lie in --root {}", root.display())));
        }
        if path.is_dir() {
            Ok(Self::Folder { folder: path, root })
        } else if PAGES.contains(&ending.as_str()) {
            Ok(Self::File { page: path, root })
        } else {
            Err(Failure::Input(format!("{given} is not an .html file; give an HTML file or the URL of a page")))
        }
    }
}

fn canonical(path: &Path) -> Result<PathBuf, Failure> {
    path.canonicalize().map_err(|error| match error.kind() {
        std::io::ErrorKind::NotFound => Failure::Input(format!("{} does not exist", path.display())),
        _ => Failure::Input(format!("cannot read {}: {error}", path.display())),
    })
}

/// An open page. Its server lasts as long as it does.
pub(crate) struct OpenPage {
    pub(crate) session: Session,
    /// Its address.
    pub(crate) url: String,
    server: Option<Server>,
}

impl OpenPage {
    /// Does something with the page of a command that takes one, as [`OpenPage::with`].
    pub(crate) async fn visit<T>(
        args: &PageArgs,
        work: impl AsyncFn(&mut Self) -> Result<T, Failure>,
    ) -> Result<T, Failure> {
        let source = Source::parse(&args.page, args.opening.root.as_deref())?;
        let driver = pipeline::driver(args.opening.webdriver.as_deref()).await?;
        Self::with(&driver, &source, args.viewport, work).await
    }

    /// Opens a page on a driver that runs, does something with it and closes it. Where the browser is lost over that
    /// (a page that goes on reloading itself can swallow a question for good), it is all done once more in a new one.
    pub(crate) async fn with<T>(
        driver: &Driver,
        source: &Source,
        viewport: Option<Viewport>,
        work: impl AsyncFn(&mut Self) -> Result<T, Failure>,
    ) -> Result<T, Failure> {
        let mut again = true;
        loop {
            let mut page = Self::of(driver, source, viewport).await?;
            let done = work(&mut page).await;
            page.close().await;
            match done {
                Err(Failure::Lost(why)) if again => {
                    tracing::debug!(why, "the page is opened again");
                    again = false;
                }
                done => return done,
            }
        }
    }

    async fn of(driver: &Driver, source: &Source, viewport: Option<Viewport>) -> Result<Self, Failure> {
        let (url, server) = match source {
            Source::Url(url) => (url.clone(), None),
            Source::Folder { folder, .. } => {
                return Err(Failure::Input(format!("{} is a folder; give one of its pages", folder.display())));
            }
            Source::File { page, root } => {
                let server = Server::start(root.clone()).await.map_err(Failure::failed)?;
                (address(&server, root, page)?, Some(server))
            }
        };
        let mut options = SessionOptions::new(origin(&url));
        options.viewport = viewport.unwrap_or_default();
        let session = Session::open(driver, options).await.map_err(pipeline::browser_failure)?;
        let mut page = Self { session, url, server };
        match page.load().await {
            Ok(()) => Ok(page),
            Err(failure) => {
                page.close().await;
                Err(failure)
            }
        }
    }

    async fn load(&mut self) -> Result<(), Failure> {
        let load = Action { kind: ActionKind::Load { url: self.url.clone() }, target: None };
        let outcome = self.session.act(&load).await.map_err(Failure::failed)?;
        if matches!(outcome.status, OutcomeStatus::Invalid | OutcomeStatus::Crashed) {
            let why = outcome.detail.unwrap_or_else(|| "the browser was lost".to_owned());
            return Err(Failure::Failed(format!("cannot open {}: {why}", self.url)));
        }
        let asked =
            "const e = performance.getEntriesByType('navigation')[0]; return [e ? e.responseStatus : 0, location.href]";
        let answer = self.session.evaluate(asked, &[]).await.unwrap_or(json!([0, ""]));
        let place = answer[1].as_str().unwrap_or_default();
        if place.starts_with("chrome-error:") {
            return Err(Failure::Failed(format!("cannot open {}: the browser shows its own error page", self.url)));
        }
        match answer[0].as_u64() {
            Some(status @ 400..) => Err(Failure::Failed(format!("cannot open {}: it answers {status}", self.url))),
            _ => Ok(()),
        }
    }

    /// The path under the served folder that an address stands for; none where it is not served from there.
    pub(crate) fn file_of(&self, url: &str) -> Option<PathBuf> {
        let server = self.server.as_ref()?;
        let base = server.url("").ok()?;
        let path = url.strip_prefix(base.as_str())?.split(['?', '#']).next()?;
        let path = PathBuf::from(decoded(path));
        path.components().all(|part| matches!(part, std::path::Component::Normal(_))).then_some(path)
    }

    /// Closes the browser and stops the server.
    async fn close(self) {
        // A browser that does not close in order is ended all the same.
        let _ = self.session.close().await;
        if let Some(server) = self.server {
            server.stop().await;
        }
    }
}

/// Where a server shows a file.
pub(crate) fn address(server: &Server, root: &Path, page: &Path) -> Result<String, Failure> {
    let relative = page.strip_prefix(root).unwrap_or(page);
    Ok(server.url(&relative.to_string_lossy()).map_err(Failure::failed)?.to_string())
}

/// Scheme, host and port of an address.
fn origin(url: &str) -> &str {
    let host = url.find("://").map_or(0, |at| at + 3);
    url[host..].find(['/', '?', '#']).map_or(url, |end| &url[..host + end])
}

/// A part of an address without its percent signs.
fn decoded(path: &str) -> String {
    let mut bytes = Vec::new();
    let mut rest = path.as_bytes();
    while let [first, tail @ ..] = rest {
        let hex = tail.get(..2).filter(|_| *first == b'%').and_then(|hex| std::str::from_utf8(hex).ok());
        match hex.and_then(|hex| u8::from_str_radix(hex, 16).ok()) {
            Some(byte) => {
                bytes.push(byte);
                rest = &tail[2..];
            }
            None => {
                bytes.push(*first);
                rest = tail;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}
