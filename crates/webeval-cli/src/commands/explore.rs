//! `webeval explore`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use webeval_deploy::App;
use webeval_evidence::{AppSource, RunDir, RunRecord, Settings, Stage};

use crate::args::{ExplorationArgs, ModelArgs};
use crate::commands::deploy::DeploymentArgs;
use crate::commands::{open, run};
use crate::failure::Failure;
use crate::{model, output};

#[derive(Debug, Args)]
pub(crate) struct ExploreArgs {
    /// The run directory
    pub(crate) run: PathBuf,
    /// Make RUN first, for this app: an .html file, a folder or a URL
    #[arg(long, value_name = "APP")]
    pub(crate) app: Option<String>,
    #[command(flatten)]
    pub(crate) deployment: DeploymentArgs,
    #[command(flatten)]
    pub(crate) exploration: ExplorationArgs,
    #[command(flatten)]
    pub(crate) model: ModelArgs,
    /// Explore again from the start, dropping the recorded trace, states and scores
    #[arg(long, conflicts_with = "app")]
    pub(crate) repeat: bool,
    /// Write the trace as a test for another tool; of a run that is explored already, do only that
    #[arg(long, value_name = "FORMAT")]
    pub(crate) export: Option<ExportFormat>,
    /// Print one JSON object instead of a table
    #[arg(long)]
    pub(crate) json: bool,
}

/// What a trace can be written as.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ExportFormat {
    /// A Playwright test, RUN/playwright.spec.mjs
    Playwright,
}

/// Files that an exploration, and what follows it, leave behind.
const PRODUCTS: &[&str] = &[
    "trace.jsonl",
    "coverage-log.jsonl",
    "coverage.json",
    "states.json",
    "judgements.jsonl",
    "scores.json",
    "report.html",
];

pub(crate) async fn run(args: ExploreArgs) -> Result<(), Failure> {
    let directory = match &args.app {
        Some(given) => begin(&args, given)?,
        None => open(&args.run)?,
    };
    let record = directory.run().map_err(Failure::input)?;
    let explored = !args.repeat && record.is_done(Stage::Explore);
    if explored && args.export.is_none() {
        let path = args.run.display();
        return Err(Failure::Input(format!(
            "{path} is explored already; --repeat drops its trace and scores and explores again"
        )));
    }
    if !explored {
        prepare(&args, &directory, record)?;
        explore(&args, &directory).await?;
    }
    if let Some(ExportFormat::Playwright) = args.export {
        export(&directory)?;
    }
    output::print(&directory, args.json, false)
}

/// Takes the settings of the command line on, or makes sure that a run which has begun keeps its own.
fn prepare(args: &ExploreArgs, directory: &RunDir, mut record: RunRecord) -> Result<(), Failure> {
    if record.stages.contains_key(&Stage::Explore) && !args.repeat {
        return run::check_same(&args.exploration, &args.model, &record, &args.run);
    }
    let settings = run::settings(&args.exploration, &args.model, record.settings)?;
    if args.repeat {
        drop_products(directory)?;
        record.stages.clear();
    }
    record.settings = settings;
    directory.write_run(&record).map_err(Failure::failed)
}

async fn explore(args: &ExploreArgs, directory: &RunDir) -> Result<(), Failure> {
    let record = directory.run().map_err(Failure::input)?;
    let app = app_of(&record)?;
    let mut model_args = args.model.clone();
    model_args.model = record.settings.model.clone();
    let model = model::open(&model_args, directory.root())?;
    run::explore(directory, &app, &args.deployment, args.exploration.webdriver.as_deref(), model.as_ref()).await
}

/// The app that a run is of.
pub(crate) fn app_of(record: &RunRecord) -> Result<App, Failure> {
    let given = match &record.app {
        AppSource::Folder { path }
        | AppSource::HtmlFile { path }
        | AppSource::Archive { path }
        | AppSource::Markdown { path } => path,
        AppSource::Url { url } => url,
        _ => return Err(Failure::Input("the run is of a kind of app that this version does not know".to_owned())),
    };
    webeval_deploy::locate(given).map_err(Failure::input)
}

fn begin(args: &ExploreArgs, given: &str) -> Result<RunDir, Failure> {
    let app = webeval_deploy::locate(given).map_err(Failure::input)?;
    webeval_deploy::check(&app).map_err(Failure::input)?;
    let settings = run::settings(&args.exploration, &args.model, Settings::default())?;
    RunDir::create(&args.run, &RunRecord::new(app.source().clone(), None, settings)).map_err(Failure::input)
}

/// Drops what was recorded.
fn drop_products(directory: &RunDir) -> Result<(), Failure> {
    for name in PRODUCTS {
        match std::fs::remove_file(directory.root().join(name)) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(Failure::failed(error)),
            _ => {}
        }
    }
    Ok(())
}

fn export(directory: &RunDir) -> Result<(), Failure> {
    let trace = directory.trace().map_err(Failure::input)?;
    let record = directory.run().map_err(Failure::input)?;
    let text = webeval_explore::playwright(&trace, record.settings.viewport);
    let name = "playwright.spec.mjs";
    directory.write_file(name, text.as_bytes()).map_err(Failure::failed)?;
    eprintln!("{}", directory.root().join(name).display());
    Ok(())
}
