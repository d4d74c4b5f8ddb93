//! Apps with packages: stage, instrument, install, build and serve, with a way back from each move that fails.

mod attempt;
mod beside;
mod build;
mod bundle;
mod failure;
mod imports;
mod install;
mod instructions;
mod manager;
mod mend;
mod needs;
mod node;
mod overlay;
mod own;
mod plugin;
mod repair;
mod routes;
mod server_side;
mod serving;
mod settings;
mod tools;
mod ways;
mod within;

use std::path::{Path, PathBuf};

use webeval_evidence::{CommandStep, DeployFailure, DeployMode, Deployment, FailureOwner, StepKind};

use crate::detect::Package;
use crate::options::Options;
use crate::sandbox::{Ended, Job, Sandbox};
use crate::serve::{Backend, OwnServer, Up};
use crate::work::Work;
use crate::{App, Detected, Error, Running};
use attempt::{Attempt, Ready, attempt};
use build::Plan;
use bundle::Bundle;
use install::Packages;
use instructions::Setup;
use overlay::Overlay;
use own::Own;
pub(crate) use server_side::ServerSide;
use serving::Port;

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
    /// Where its own server listens.
    pub(crate) port: Port,
    /// Folders of what was given that belong to another program.
    pub(crate) others: Vec<String>,
    /// A server beside the app.
    pub(crate) backend: Option<Backend>,
    /// What its instructions say.
    pub(crate) setup: Setup,
    /// The version of Node.js that is used in place of the one that is here.
    pub(crate) node: Option<String>,
    /// Whether another version was asked for already.
    pub(crate) node_tried: bool,
    /// Packages that it now depends on and did not when it was given.
    pub(crate) added: Vec<String>,
    pub(crate) steps: Vec<CommandStep>,
    pub(crate) notes: Vec<String>,
}

impl Site {
    pub(crate) fn new(options: Options, sandbox: Sandbox, work: PathBuf, stage: PathBuf, detected: Detected) -> Self {
        Self {
            options,
            sandbox,
            work,
            stage,
            detected,
            port: Port::Told,
            others: Vec::new(),
            backend: None,
            setup: Setup::default(),
            node: None,
            node_tried: false,
            added: Vec::new(),
            steps: Vec::new(),
            notes: Vec::new(),
        }
    }

    /// Notes something once.
    pub(crate) fn note(&mut self, note: String) {
        if !self.notes.contains(&note) {
            self.notes.push(note);
        }
    }

    /// Takes up what instructions say about this package.
    pub(crate) fn follow(&mut self, commands: &[String]) {
        self.setup = Setup::of(commands, &self.stage, &self.detected.folder, &self.detected.workspace);
        self.notes.append(&mut self.setup.notes);
    }

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
            path: packages.tools.path.clone(),
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
pub(crate) async fn deploy(app: &App, detected: Detected, options: &Options) -> Result<Running, Error> {
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
    let instructions = instructions::of_app(app, &detected);
    let mut site = Site::new(options.clone(), sandbox, work, stage, detected);
    site.notes.extend(app.notes.iter().cloned());
    let asked = match &instructions {
        Some((commands, of)) => {
            site.notes.push(format!("{of} say to run: {}", commands.join("; ")));
            commands.as_slice()
        }
        None => &[],
    };
    site.follow(asked);
    if !options.sandbox {
        site.notes.push("commands ran without a sandbox".to_owned());
    }
    let beside = beside::start(&mut site, asked).await?;
    let outcome = bring_up(&mut site).await;
    let unset = needs::unset_in_pages(&site.file(""));
    if !unset.is_empty() {
        site.note(format!("its pages read environment variables that nothing sets: {}", unset.join(", ")));
    }
    if instructions.is_some() {
        let beyond = site.setup.beyond(&site.steps);
        if !beyond.is_empty() {
            site.notes.push(format!("done beyond what its instructions say: {}", beyond.join("; ")));
        }
    }
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
            let mut servers: Vec<ServerSide> = Vec::new();
            if let Some(bundle) = found.bundle {
                deployment.instrumented.clone_from(&bundle.instrumented);
                deployment.skipped.clone_from(&bundle.skipped);
                if let Some(sources) = &options.sources {
                    bundle.keep_sources(sources)?;
                }
                let beside = beside::settle(beside, &mut deployment, &mut servers, options.sources.as_deref())?;
                let (beside, coverage) = (beside.or(found.within), Some(bundle.coverage));
                let mut running = Running::new(url, deployment, coverage, servers, found.up, beside, Some(temporary));
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
            let on_server = counted && (found.serves_itself || found.within.is_some());
            servers.extend(on_server.then(|| ServerSide::of(&found.overlay, &site.work)));
            let beside = beside::settle(beside, &mut deployment, &mut servers, options.sources.as_deref())?;
            let beside = beside.or(found.within);
            Ok(Running::new(url, deployment, coverage, servers, found.up, beside, Some(temporary)))
        }
        Err(Stop::Failed(failure)) => {
            let mut deployment = record(DeployMode::BlackBox, &mut site);
            deployment.failure = Some(failure);
            Err(Error::Undeployable { record: Box::new(deployment) })
        }
        Err(Stop::Fault(error)) => Err(error),
    }
}

/// An app that is up.
pub(crate) struct Found {
    pub(crate) up: Up,
    entry: String,
    pub(crate) mode: DeployMode,
    pub(crate) overlay: Overlay,
    /// In plugin and bundle mode.
    bundle: Option<Bundle>,
    serves_itself: bool,
    within: Option<OwnServer>,
}

impl Found {
    fn new(mode: DeployMode, ready: Ready, overlay: Overlay) -> Self {
        let Ready { up, serves_itself, entry, within, .. } = ready;
        Self { up, entry, mode, overlay, bundle: None, serves_itself, within }
    }
}

pub(crate) async fn bring_up(site: &mut Site) -> Result<Found, Stop> {
    let own = Own::new(&site.detected, used_members(site)).without(site.others.clone());
    let own = own.server_only(site.port == Port::Own).with_server(within::server_files(site));
    let mut overlay = if site.options.counters {
        let (stage, own) = (site.stage.clone(), own.clone());
        tokio::task::spawn_blocking(move || Overlay::make(&stage, &own))
            .await
            .map_err(|source| Error::Interrupted { source })??
    } else {
        Overlay::default()
    };
    let mut packages = install::install(site).await?;
    for line in site.setup.prepares.clone() {
        let ended = site.run(StepKind::Build, &site.job(&line, &packages, build::env())?).await?;
        if !ended.is_success() {
            site.notes.push(format!("`{line}` fails, which its instructions say to run; it goes on without"));
        }
    }
    let plan = Plan::of(site);
    build::check(site, &plan, &packages).await?;

    let output = if overlay.is_empty() {
        None
    } else {
        match attempt(site, &plan, &mut packages, &mut overlay).await? {
            Attempt::Up(ready) => return Ok(Found::new(DeployMode::Instrumented, ready, overlay)),
            Attempt::Failed(failure, output) => {
                tracing::debug!(?failure, "it fails with counters in it");
                // Is that our fault? The app as it was given decides.
                overlay.revert(&site.stage)?;
                Some(output)
            }
        }
    };
    let mut plain = match attempt(site, &plan, &mut packages, &mut Overlay::default()).await? {
        Attempt::Up(ready) => ready,
        Attempt::Failed(failure, _) => return Err(failure.into()),
    };
    let Some(output) = output else { return Ok(Found::new(DeployMode::BlackBox, plain, overlay)) };
    let left = overlay.leave_out(&output);
    // An output that names the only file there is names the command, as likely as not.
    if left > 0 && !overlay.instrumented().is_empty() {
        plain.stop().await;
        site.notes.push(format!("{left} files are left without counters, since the build fails with them"));
        if let Attempt::Up(ready) = attempt(site, &plan, &mut packages, &mut overlay).await? {
            return Ok(Found::new(DeployMode::Instrumented, ready, overlay));
        }
        overlay.revert(&site.stage)?;
        plain = match attempt(site, &plan, &mut packages, &mut Overlay::default()).await? {
            Attempt::Up(ready) => ready,
            Attempt::Failed(failure, _) => return Err(failure.into()),
        };
    }
    ways::otherwise(site, &plan, &mut packages, &own, overlay, plain).await
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
