//! One attempt to bring an app up: build it with or without counters, and serve it.

use webeval_evidence::DeployFailure;

use super::build::{self, Built, Plan};
use super::install::Packages;
use super::overlay::Overlay;
use super::serving::{self, Instructed, Serving};
use super::{Site, Stop, failure, mend, within};
use crate::serve::{Files, OwnServer, Up};

/// What came of it.
#[expect(clippy::large_enum_variant, reason = "there is one at a time")]
pub(super) enum Attempt {
    Up(Ready),
    /// Why not, and what the command printed.
    Failed(DeployFailure, String),
}

/// An app that is up.
pub(super) struct Ready {
    pub(super) up: Up,
    /// Whether its own server serves it.
    pub(super) serves_itself: bool,
    /// Path of its first page.
    pub(super) entry: String,
    /// The files that we serve.
    pub(super) files: Option<Files>,
    /// A server of its package that answers what the pages ask.
    pub(super) within: Option<OwnServer>,
    /// Why such a server is not up.
    pub(super) lacks: Option<DeployFailure>,
}

impl Ready {
    /// What an app's own server serves.
    fn served(up: Up) -> Self {
        Self { up, serves_itself: true, entry: "/".to_owned(), files: None, within: None, lacks: None }
    }

    /// Ends all of it.
    pub(super) async fn stop(self) {
        self.up.stop().await;
        if let Some(server) = self.within {
            server.stop().await;
        }
    }
}

/// Builds and serves it with the overlay's counters in it, and once more after each repair that can be made.
pub(super) async fn attempt(
    site: &mut Site,
    plan: &Plan,
    packages: &mut Packages,
    overlay: &mut Overlay,
) -> Result<Attempt, Stop> {
    loop {
        let mut ready = match once(site, plan, packages, overlay).await? {
            Attempt::Up(ready) => ready,
            Attempt::Failed(failure, output) if mend::mend(site, packages, &failure, &output).await? => continue,
            failed => return Ok(failed),
        };
        let Some(failure) = ready.lacks.take() else { return Ok(Attempt::Up(ready)) };
        let named = matches!(failure.kind.as_str(), "needs-service" | "missing-environment");
        if named || !overlay.leave_server(&site.stage)? {
            site.note(format!("the server in its package is not up: {}", failure.message));
            return Ok(Attempt::Up(ready));
        }
        // Without counters it may start.
        ready.stop().await;
    }
}

async fn once(site: &mut Site, plan: &Plan, packages: &mut Packages, overlay: &Overlay) -> Result<Attempt, Stop> {
    overlay.apply(&site.stage)?;
    let outputs = match build::build(site, plan, packages).await? {
        Built::Yes(outputs) => outputs,
        Built::No(ended) => return Ok(Attempt::Failed(failure::of_build(site, &ended), ended.tail)),
    };
    let (mut line, mut lacks) = (None, None);
    match serving::as_instructed(site, packages, &outputs).await? {
        Instructed::Serves(up) => return Ok(Attempt::Up(Ready::served(up))),
        Instructed::ShowsNothing(command) => line = Some(command),
        Instructed::Fails(why) => lacks = Some(why),
        Instructed::Nothing => line = site.package().and_then(|package| within::command(&package, &site.file(""))),
    }
    match serving::choose(site, &outputs) {
        Ok(Serving::Files(mut files)) => {
            let mut within = None;
            files.backend = site.backend.clone();
            if let Some(line) = line.filter(|_| files.backend.is_none()) {
                match within::start(site, packages, &line).await? {
                    Ok((server, backend)) => (within, files.backend) = (Some(server), Some(backend)),
                    Err(why) => lacks = Some(why),
                }
            }
            let entry = format!("{}/", files.base);
            let up = Up::files(files.clone()).await?;
            Ok(Attempt::Up(Ready { up, serves_itself: false, entry, files: Some(files), within, lacks }))
        }
        Ok(Serving::Command(line)) => match serving::start(site, packages, &line, site.port).await? {
            Ok(server) => Ok(Attempt::Up(Ready::served(Up::Own(server)))),
            Err((failure, output)) => Ok(Attempt::Failed(failure, output)),
        },
        Err(failure) => Ok(Attempt::Failed(failure, String::new())),
    }
}
