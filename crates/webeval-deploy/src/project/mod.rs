//! Apps with packages: stage, instrument, install, build and serve, with a way back from each move that fails.

mod beside;
mod build;
mod bundle;
mod failure;
mod install;
mod manager;
mod overlay;
mod own;
mod plugin;
mod repair;
mod serving;
mod ways;

use std::path::{Path, PathBuf};

use webeval_evidence::{CommandStep, DeployFailure, DeployMode, Deployment, FailureOwner, StepKind};
use webeval_instrument::coverage::CoverageMap;

use crate::detect::Package;
use crate::options::Options;
use crate::sandbox::{Ended, Job, Sandbox};
use crate::serve::{Files, Up};
use crate::work::Work;
use crate::{App, Detected, Error, Running};
use build::{Built, Plan};
use bundle::Bundle;
use install::Packages;
use overlay::Overlay;
use own::Own;
use serving::Serving;

/// How much of a command's output is recorded, in characters.
const TAIL: usize = 4000;

/// Why it does not go on: a failure that is recorded, or one of ours or the machine's that is not about the app.
#[derive(Debug)]
pub(crate) enum Stop {
    Failed(DeployFailure),
    Fault(Error),
}

impl From<DeployFailure> for Stop {
    fn from(failure: DeployFailure) -> Self {
        Self::Failed(failure)
    }
}

impl From<Error> for Stop {
    fn from(error: Error) -> Self {
        Self::Fault(error)
    }
}

/// An app that is being brought up: where its copy is, and what has been done so far.
#[derive(Debug)]
pub(crate) struct Site {
    pub(crate) options: Options,
    pub(crate) sandbox: Sandbox,
    pub(crate) work: PathBuf,
    pub(crate) stage: PathBuf,
    pub(crate) detected: Detected,
    /// Where a server beside the app answers.
    pub(crate) backend: Option<std::net::SocketAddr>,
    pub(crate) steps: Vec<CommandStep>,
    pub(crate) notes: Vec<String>,
}

impl Site {
    /// Runs a command to its end and records it.
    pub(crate) async fn run(&mut self, kind: StepKind, job: &Job) -> Result<Ended, Error> {
        self.options.progress.tell(&job.line);
        let ended = self.sandbox.start(job)?.wait().await;
        self.record(kind, &job.line, &ended);
        Ok(ended)
    }

    pub(crate) fn record(&mut self, kind: StepKind, line: &str, ended: &Ended) {
        let mut tail = end_of(&ended.tail);
        if let Some(broke) = ended.broke {
            tail.push_str(&format!("\n(ended: it {broke})"));
        }
        let (command, exit) = (line.to_owned(), ended.exit.filter(|_| ended.broke.is_none()));
        self.steps.push(CommandStep { kind, command, exit, seconds: ended.seconds, tail, repair: None });
    }

    /// A job of the app itself: in its folder, with its packages, without the network.
    pub(crate) fn job(&self, line: &str, packages: &Packages, env: Vec<(String, String)>) -> Result<Job, Error> {
        Ok(Job {
            line: line.to_owned(),
            app: self.stage.clone(),
            folder: self.detected.folder.clone(),
            mounts: packages.mounts(self)?,
            env,
            path: packages.path.clone(),
            network: false,
            shared: false,
            time: self.options.limits.build,
        })
    }

    pub(crate) fn package(&self) -> Option<Package> {
        Package::read(&self.stage, &self.detected.folder)
    }

    /// Path of a file of the app's package.
    pub(crate) fn file(&self, name: &str) -> PathBuf {
        self.stage.join(&self.detected.folder).join(name)
    }
}

/// The end of an output, in whole lines.
pub(crate) fn end_of(text: &str) -> String {
    let text = text.trim_end();
    let Some((cut, _)) = text.char_indices().rev().nth(TAIL) else { return text.to_owned() };
    let cut = text[cut..].find('\n').map_or(cut, |line| cut + line + 1);
    format!("…\n{}", &text[cut..])
}

/// Brings an app with packages up.
pub(crate) async fn deploy(
    app: &App,
    detected: Detected,
    options: &Options,
    asked: &[String],
) -> Result<Running, Error> {
    let temporary = Work::new()?;
    let work = temporary.path().to_owned();
    let sandbox = Sandbox::prepare(&work, options.sandbox, options.limits, None).await?;
    let stage = work.join("app");
    {
        let (app, stage, detected) = (app.clone(), stage.clone(), detected.clone());
        tokio::task::spawn_blocking(move || crate::stage::copy(&app, &stage, &detected))
            .await
            .map_err(|source| Error::Interrupted { source })??;
    }
    sandbox.hand_over(&stage)?;
    let mut site = Site {
        options: options.clone(),
        sandbox,
        work,
        stage,
        detected,
        backend: None,
        steps: Vec::new(),
        notes: Vec::new(),
    };
    site.notes.extend(app.notes.iter().cloned());
    if !asked.is_empty() {
        site.notes.push(format!("its instructions are: {}", asked.join("; ")));
    }
    if !options.sandbox {
        site.notes.push("commands ran without a sandbox".to_owned());
    }
    let beside = beside::start(&mut site).await?;
    let outcome = bring_up(&mut site, asked).await;
    let record = |mode, site: &mut Site| Deployment {
        mode,
        framework: site.detected.framework.name().to_owned(),
        grounds: site.detected.grounds.clone(),
        entry: "/".to_owned(),
        commands: std::mem::take(&mut site.steps),
        notes: std::mem::take(&mut site.notes),
        ..Deployment::default()
    };
    match outcome {
        Ok(found) => {
            let mut deployment = record(found.mode, &mut site);
            deployment.entry = found.entry.clone();
            let url = found.up.url(&found.entry)?;
            if let Some(bundle) = found.bundle {
                deployment.instrumented.clone_from(&bundle.instrumented);
                deployment.skipped.clone_from(&bundle.skipped);
                if let Some(sources) = &options.sources {
                    bundle.keep_sources(sources)?;
                }
                let coverage = Some(bundle.coverage);
                let mut running = Running::new(url, deployment, coverage, None, found.up, beside, Some(temporary));
                running.origins = bundle.origins;
                return Ok(running);
            }
            let counted = found.mode == DeployMode::Instrumented;
            if counted {
                deployment.instrumented = found.overlay.instrumented();
                deployment.skipped = found.overlay.skipped();
                if let Some(sources) = &options.sources {
                    found.overlay.keep_sources(sources)?;
                }
            }
            let coverage = counted.then(|| found.overlay.browser_coverage());
            let server = (counted && found.serves_itself).then(|| ServerSide {
                map: found.overlay.all_coverage(),
                only: found.overlay.server_files().clone(),
                folder: site.work.join("run"),
            });
            Ok(Running::new(url, deployment, coverage, server, found.up, beside, Some(temporary)))
        }
        Err(Stop::Failed(failure)) => {
            let mut deployment = record(DeployMode::BlackBox, &mut site);
            deployment.failure = Some(failure);
            Err(Error::Undeployable { record: Box::new(deployment) })
        }
        Err(Stop::Fault(error)) => Err(error),
    }
}

/// What code of the app counted on a server.
#[derive(Debug)]
pub(crate) struct ServerSide {
    map: CoverageMap,
    /// Files that run nowhere else: they count even when they never ran.
    only: std::collections::BTreeSet<String>,
    folder: PathBuf,
}

impl ServerSide {
    /// The coverage so far, of files that ran on the server or are for nothing else.
    pub(crate) fn read(&self) -> CoverageMap {
        let mut map = self.map.clone();
        let entries = std::fs::read_dir(&self.folder).into_iter().flatten().filter_map(Result::ok);
        for entry in entries.filter(|entry| entry.path().extension().is_some_and(|name| name == "counts")) {
            let text = std::fs::read_to_string(entry.path()).unwrap_or_default();
            for delta in text.lines().filter_map(|line| webeval_instrument::coverage::Delta::from_json(line).ok()) {
                map.apply(&delta);
            }
        }
        map.retain(|file| self.only.contains(&file.path) || file.summary().statements.covered > 0);
        map
    }
}

/// An app that is up.
struct Found {
    up: Up,
    entry: String,
    mode: DeployMode,
    overlay: Overlay,
    /// In plugin and bundle mode.
    bundle: Option<Bundle>,
    serves_itself: bool,
}

impl Found {
    fn new(mode: DeployMode, ready: Ready, overlay: Overlay) -> Self {
        let Ready { up, serves_itself, entry, .. } = ready;
        Self { up, entry, mode, overlay, bundle: None, serves_itself }
    }
}

async fn bring_up(site: &mut Site, asked: &[String]) -> Result<Found, Stop> {
    let own = Own::new(&site.detected, used_members(site));
    let mut overlay = if site.options.counters {
        let (stage, own) = (site.stage.clone(), own.clone());
        tokio::task::spawn_blocking(move || Overlay::make(&stage, &own))
            .await
            .map_err(|source| Error::Interrupted { source })??
    } else {
        Overlay::default()
    };
    let installs: Vec<String> = asked.iter().filter(|line| is_install(line)).cloned().collect();
    let mut packages = install::install(site, &installs).await?;
    let plan = Plan::of(site);
    build::check(site, &plan, &packages).await?;

    let output = if overlay.is_empty() {
        None
    } else {
        match attempt(site, &plan, &mut packages, &overlay).await? {
            Attempt::Up(ready) => return Ok(Found::new(DeployMode::Instrumented, ready, overlay)),
            Attempt::Failed(failure, output) => {
                tracing::debug!(?failure, "it fails with counters in it");
                // Is that our fault? The app as it was given decides.
                overlay.revert(&site.stage)?;
                Some(output)
            }
        }
    };
    let mut plain = match attempt(site, &plan, &mut packages, &Overlay::default()).await? {
        Attempt::Up(ready) => ready,
        Attempt::Failed(failure, _) => return Err(failure.into()),
    };
    let Some(output) = output else { return Ok(Found::new(DeployMode::BlackBox, plain, overlay)) };
    let left = overlay.leave_out(&output);
    // An output that names the only file there is names the command, as likely as not.
    if left > 0 && !overlay.instrumented().is_empty() {
        plain.up.stop().await;
        site.notes.push(format!("{left} files are left without counters, since the build fails with them"));
        if let Attempt::Up(ready) = attempt(site, &plan, &mut packages, &overlay).await? {
            return Ok(Found::new(DeployMode::Instrumented, ready, overlay));
        }
        overlay.revert(&site.stage)?;
        plain = match attempt(site, &plan, &mut packages, &Overlay::default()).await? {
            Attempt::Up(ready) => ready,
            Attempt::Failed(failure, _) => return Err(failure.into()),
        };
    }
    ways::otherwise(site, &plan, &mut packages, &own, overlay, plain).await
}

enum Attempt {
    Up(Ready),
    /// Why not, and what the command printed.
    Failed(DeployFailure, String),
}

/// An app that is up.
struct Ready {
    up: Up,
    /// Whether its own server serves it.
    serves_itself: bool,
    /// Path of its first page.
    entry: String,
    /// The files that we serve.
    files: Option<Files>,
}

/// Builds and serves it with the overlay's counters in it.
async fn attempt(site: &mut Site, plan: &Plan, packages: &mut Packages, overlay: &Overlay) -> Result<Attempt, Stop> {
    overlay.apply(&site.stage)?;
    let outputs = match build::build(site, plan, packages).await? {
        Built::Yes(outputs) => outputs,
        Built::No(ended) => return Ok(Attempt::Failed(failure::of_build(&ended), ended.tail)),
    };
    match serving::choose(site, &outputs) {
        Ok(Serving::Files(mut files)) => {
            files.backend = site.backend;
            let entry = format!("{}/", files.base);
            let up = Up::files(files.clone()).await?;
            Ok(Attempt::Up(Ready { up, serves_itself: false, entry, files: Some(files) }))
        }
        Ok(Serving::Command(line)) => match serving::start(site, packages, &line, serving::Port::Told).await? {
            Ok(up) => Ok(Attempt::Up(Ready { up, serves_itself: true, entry: "/".to_owned(), files: None })),
            Err((failure, output)) => Ok(Attempt::Failed(failure, output)),
        },
        Err(failure) => Ok(Attempt::Failed(failure, String::new())),
    }
}

/// Whether a command of setup instructions fetches packages.
fn is_install(line: &str) -> bool {
    let mut words = line.split_whitespace();
    let manager = words.next().is_some_and(|word| matches!(word, "npm" | "pnpm" | "yarn"));
    manager && words.next().is_none_or(|verb| matches!(verb, "install" | "i" | "ci" | "add"))
}

/// Folders of the workspace's packages that the app uses, in the order in which they depend on each other.
pub(crate) fn used_members(site: &Site) -> Vec<String> {
    if site.detected.workspace == site.detected.folder {
        return Vec::new();
    }
    let all = Package::all(&site.stage);
    let mut used: Vec<String> = Vec::new();
    visit(&all, &site.detected.folder, &mut vec![site.detected.folder.clone()], &mut used);
    used
}

fn visit(all: &[Package], folder: &str, seen: &mut Vec<String>, used: &mut Vec<String>) {
    let Some(package) = all.iter().find(|package| package.folder == folder) else { return };
    for (name, _) in package.dependencies() {
        let member = all.iter().find(|member| member.text("name") == Some(name));
        if let Some(member) = member.filter(|member| !seen.contains(&member.folder)) {
            seen.push(member.folder.clone());
            visit(all, &member.folder, seen, used);
            used.push(member.folder.clone());
        }
    }
}

/// A failure of the app's.
pub(crate) fn app_failure(kind: &str, message: impl Into<String>) -> DeployFailure {
    DeployFailure { kind: kind.to_owned(), message: message.into(), whose: FailureOwner::App }
}

/// Whether a path, with all links resolved, is inside of a folder.
pub(crate) fn stays_inside(path: &Path, folder: &Path) -> bool {
    match (path.canonicalize(), folder.canonicalize()) {
        (Ok(path), Ok(folder)) => path.starts_with(folder),
        _ => false,
    }
}
