//! What is served, and by whom.

use std::path::{Path, PathBuf};

use webeval_evidence::{DeployFailure, StepKind};

use super::build::{env, shown};
use super::install::Packages;
use super::{Site, app_failure, failure, stays_inside};
use crate::Error;
use crate::detect::{Framework, Package, has_word, main_file, starts_node};
use crate::sandbox::Mount;
use crate::serve::{Fallback, Files, Own, OwnServer, Up};

/// Which port the app's own server listens on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Port {
    /// The one that it is told.
    Told,
    /// The one that it chooses.
    Own,
}

/// The two ways.
pub(crate) enum Serving {
    /// Files, handed out by our server.
    Files(Files),
    /// The app's own server.
    Command(String),
}

/// Decides by what the build has left.
pub(crate) fn choose(site: &mut Site, outputs: &[PathBuf]) -> Result<Serving, DeployFailure> {
    let stage = site.stage.clone();
    let files = |root: &Path, fallback| {
        seal(root, &stage);
        Ok(Serving::Files(Files::new(root.to_owned(), fallback)))
    };
    let command = |line: &str| Ok(Serving::Command(line.to_owned()));
    let made = |name: &str| outputs.iter().find(|path| **path == site.file(name));
    let there = |name: &str| site.file(name).is_file();
    let uses = |name: &str| site.package().is_some_and(|package| package.depends_on(name).is_some());
    match site.detected.framework {
        Framework::Next => match made("out").or_else(|| outputs.first()) {
            Some(out) => files(out, Fallback::None),
            None => command("next start --port $PORT --hostname 127.0.0.1"),
        },
        Framework::Astro => {
            if there("dist/server/entry.mjs") && uses("@astrojs/node") {
                return command("node dist/server/entry.mjs");
            }
            match outputs.first() {
                Some(out) if !site.file("dist/server").exists() && !site.file(".netlify").exists() => {
                    files(out, Fallback::None)
                }
                _ => {
                    site.notes.push(
                        "its pages are made by a server that only runs at its host; the development server stands in"
                            .to_owned(),
                    );
                    let settings = site.file(".astro/settings.json");
                    if let Some(parent) = settings.parent() {
                        let _ = std::fs::create_dir_all(parent);
                    }
                    let _ = std::fs::write(&settings, "{\"devToolbar\":{\"enabled\":false}}");
                    if let Some(parent) = settings.parent() {
                        let _ = site.sandbox.hand_over(parent);
                    }
                    command("astro dev --port $PORT --host 127.0.0.1")
                }
            }
        }
        Framework::SvelteKit => match made("build").or_else(|| outputs.first()) {
            // Whatever host it is made for, the preview serves what its server would.
            Some(out) if uses("@sveltejs/adapter-static") => files(out, Fallback::Page),
            _ => command("vite preview --port $PORT --host 127.0.0.1"),
        },
        Framework::Nuxt if there(".output/server/index.mjs") => command("node .output/server/index.mjs"),
        Framework::Node => start_script(site).map(Serving::Command),
        _ => match outputs.first() {
            Some(out) => {
                if outputs.len() > 1 {
                    site.notes.push(format!("the build left several pages; {} is served", shown(site, out)));
                }
                files(out, Fallback::Page)
            }
            None => start_script(site).map(Serving::Command).map_err(|_| {
                app_failure("no-output", "its build ends well and leaves no page to open, and it has no start script")
            }),
        },
    }
}

/// What came of starting the app's own server as its instructions say.
pub(crate) enum Instructed {
    /// Nothing says that there is one, or it is what is started in any case.
    Nothing,
    /// It serves the app.
    Serves(Up),
    /// It is up by this command, and shows no page.
    ShowsNothing(String),
    /// It does not start, for this reason.
    Fails(DeployFailure),
}

/// Starts the app's own server as its instructions say, or as the start script does that a front end has beside its build.
/// When that leads to nothing, what is detected decides.
pub(crate) async fn as_instructed(
    site: &mut Site,
    packages: &Packages,
    outputs: &[PathBuf],
) -> Result<Instructed, Error> {
    let by_script = site.package().as_ref().is_some_and(starts_server).then(|| "npm start".to_owned());
    let (line, says) = match (site.setup.start.clone(), by_script) {
        // That is what is done with it in any case.
        (None, Some(_)) if outputs.is_empty() => return Ok(Instructed::Nothing),
        (None, Some(line)) => (line, "its start script says"),
        (Some(line), _) => (line, "its instructions say"),
        (None, None) => return Ok(Instructed::Nothing),
    };
    let detected = start_script(site).ok().filter(|_| site.detected.framework == Framework::Node);
    if detected.as_deref() == Some(line.as_str()) {
        return Ok(Instructed::Nothing);
    }
    let (why, came) = match start(site, packages, &line, site.port).await? {
        Err((failure, _)) => (failure.message.clone(), Instructed::Fails(failure)),
        Ok(server) => {
            let up = Up::Own(server);
            match up.answers("/").await {
                // Where a build has left pages, a server that shows none is only a part.
                Some(status) if status >= 400 && !outputs.is_empty() => {
                    up.stop().await;
                    (format!("its first page answers with status {status}"), Instructed::ShowsNothing(line.clone()))
                }
                _ => return Ok(Instructed::Serves(up)),
            }
        }
    };
    site.note(format!("`{line}`, which {says} to run, is not what serves it: {why}"));
    Ok(came)
}

/// Whether the start script runs a program of the app's own, and not one that serves files.
pub(super) fn starts_server(package: &Package) -> bool {
    let names_file = |script: &str| has_word(script, "node") || script.contains(".js") || script.contains(".ts");
    package.script("start").is_some_and(|script| starts_node(script) && names_file(script))
}

/// Takes links that lead out of the staged app away: nothing else of this machine is to be served.
fn seal(root: &Path, stage: &Path) {
    for entry in walkdir::WalkDir::new(root).into_iter().filter_map(Result::ok) {
        if entry.path_is_symlink() && !stays_inside(entry.path(), stage) {
            let _ = std::fs::remove_file(entry.path());
        }
    }
}

pub(crate) fn start_script(site: &Site) -> Result<String, DeployFailure> {
    let package = site.package();
    let script = package.as_ref().and_then(|package| package.script("start"));
    match script {
        // What restarts on changes and what does not serve the same.
        Some(script) if script.starts_with("nodemon ") => Ok(script.replacen("nodemon", "node", 1)),
        Some(_) => Ok("npm start".to_owned()),
        None => package
            .and_then(|package| main_file(&site.file(""), &package))
            .map(|file| format!("node {file}"))
            .ok_or_else(|| app_failure("no-script", "it has neither a start script nor a file that starts a server")),
    }
}

/// Starts the app's own server and waits until it answers. The inner error is the app's, with what it printed.
pub(crate) async fn start(
    site: &mut Site,
    packages: &Packages,
    line: &str,
    which: Port,
) -> Result<Result<OwnServer, (DeployFailure, String)>, Error> {
    let own = Own::prepare(&site.work, site.sandbox.is_confined()).await?;
    site.sandbox.hand_over(&own.run)?;
    let mut env = env();
    let (run, tools) = (site.sandbox.at(&own.run, "/webeval/run"), site.sandbox.at(&own.tools, "/webeval/tools"));
    let port = own.port.to_string();
    for (name, value) in
        [("PORT", port.as_str()), ("HOST", "127.0.0.1"), ("NITRO_HOST", "127.0.0.1"), ("WEBEVAL_RUN", &run)]
    {
        env.push((name.to_owned(), value.to_owned()));
    }
    if which == Port::Own && site.sandbox.is_confined() {
        env.retain(|(name, _)| name != "PORT");
    }
    env.retain(|(name, _)| name != "NODE_OPTIONS");
    env.push(("NODE_OPTIONS".to_owned(), format!("--max-old-space-size=3072 --require={tools}/counts.cjs")));
    env.push(("BUN_OPTIONS".to_owned(), format!("--preload={tools}/counts.cjs")));
    let whole = if site.sandbox.is_confined() {
        format!("node {tools}/bridge.cjs {run}/socket {port} & {line}")
    } else {
        line.to_owned()
    };
    let mut job = site.job(&whole, packages, env)?;
    job.mounts.push(Mount { from: own.run.clone(), to: "/webeval/run".to_owned(), writable: true });
    job.mounts.push(Mount { from: own.tools.clone(), to: "/webeval/tools".to_owned(), writable: false });
    site.options.progress.tell(line);
    let process = site.sandbox.start(&job)?.without_end();
    match own.up(process, site.sandbox.limits().start).await? {
        Ok((up, answer)) => {
            if let Some(port) = answer.other_port.filter(|_| which == Port::Told) {
                site.notes.push(format!("it listens on port {port} whatever PORT says"));
            }
            if answer.status >= 500 {
                site.notes.push(format!("its first page answers with status {}", answer.status));
            }
            site.steps.push(webeval_evidence::CommandStep {
                kind: StepKind::Serve,
                command: line.to_owned(),
                exit: None,
                seconds: answer.seconds,
                tail: super::end_of(&up.tail()),
                repair: None,
            });
            Ok(Ok(up))
        }
        Err(ended) => {
            site.record(StepKind::Serve, line, &ended);
            let failure = failure::of_start(site, &ended);
            Ok(Err((failure, ended.tail)))
        }
    }
}
