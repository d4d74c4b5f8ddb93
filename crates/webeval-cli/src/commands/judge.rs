//! `webeval judge`.

use std::path::PathBuf;

use clap::Args;
use webeval_judges::Task;

use crate::args::ModelArgs;
use crate::commands::{open, run};
use crate::failure::Failure;
use crate::{model, output, pipeline};

#[derive(Debug, Args)]
pub(crate) struct JudgeArgs {
    /// The run directory
    pub(crate) run: PathBuf,
    /// A task file with acceptance criteria (docs/task-file.md)
    #[arg(long, value_name = "FILE")]
    pub(crate) task: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) model: ModelArgs,
    /// Print the scores as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

pub(crate) async fn run(args: JudgeArgs) -> Result<(), Failure> {
    let directory = open(&args.run)?;
    let task = match &args.task {
        Some(path) => Some(Task::read(path).map_err(Failure::input)?),
        None => run::recorded_task(&directory)?,
    };
    if directory.states().map_err(Failure::input)?.is_none() {
        pipeline::states(&directory)?;
    }
    let model = model::open(&args.model, directory.root())?;
    pipeline::judge(&directory, task.as_ref(), model.as_ref()).await?;
    output::print(&directory, args.json, false)
}
