//! The server that a front end belongs to, where it is a program of its own in the same app.
//!
//! It is started as its own start script does, on the port that it chooses: that is where the front end looks for it. What
//! the front end asks of its own server, and is no file, is handed on to it as well.

use super::install::install;
use super::{Site, Stop, serving};
use crate::Error;
use crate::detect::{Detected, Framework, server_beside};
use crate::sandbox::Sandbox;
use crate::serve::{OwnServer, Up};

/// Starts the server beside the app, when there is one. That it does not start is noted and no failure of the app's.
pub(crate) async fn start(site: &mut Site) -> Result<Option<OwnServer>, Error> {
    let Some(folder) = server_beside(&site.stage, &site.detected) else { return Ok(None) };
    let place = if folder.is_empty() { "at the root".to_owned() } else { format!("in {folder}") };
    let detected = Detected {
        framework: Framework::Node,
        grounds: String::new(),
        entry: String::new(),
        workspace: folder.clone(),
        folder,
    };
    let work = site.work.join("beside");
    std::fs::create_dir_all(&work).map_err(Error::io("create", &work))?;
    let sandbox = Sandbox::prepare(&work, site.options.sandbox, site.options.limits, Some(&site.sandbox)).await?;
    let mut other = Site {
        options: site.options.clone(),
        sandbox,
        work,
        stage: site.stage.clone(),
        detected,
        backend: None,
        steps: Vec::new(),
        notes: Vec::new(),
    };
    let started = bring_up(&mut other).await;
    site.steps.append(&mut other.steps);
    site.notes.extend(other.notes.into_iter().map(|note| format!("the server {place}: {note}")));
    match started {
        Ok(Up::Own(mut server)) => {
            let port = server.port();
            match server.also_at(port).await {
                Ok(()) => site.notes.push(format!("the server {place} is up beside the front end, on port {port}")),
                Err(error) => site.notes.push(format!(
                    "the server {place} is up, but not on its port {port}, which is taken on this machine ({error})"
                )),
            }
            site.backend = Some(server.address());
            Ok(Some(server))
        }
        Ok(_) => Ok(None),
        Err(Stop::Failed(failure)) => {
            site.notes.push(format!("the server {place} is not up: {}", failure.message));
            Ok(None)
        }
        Err(Stop::Fault(error)) => Err(error),
    }
}

async fn bring_up(site: &mut Site) -> Result<Up, Stop> {
    let packages = install(site, &[]).await?;
    let line = serving::start_script(site)?;
    serving::start(site, &packages, &line, serving::Port::Own).await?.map_err(|(failure, _)| failure.into())
}
