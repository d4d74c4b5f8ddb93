//! `webeval explore`.

use std::path::PathBuf;

use clap::Args;
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
    /// Print one JSON object instead of a table
    #[arg(long)]
    pub(crate) json: bool,
}

/// Files that an exploration, and what follows it, leave behind.
const PRODUCTS: &[&str] = &[
    "trace.jsonl",
    "coverage.jsonl",
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
    if args.repeat {
        start_over(&args, &directory, record)?;
    } else if record.is_done(Stage::Explore) {
        let path = args.run.display();
        return Err(Failure::Input(format!(
            "{path} is explored already; --repeat drops its trace and scores and explores again"
        )));
    }
    let record = directory.run().map_err(Failure::input)?;
    let given = match &record.app {
        AppSource::Folder { path }
        | AppSource::HtmlFile { path }
        | AppSource::Archive { path }
        | AppSource::Markdown { path } => path.clone(),
        AppSource::Url { url } => url.clone(),
        _ => return Err(Failure::Input("the run is of a kind of app that this version does not know".to_owned())),
    };
    let app = webeval_deploy::locate(&given).map_err(Failure::input)?;
    let mut model_args = args.model.clone();
    model_args.model = record.settings.model.clone();
    let model = model::open(&model_args, directory.root())?;
    run::explore(&directory, &app, &args.deployment, args.exploration.webdriver.as_deref(), model.as_ref()).await?;
    output::print(&directory, args.json, false)
}

fn begin(args: &ExploreArgs, given: &str) -> Result<RunDir, Failure> {
    let app = webeval_deploy::locate(given).map_err(Failure::input)?;
    webeval_deploy::check(&app).map_err(Failure::input)?;
    let settings = run::settings(&args.exploration, &args.model, Settings::default());
    RunDir::create(&args.run, &RunRecord::new(app.source().clone(), None, settings)).map_err(Failure::input)
}

/// Drops what was recorded and takes on the settings that the command line gives.
fn start_over(args: &ExploreArgs, directory: &RunDir, mut record: RunRecord) -> Result<(), Failure> {
    for name in PRODUCTS {
        match std::fs::remove_file(directory.root().join(name)) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(Failure::failed(error)),
            _ => {}
        }
    }
    record.stages.clear();
    record.settings = run::settings(&args.exploration, &args.model, record.settings);
    directory.write_run(&record).map_err(Failure::failed)
}
