//! `webeval judge`.

use webeval_judges::Task;

use crate::args::JudgeArgs;
use crate::commands::{open, run};
use crate::failure::Failure;
use crate::{model, output, pipeline};

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
