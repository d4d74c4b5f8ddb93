//! `webeval run`: the whole job.

use std::path::{Path, PathBuf};

use clap::Args;
use webeval_deploy::App;
use webeval_evidence::{AdvisorKind, RunDir, RunRecord, Settings, Stage, TesterKind};
use webeval_judges::Task;

use crate::args::{ExplorationArgs, ModelArgs, RequirementArgs};
use crate::commands::deploy::DeploymentArgs;
use crate::commands::{interruption, open};
use crate::failure::Failure;
use crate::model::{self, Model};
use crate::progress::Progress;
use crate::{output, pipeline, requirement};

#[derive(Debug, Args)]
pub(crate) struct RunArgs {
    /// An .html file, a folder, an archive, a model's reply (.md), or the URL of something running (counted by V8)
    pub(crate) app: String,
    /// The run directory to make
    #[arg(long, value_name = "DIR")]
    pub(crate) out: PathBuf,
    #[command(flatten)]
    pub(crate) requirement: RequirementArgs,
    #[command(flatten)]
    pub(crate) deployment: DeploymentArgs,
    #[command(flatten)]
    pub(crate) exploration: ExplorationArgs,
    #[command(flatten)]
    pub(crate) model: ModelArgs,
    /// Go on with the interrupted run in --out, with the settings it was begun with
    #[arg(long)]
    pub(crate) resume: bool,
    /// Print where each step's time went
    #[arg(long)]
    pub(crate) timings: bool,
    /// Print one JSON object instead of a table
    #[arg(long)]
    pub(crate) json: bool,
}

pub(crate) async fn run(args: RunArgs) -> Result<(), Failure> {
    let app = webeval_deploy::locate(&args.app).map_err(Failure::input)?;
    let task = requirement::read(&args.requirement)?;
    let run = if args.resume { reopen(&args, &app)? } else { begin(&args, &app, task.as_ref()).await? };
    let task = match task {
        Some(task) => Some(task),
        None => recorded_task(&run)?,
    };
    let model = model::open(&args.model, run.root())?;
    stages(&run, &app, &args, task.as_ref(), model.as_ref()).await?;
    output::print(&run, args.json, args.timings)
}

/// Makes the run directory, after everything that could be wrong with the input has been looked at.
async fn begin(args: &RunArgs, app: &App, task: Option<&Task>) -> Result<RunDir, Failure> {
    check_vacant(&args.out)?;
    webeval_deploy::check(app).map_err(Failure::input)?;
    model::check(&args.model)?;
    let settings = settings(&args.exploration, &args.model, Settings::default())?;
    drop(pipeline::driver(args.exploration.webdriver.as_deref()).await?);
    let record = RunRecord::new(app.source().clone(), task.map(|task| task.requirement.clone()), settings);
    let run = RunDir::create(&args.out, &record).map_err(Failure::input)?;
    if let Some(task) = task {
        run.write_file("task.json", task.to_json().as_bytes()).map_err(Failure::failed)?;
    }
    Ok(run)
}

fn check_vacant(out: &Path) -> Result<(), Failure> {
    RunDir::check_vacant(out).map_err(|error| match error {
        webeval_evidence::Error::Occupied { path, what } => {
            let resume = if what == "another run" { ", or go on with it by --resume" } else { "" };
            Failure::Input(format!("{} already holds {what}; choose another folder{resume}", path.display()))
        }
        other => Failure::input(other),
    })
}

fn reopen(args: &RunArgs, app: &App) -> Result<RunDir, Failure> {
    let run = open(&args.out)?;
    let record = run.run().map_err(Failure::input)?;
    if record.app != *app.source() {
        return Err(Failure::Input(format!("{} is a run of another app", args.out.display())));
    }
    check_same(&args.exploration, &args.model, &record, &args.out)?;
    Ok(run)
}

/// Whether the command line leaves the settings of a run that is gone on with as they were.
pub(crate) fn check_same(
    exploration: &ExplorationArgs,
    model: &ModelArgs,
    record: &RunRecord,
    out: &Path,
) -> Result<(), Failure> {
    if settings(exploration, model, record.settings.clone())? == record.settings {
        return Ok(());
    }
    let message = "was begun with other settings; leave the options of the exploration and --model as they were";
    Err(Failure::Input(format!("{} {message}", out.display())))
}

/// What the command line says, and otherwise what `base` says.
pub(crate) fn settings(exploration: &ExplorationArgs, model: &ModelArgs, base: Settings) -> Result<Settings, Failure> {
    // A model that is named now is there to explore, unless somebody else is named for that.
    let by_default = if base.model.is_none() && model.model.is_some() { TesterKind::Model } else { base.tester };
    let settings = Settings {
        tester: exploration.tester.map_or(by_default, Into::into),
        advisor: exploration.advisor.map_or(base.advisor, Into::into),
        deterministic: exploration.deterministic.unwrap_or(base.deterministic),
        exclude_external: exploration.exclude_external.unwrap_or(base.exclude_external),
        steps: exploration.steps.unwrap_or(base.steps),
        seed: exploration.seed.unwrap_or(base.seed),
        viewport: exploration.viewport.unwrap_or(base.viewport),
        step_timeout_ms: exploration.step_timeout.map_or(base.step_timeout_ms, |seconds| seconds * 1000),
        model: model.model.clone().or(base.model),
    };
    let asked = (settings.tester == TesterKind::Model, settings.advisor == AdvisorKind::Model);
    let option = match asked {
        _ if settings.model.is_some() => return Ok(settings),
        (true, _) => "--tester model",
        (_, true) => "--advisor model",
        _ => return Ok(settings),
    };
    Err(Failure::Input(format!("{option} needs a model: name one with --model")))
}

/// The task that the run was begun with.
pub(crate) fn recorded_task(run: &RunDir) -> Result<Option<Task>, Failure> {
    let path = run.root().join("task.json");
    if path.is_file() { Task::read(&path).map(Some).map_err(Failure::input) } else { Ok(None) }
}

async fn stages(
    run: &RunDir,
    app: &App,
    args: &RunArgs,
    task: Option<&Task>,
    model: Option<&Model>,
) -> Result<(), Failure> {
    let done = |stage| run.run().map(|record| record.is_done(stage)).map_err(Failure::failed);
    if !done(Stage::Explore)? {
        explore(run, app, &args.deployment, args.exploration.webdriver.as_deref(), model).await?;
    }
    if !done(Stage::States)? {
        pipeline::states(run)?;
    }
    if !done(Stage::Judge)? {
        pipeline::judge(run, task, model).await?;
    }
    pipeline::report(run)
}

/// Brings the app up and explores it.
pub(crate) async fn explore(
    run: &RunDir,
    app: &App,
    deployment: &DeploymentArgs,
    webdriver: Option<&str>,
    model: Option<&Model>,
) -> Result<(), Failure> {
    let driver = pipeline::driver(webdriver).await?;
    let settings = run.run().map_err(Failure::failed)?.settings;
    let app = app.clone().with_external(!settings.exclude_external);
    let running = pipeline::deploy(run, &app, deployment.options()?).await?;
    let budget = settings.steps;
    let mut progress = Progress::new(budget);
    let exploration = pipeline::Exploration { run, running: &running, driver: &driver, model };
    let explored = pipeline::explore(&exploration, &mut progress, &interruption()).await;
    progress.finish();
    if let Some(map) = running.server_coverage().filter(|map| !map.is_empty()) {
        let text = serde_json::to_string(&map).map_err(Failure::failed)?;
        run.write_file("coverage-server.json", text.as_bytes()).map_err(Failure::failed)?;
    }
    pipeline::note_deployment(run, running.stop().await)?;
    explored
}
