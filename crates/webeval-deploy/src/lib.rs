//! An app folder in, a served and instrumented app at a URL out.
//!
//! Bringing an app up takes five moves, each of which is recorded in the run's [`Deployment`]:
//!
//! 1. **locate**: what was given (a single HTML file, a folder, the address of something already running)?
//! 2. **detect**: which framework is it, by its configuration, and does it have to be built?
//! 3. **stage**: copy it, so that the original is never written to;
//! 4. **instrument**: give every script of its own coverage counters; a script that cannot be parsed is served as it was;
//! 5. **serve** it on a loopback port that the operating system picks.
//!
//! ```no_run
#![doc = include_str!("../examples/serve_app.rs")]
//! ```
//!
//! Only static apps (no build step) and running ones are supported so far: [`Error::NeedsBuild`] names the framework of
//! an app that would have to be built first.

mod detect;
mod error;
mod locate;
mod references;
mod serve;
mod stage;

use std::path::Path;

use tempfile::TempDir;
use url::Url;
use webeval_evidence::{AppSource, DeployMode, Deployment};
use webeval_instrument::coverage::CoverageMap;

pub use detect::{Detected, Framework, detect};
pub use error::Error;
pub use locate::{App, locate, locate_files};
pub use serve::Server;
pub use stage::{Staged, stage};

/// An app that is up. Dropping it stops the server and removes the staged copy.
#[derive(Debug)]
pub struct Running {
    /// Address of its first page.
    pub url: Url,
    /// What was done to bring it up.
    pub record: Deployment,
    /// Every counter of its own code, all at zero; none in black-box mode.
    pub coverage: Option<CoverageMap>,
    server: Option<Server>,
    /// Held for its drop, which removes the copy.
    _stage: Option<TempDir>,
}

impl Running {
    /// Scheme, host and port that the app is served from.
    #[must_use]
    pub fn origin(&self) -> String {
        self.url.origin().ascii_serialization()
    }

    /// Stops the server and waits until its port is free.
    pub async fn stop(mut self) {
        if let Some(server) = self.server.take() {
            server.stop().await;
        }
    }
}

/// Whether [`deploy`] knows how to bring the app up, before anything is done for it. Something that is running already
/// always is.
///
/// # Errors
/// As [`detect`].
pub fn check(app: &App) -> Result<(), Error> {
    match app.source() {
        AppSource::Url { .. } => Ok(()),
        _ => detect(app).map(drop),
    }
}

/// Brings an app up.
///
/// `sources` is a folder that gets a copy of every instrumented file as it was *before* instrumentation, under its path
/// within the app: what a coverage report needs to show the code. It is created when needed.
///
/// # Errors
/// When the app has to be built first, has no page to open, cannot be copied, or no port can be had. A script that
/// cannot be instrumented is no error: it is served as it was and listed in the record.
pub async fn deploy(app: &App, sources: Option<&Path>) -> Result<Running, Error> {
    match app.source() {
        AppSource::Url { url } => black_box(url),
        _ => deploy_static(app, sources).await,
    }
}

fn black_box(url: &str) -> Result<Running, Error> {
    let url = Url::parse(url).map_err(|source| Error::BadUrl { url: url.to_owned(), source })?;
    let entry = url[url::Position::BeforePath..].to_owned();
    let record = Deployment {
        mode: DeployMode::BlackBox,
        framework: "unknown".to_owned(),
        grounds: "an address was given, not files".to_owned(),
        entry,
        instrumented: Vec::new(),
        skipped: Vec::new(),
        commands: Vec::new(),
    };
    Ok(Running { url, record, coverage: None, server: None, _stage: None })
}

async fn deploy_static(app: &App, sources: Option<&Path>) -> Result<Running, Error> {
    let Detected { entry, framework, grounds } = detect(app)?;
    let temporary =
        TempDir::with_prefix("webeval-app-").map_err(Error::io("create a folder in", std::env::temp_dir()))?;
    let staged = {
        let (app, target, sources) = (app.clone(), temporary.path().to_owned(), sources.map(Path::to_owned));
        tokio::task::spawn_blocking(move || stage(&app, &target, sources.as_deref()))
            .await
            .map_err(|source| Error::Interrupted { source })??
    };
    let server = Server::start(temporary.path().to_owned()).await?;
    let url = server.url(&entry)?;
    let record = Deployment {
        mode: DeployMode::Instrumented,
        framework: framework.name().to_owned(),
        grounds,
        entry: format!("/{entry}"),
        instrumented: staged.instrumented,
        skipped: staged.skipped,
        commands: Vec::new(),
    };
    Ok(Running { url, record, coverage: Some(staged.coverage), server: Some(server), _stage: Some(temporary) })
}
