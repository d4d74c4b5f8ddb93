//! An app in, a served and instrumented app at a URL out, or the exact reason why not.
//!
//! Bringing an app up takes these moves, each of which is recorded in the run's [`Deployment`]:
//!
//! 1. **locate**: what was given (an HTML file, a folder, an archive, a model's reply, the address of something that is
//!    running already)?
//! 2. **detect**: which framework is it, by its configuration, and what are the grounds?
//! 3. **stage**: copy it, so that the original is never written to;
//! 4. **instrument**: give the app's own code coverage counters, in its source; what cannot be parsed is left as it was;
//! 5. **install** its packages, from a store that is shared between deployments and keyed by what decides them;
//! 6. **build** it, without the network;
//! 7. **serve** it: its files by a server of ours, or by its own server, on a loopback port; up means that it answered.
//!
//! Everything that an app brings and that runs here (package scripts, builds, servers) runs in a sandbox. When the app
//! fails with counters in its source and works without, what its build makes gets them; when that cannot be done either,
//! it is served without: no app fails because of us.
//!
//! ```no_run
#![doc = include_str!("../examples/serve_app.rs")]
//! ```

mod access;
mod detect;
mod error;
mod input;
mod integrity;
mod options;
mod project;
mod proxy;
mod sandbox;
mod serve;
mod stage;
mod work;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use url::Url;
use webeval_evidence::{AppSource, CommandStep, DeployMode, Deployment, StepKind};
use webeval_instrument::coverage::{CoverageMap, Origins};

pub use access::Access;
pub use detect::{Detected, Framework, detect, detect_as};
pub use error::Error;
pub use input::{App, Reply, extract, locate, locate_files};
pub use options::{Limits, Network, Options, Progress};
pub use serve::Server;
pub use stage::{Staged, is_third_party, stage};

use project::ServerSide;
use proxy::{Own, Proxy};
use serve::{OwnServer, Up};
use work::Work;

/// Where a static app's copy lies in its working folder.
const STAGED: &str = "app";

/// An app that is up. Dropping it stops its servers and removes the staged copy.
#[derive(Debug)]
pub struct Running {
    /// Address of its first page.
    pub url: Url,
    /// What was done to bring it up.
    pub record: Deployment,
    /// Every counter of its own code that can run in a browser, all at zero; none in black-box mode.
    pub coverage: Option<CoverageMap>,
    /// Where the counters come from, when they are in its bundles and the coverage is of its sources.
    pub origins: Option<Arc<Origins>>,
    server_side: Vec<ServerSide>,
    up: Up,
    /// A server beside the app, that its pages ask.
    beside: Option<OwnServer>,
    proxy: Option<Proxy>,
    /// Its drop removes the copy.
    work: Option<Work>,
}

impl Running {
    pub(crate) fn new(
        url: Url,
        record: Deployment,
        coverage: Option<CoverageMap>,
        server_side: Vec<ServerSide>,
        up: Up,
        beside: Option<OwnServer>,
        work: Option<Work>,
    ) -> Self {
        Self { url, record, coverage, origins: None, server_side, up, beside, proxy: None, work }
    }

    /// Scheme, host and port that the app is served from.
    #[must_use]
    pub fn origin(&self) -> String {
        self.url.origin().ascii_serialization()
    }

    /// The folder that a static app is served from: a copy, which may be changed while it is served. None where a build or
    /// another server is behind it.
    #[must_use]
    pub fn served_folder(&self) -> Option<PathBuf> {
        let of_files = self.record.framework == Framework::Static.name();
        self.work.as_ref().filter(|_| of_files).map(|work| work.path().join(STAGED))
    }

    /// Switches for the browser that make its requests to anywhere but the app go through the proxy that keeps to
    /// [`Options::network`] and records them.
    #[must_use]
    pub fn browser_args(&self) -> Vec<String> {
        self.proxy.as_ref().map(Proxy::browser_args).unwrap_or_default()
    }

    /// What the app's own code has counted on its servers so far; none for an app without a server of its own.
    #[must_use]
    pub fn server_coverage(&self) -> Option<CoverageMap> {
        let mut sides = self.server_side.iter().map(ServerSide::read);
        let mut map = sides.next()?;
        for side in sides {
            side.files().for_each(|file| map.add(file.clone()));
        }
        Some(map)
    }

    /// Stops it, waits until its port is free, and gives the record with what was seen until then.
    pub async fn stop(self) -> Deployment {
        let Self { mut record, up, beside, proxy, work: _work, .. } = self;
        record.outside = proxy.as_ref().map(Proxy::seen).unwrap_or_default();
        let tail = up.tail();
        let own = matches!(up, Up::Own(_));
        let serves = |step: &&mut CommandStep| own && step.kind == StepKind::Serve;
        if let Some(step) = record.commands.iter_mut().rev().find(serves) {
            step.tail = project::end_of(&tail);
        }
        up.stop().await;
        if let Some(beside) = beside {
            beside.stop().await;
        }
        record
    }
}

/// Whether there is anything that [`deploy`] could try to bring up, before anything is done for it. Something that is
/// running already always is.
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
/// # Errors
/// [`Error::Undeployable`], with the whole record, when the app does not come up. Others when there is no page and no
/// package, no sandbox, no disk, or no port. A script that cannot be instrumented is no error: it is served as it was and
/// listed in the record.
pub async fn deploy(app: &App, options: &Options) -> Result<Running, Error> {
    let elsewhere = matches!(app.source(), AppSource::Url { .. });
    if options.access.is_some() && !elsewhere {
        return Err(Error::AccessWithoutAddress);
    }
    let mut running = bring_up(app, options).await?;
    let client = match &options.access {
        Some(access) => Some(access.client(&running.url).await?),
        None => None,
    };
    let own = elsewhere.then(|| Own::new(&running.url, client)).flatten();
    running.proxy = Some(Proxy::start(options.network, own, &options.cache).await?);
    Ok(running)
}

async fn bring_up(app: &App, options: &Options) -> Result<Running, Error> {
    if let AppSource::Url { url } = app.source() {
        return black_box(url);
    }
    let detected = match options.framework {
        Some(framework) => detect_as(app, framework)?,
        None => detect(app)?,
    };
    let app = &app.clone().with_counters(options.counters);
    match detected.framework {
        Framework::Static => deploy_static(app, detected, options.sources.as_deref()).await,
        _ => project::deploy(app, detected, options).await,
    }
}

fn black_box(url: &str) -> Result<Running, Error> {
    let url = Url::parse(url).map_err(|source| Error::BadUrl { url: url.to_owned(), source })?;
    let record = Deployment {
        mode: DeployMode::BlackBox,
        framework: "unknown".to_owned(),
        grounds: "an address was given, not files".to_owned(),
        entry: url[url::Position::BeforePath..].to_owned(),
        ..Deployment::default()
    };
    Ok(Running::new(url, record, None, Vec::new(), Up::Elsewhere, None, None))
}

async fn deploy_static(app: &App, detected: Detected, sources: Option<&Path>) -> Result<Running, Error> {
    let Detected { entry, framework, grounds, .. } = detected;
    let work = Work::new()?;
    let root = work.path().join(STAGED);
    let staged = {
        let (app, target, sources) = (app.clone(), root.clone(), sources.map(Path::to_owned));
        tokio::task::spawn_blocking(move || stage(&app, &target, sources.as_deref()))
            .await
            .map_err(|source| Error::Interrupted { source })??
    };
    let server = Server::start(root).await?;
    let url = server.url(&entry)?;
    let record = Deployment {
        mode: if app.counters { DeployMode::Instrumented } else { DeployMode::BlackBox },
        framework: framework.name().to_owned(),
        grounds,
        entry: format!("/{entry}"),
        instrumented: staged.instrumented,
        skipped: staged.skipped,
        notes: app.notes.clone(),
        ..Deployment::default()
    };
    let coverage = app.counters.then_some(staged.coverage);
    Ok(Running::new(url, record, coverage, Vec::new(), Up::Files(server), None, Some(work)))
}
