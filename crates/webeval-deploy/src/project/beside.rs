//! The server that a front end belongs to, where it is a program of its own in the same app.
//!
//! It is started as its own start script does, on the port that it chooses: that is where the front end looks for it. What
//! the front end asks of its own server, and is no file, is handed on to it as well, as the front end's development server
//! is configured to do. Its code gets counters of its own.

use std::path::{Path, PathBuf};

use webeval_evidence::{DeployMode, Deployment};

use super::overlay::Overlay;
use super::serving::Port;
use super::{ServerSide, Site, Stop, routes};
use crate::Error;
use crate::detect::{Detected, Framework, server_beside};
use crate::sandbox::Sandbox;
use crate::serve::{Backend, OwnServer, Up};

/// A server that is up beside the app.
#[derive(Debug)]
pub(crate) struct Beside {
    pub(crate) server: OwnServer,
    /// Its code with counters; none when it runs without.
    counted: Option<Overlay>,
    work: PathBuf,
}

/// Adds its files to the record and what counts in them to the app's servers, and gives what has to be kept up.
pub(crate) fn settle(
    beside: Option<Beside>,
    record: &mut Deployment,
    servers: &mut Vec<ServerSide>,
    sources: Option<&Path>,
) -> Result<Option<OwnServer>, Error> {
    let Some(beside) = beside else { return Ok(None) };
    if let Some(overlay) = &beside.counted {
        record.instrumented.extend(overlay.instrumented());
        record.skipped.extend(overlay.skipped());
        if let Some(sources) = sources {
            overlay.keep_sources(sources)?;
        }
        servers.push(ServerSide::of(overlay, &beside.work));
    }
    Ok(Some(beside.server))
}

/// Starts the server beside the app, when there is one. That it does not start is noted and no failure of the app's.
pub(crate) async fn start(site: &mut Site, asked: &[String]) -> Result<Option<Beside>, Error> {
    let Some(folder) = server_beside(&site.stage, &site.detected) else { return Ok(None) };
    let place = if folder.is_empty() { "at the root".to_owned() } else { format!("in {folder}") };
    let detected = Detected {
        framework: Framework::Node,
        grounds: String::new(),
        entry: String::new(),
        workspace: folder.clone(),
        folder: folder.clone(),
    };
    let work = site.work.join("beside");
    std::fs::create_dir_all(&work).map_err(Error::io("create", &work))?;
    let sandbox = Sandbox::prepare(&work, site.options.sandbox, site.options.limits, Some(&site.sandbox)).await?;
    let mut other = Site::new(site.options.clone(), sandbox, work, site.stage.clone(), detected);
    other.options.declared_checks = false;
    other.port = Port::Own;
    other.others = [site.detected.folder.clone()].into_iter().filter(|front| !front.is_empty()).collect();
    site.others = [folder].into_iter().filter(|folder| !folder.is_empty()).collect();
    other.follow(asked);
    // Its future holds that of another app in it.
    let started = Box::pin(super::bring_up(&mut other)).await;
    site.steps.append(&mut other.steps);
    site.notes.extend(other.notes.into_iter().map(|note| format!("the server {place}: {note}")));
    let found = match started {
        Ok(found) => found,
        Err(Stop::Failed(failure)) => {
            site.notes.push(format!("the server {place} is not up: {}", failure.message));
            return Ok(None);
        }
        Err(Stop::Fault(error)) => return Err(error),
    };
    let Up::Own(mut server) = found.up else { return Ok(None) };
    site.backend = Some(attach(site, &mut server, &place).await);
    let counted = Some(found.overlay).filter(|_| found.mode == DeployMode::Instrumented);
    Ok(Some(Beside { server, counted, work: other.work }))
}

/// Makes a server that is up answer where the front end looks for it: on the port that it chose, and for what the front end's
/// development server is configured to hand on.
pub(super) async fn attach(site: &mut Site, server: &mut OwnServer, place: &str) -> Backend {
    let port = server.port();
    match server.also_at(port).await {
        Ok(()) => site.note(format!("the server {place} is up beside the front end, on port {port}")),
        Err(error) => site.note(format!(
            "the server {place} is up, but not on its port {port}, which is taken on this machine ({error})"
        )),
    }
    let configured = routes::of(&site.file(""), site.package().as_ref());
    configured.notes.into_iter().for_each(|note| site.note(note));
    if !configured.routes.is_empty() {
        let prefixes: Vec<&str> = configured.routes.iter().map(|route| route.prefix.as_str()).collect();
        site.note(format!(
            "requests below {} are handed on to it, as the front end is configured",
            prefixes.join(", ")
        ));
    }
    Backend { address: server.address(), routes: configured.routes }
}
