//! `webeval deploy`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use serde::Serialize;
use webeval_deploy::{Access, App, Framework, Network, Options, Progress, Running};
use webeval_evidence::{
    AppSource, CommandStep, DeployFailure, DeployMode, Deployment, FailureOwner, OutsideRequest, RunDir, RunRecord,
    Settings, SkippedScript, StepKind,
};
use webeval_instrument::coverage::CoverageMap;

use crate::failure::Failure;
use crate::pipeline;

#[derive(Debug, Args)]
#[command(after_help = "Prints what was done and ends, or keeps the app up with --serve.\n\
                        Exit codes: 0 up, 1 not up, 2 bad usage or input.")]
pub(crate) struct DeployArgs {
    /// An .html file, a folder, an archive (.zip, .tar, .tar.gz, .tar.zst), a model's reply (.md), or a URL
    pub(crate) app: String,
    #[command(flatten)]
    pub(crate) deployment: DeploymentArgs,
    /// Keep it up until Ctrl-C
    #[arg(long)]
    pub(crate) serve: bool,
    /// Make a run directory that records the deployment
    #[arg(long, value_name = "RUN")]
    pub(crate) out: Option<PathBuf>,
    /// Print one JSON object instead of an account
    #[arg(long)]
    pub(crate) json: bool,
}

/// How an app is brought up; the same for every command that does so.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct DeploymentArgs {
    /// What to take the app for, whatever its files say
    #[arg(long, value_name = "NAME", value_parser = framework)]
    pub(crate) framework: Option<Framework>,
    /// What the app's pages may reach
    #[arg(long, value_enum, default_value_t = Reach::Cdn)]
    pub(crate) network: Reach,
    /// Let packages run their install scripts (in the sandbox, without the network)
    #[arg(long)]
    pub(crate) scripts: bool,
    /// Headers and login for an app that runs elsewhere, from a TOML file (docs/deploy.md); never recorded
    #[arg(long, value_name = "FILE")]
    pub(crate) access: Option<PathBuf>,
    /// Run installs, builds and servers without a sandbox: they can do whatever you can
    #[arg(long)]
    pub(crate) no_sandbox: bool,
}

/// What of the network an app's pages may reach.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Reach {
    /// Nothing
    None,
    /// Libraries and fonts of the well-known CDNs, from the package registry
    #[default]
    Cdn,
    /// Everything
    Open,
}

fn framework(name: &str) -> Result<Framework, String> {
    Framework::from_name(name).ok_or_else(|| {
        let names: Vec<&str> = Framework::all().map(Framework::name).collect();
        format!("known are {}", names.join(", "))
    })
}

impl DeploymentArgs {
    /// The library's options.
    ///
    /// # Errors
    /// When the file with headers and login cannot be read.
    pub(crate) fn options(&self) -> Result<Options, Failure> {
        let mut options = Options::default();
        options.access = self.access.as_deref().map(Access::read).transpose().map_err(Failure::input)?;
        options.framework = self.framework;
        options.scripts = self.scripts;
        options.sandbox = !self.no_sandbox;
        options.network = match self.network {
            Reach::None => Network::None,
            Reach::Cdn => Network::Cdn,
            Reach::Open => Network::Open,
        };
        options.progress = Progress::new(|command| eprintln!("webeval: running {command}"));
        Ok(options)
    }
}

/// What the command prints for programs.
#[derive(Debug, Serialize)]
struct Account<'a> {
    framework: &'a str,
    grounds: &'a str,
    mode: &'a str,
    url: Option<&'a str>,
    steps: &'a [CommandStep],
    coverage: Option<Totals>,
    server_coverage: Option<Totals>,
    instrumented: &'a [String],
    skipped: &'a [SkippedScript],
    notes: &'a [String],
    outside: &'a [OutsideRequest],
    failure: Option<&'a DeployFailure>,
}

/// How much there is to count.
#[derive(Debug, Serialize)]
struct Totals {
    files: usize,
    statements: usize,
    functions: usize,
    branches: usize,
}

impl Totals {
    fn of(map: &CoverageMap) -> Self {
        let summary = map.summary();
        Self {
            files: map.len(),
            statements: summary.statements.total,
            functions: summary.functions.total,
            branches: summary.branches.total,
        }
    }
}

pub(crate) async fn run(args: DeployArgs) -> Result<(), Failure> {
    let app = webeval_deploy::locate(&args.app).map_err(Failure::input)?;
    webeval_deploy::check(&app).map_err(Failure::input)?;
    let options = args.deployment.options()?;
    let brought_up = match &args.out {
        Some(out) => {
            let record = RunRecord::new(app.source().clone(), None, Settings::default());
            let run = RunDir::create(out, &record).map_err(Failure::input)?;
            let result = pipeline::deploy(&run, &app, options).await;
            let record = run.run().map_err(Failure::failed)?;
            result.map_err(|failure| (failure, record.deployment))
        }
        None => webeval_deploy::deploy(&app, &options).await.map_err(refused),
    };
    match brought_up {
        Ok(running) => up(&args, &app, running).await,
        Err((failure, record)) => {
            if let Some(record) = record {
                print(&args, &account(&record, None))?;
            }
            Err(failure)
        }
    }
}

/// The failure, and the record where the app got that far.
fn refused(error: webeval_deploy::Error) -> (Failure, Option<Deployment>) {
    match error {
        webeval_deploy::Error::Undeployable { record } => {
            let message = record.failure.as_ref().map_or_else(String::new, |failure| failure.message.clone());
            (Failure::Failed(message), Some(*record))
        }
        error @ webeval_deploy::Error::NoSandbox { .. } => (Failure::input(error), None),
        error => (Failure::failed(error), None),
    }
}

async fn up(args: &DeployArgs, app: &App, running: Running) -> Result<(), Failure> {
    let mut account = account(&running.record, Some(running.url.as_str()));
    account.coverage = running.coverage.as_ref().map(Totals::of);
    account.server_coverage = running.server_coverage().filter(|map| !map.is_empty()).as_ref().map(Totals::of);
    print(args, &account)?;
    if args.serve && !matches!(app.source(), AppSource::Url { .. }) {
        eprintln!("webeval: up at {} until Ctrl-C", running.url);
        let _ = tokio::signal::ctrl_c().await;
    }
    let record = running.stop().await;
    if let Some(out) = &args.out {
        let run = RunDir::open(out).map_err(Failure::failed)?;
        pipeline::note_deployment(&run, record)?;
    }
    Ok(())
}

fn account<'a>(record: &'a Deployment, url: Option<&'a str>) -> Account<'a> {
    Account {
        framework: &record.framework,
        grounds: &record.grounds,
        mode: record.mode.name(),
        url,
        steps: &record.commands,
        coverage: None,
        server_coverage: None,
        instrumented: &record.instrumented,
        skipped: &record.skipped,
        notes: &record.notes,
        outside: &record.outside,
        failure: record.failure.as_ref(),
    }
}

fn print(args: &DeployArgs, account: &Account<'_>) -> Result<(), Failure> {
    if args.json {
        println!("{}", serde_json::to_string_pretty(account).map_err(Failure::failed)?);
        return Ok(());
    }
    let line = |name: &str, text: &str| println!("{name:<12}{text}");
    line("framework", &format!("{} ({})", account.framework, account.grounds));
    for step in account.steps {
        let outcome = match (step.kind, step.exit) {
            (StepKind::Repair, _) => "done".to_owned(),
            (StepKind::Serve, None) if account.failure.is_none() => format!("up after {:.1} s", step.seconds),
            (_, Some(code)) => format!("exit {code} after {:.1} s", step.seconds),
            (_, None) => format!("ended after {:.1} s", step.seconds),
        };
        line(kind(step.kind), &format!("{}: {outcome}", step.command));
        for text in step.repair.iter().flat_map(|repair| repair.lines()) {
            line("", &format!("  {text}"));
        }
        let failed = step.exit != Some(0) && !(step.kind == StepKind::Serve && account.failure.is_none());
        if failed {
            let lines: Vec<&str> = step.tail.lines().filter(|line| !line.trim().is_empty()).collect();
            for text in &lines[lines.len().saturating_sub(8)..] {
                line("", &format!("  | {text}"));
            }
        }
    }
    if account.failure.is_none() {
        line("counters", &counters(account));
    }
    for skipped in account.skipped.iter().filter(|skipped| !skipped.third_party) {
        line("as it was", &format!("{}: {}", skipped.path, skipped.reason));
    }
    for note in account.notes {
        line("note", note);
    }
    match account.failure {
        Some(failure) => {
            let whose = match failure.whose {
                FailureOwner::App => "the app's",
                FailureOwner::Tool => "webeval's",
                FailureOwner::Environment => "this machine's",
            };
            line("not up", &format!("{} ({}, {whose} fault)", failure.message, failure.kind));
        }
        None => line("up", account.url.unwrap_or_default()),
    }
    Ok(())
}

fn counters(account: &Account<'_>) -> String {
    if account.mode == DeployMode::BlackBox.name() {
        return "none: a black box; V8 counts while it is explored".to_owned();
    }
    let Some(totals) = &account.coverage else { return account.mode.to_owned() };
    format!(
        "in its {}: {} files, {} statements, {} functions, {} branch arms",
        account.mode, totals.files, totals.statements, totals.functions, totals.branches
    )
}

fn kind(kind: StepKind) -> &'static str {
    match kind {
        StepKind::Install => "install",
        StepKind::Check => "check",
        StepKind::Build => "build",
        StepKind::Serve => "serve",
        StepKind::Repair => "repair",
        _ => "step",
    }
}
