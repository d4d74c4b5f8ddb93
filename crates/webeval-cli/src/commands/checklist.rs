//! `webeval checklist`: acceptance criteria from models, or from the task files of other benchmarks.

use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use webeval_judges::{checklist, import};
use webeval_llm::ChatModel;

use crate::args::{EndpointArgs, RequirementArgs};
use crate::commands::generate::prompts;
use crate::commands::instrument::check_vacant;
use crate::commands::judge::cost;
use crate::failure::Failure;
use crate::files::{read_text, write};
use crate::pipeline::judge_failure;
use crate::{model, requirement};

#[derive(Debug, Args)]
pub(crate) struct ChecklistArgs {
    #[command(flatten)]
    pub(crate) requirement: RequirementArgs,
    /// A model that proposes criteria; give it several times for a majority
    #[arg(long, value_name = "NAME", required_unless_present = "import")]
    pub(crate) model: Vec<String>,
    /// Model that merges the proposals [default: the first]
    #[arg(long, value_name = "NAME")]
    pub(crate) merger: Option<String>,
    #[command(flatten)]
    pub(crate) endpoint: EndpointArgs,
    /// Task file to write; exchanges are recorded beside it. Without it, the task is printed
    #[arg(long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
    /// Make a task file of each task in this file of another benchmark, without any model; --out is a folder then
    #[arg(long, value_name = "FILE", requires = "from", requires = "out", conflicts_with_all = ["model", "requirement", "requirement_file", "task"])]
    pub(crate) import: Option<PathBuf>,
    /// The benchmark that --import is of
    #[arg(long, value_enum, requires = "import")]
    pub(crate) from: Option<Benchmark>,
    /// Name of the task within its set
    #[arg(long, value_name = "ID", default_value = "task")]
    pub(crate) id: String,
    /// Seed of the models' sampling
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) seed: u64,
    /// Folder of prompt templates that take the places of the built-in ones (docs/judging.md)
    #[arg(long, value_name = "DIR")]
    pub(crate) prompts: Option<PathBuf>,
}

/// A benchmark whose tasks can be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Benchmark {
    /// test.jsonl of WebGen-Bench
    WebgenBench,
    /// Rows of LiveEvalBench: id, query, code
    Liveevalbench,
}

/// Writes a task file for each task of another benchmark's file.
fn import_tasks(file: &Path, from: Benchmark, out: &Path) -> Result<(), Failure> {
    let text = read_text(file)?;
    let read = match from {
        Benchmark::WebgenBench => import::webgen_bench,
        Benchmark::Liveevalbench => import::live_eval,
    };
    let tasks = read(&file.display().to_string(), &text).map_err(Failure::input)?;
    check_vacant(out)?;
    std::fs::create_dir_all(out)
        .map_err(|error| Failure::Failed(format!("cannot create {}: {error}", out.display())))?;
    for (at, task) in tasks.iter().enumerate() {
        // An id may be anything; a file's name may not, and two ids may then have one name.
        let plain = |c: char| if c.is_ascii_alphanumeric() || matches!(c, '-' | '_') { c } else { '_' };
        let name: String = task.id.chars().take(80).map(plain).collect();
        let path = match out.join(format!("{name}.json")) {
            path if path.exists() => out.join(format!("{name}-{at}.json")),
            path => path,
        };
        write(&path, &task.to_json())?;
    }
    println!("{}: {} task files", out.display(), tasks.len());
    Ok(())
}

pub(crate) async fn run(args: ChecklistArgs) -> Result<(), Failure> {
    if let (Some(file), Some(from), Some(out)) = (&args.import, args.from, &args.out) {
        return import_tasks(file, from, out);
    }
    let Some(mut task) = requirement::read(&args.requirement)? else {
        return Err(Failure::Input("give the request by --requirement, --requirement-file or --task".to_owned()));
    };
    if args.requirement.task.is_none() {
        task.id.clone_from(&args.id);
    }
    if task.requirement.trim().is_empty() {
        return Err(Failure::Input("the request is empty".to_owned()));
    }
    if let Some(out) = args.out.as_ref().filter(|out| out.exists()) {
        return Err(Failure::Input(format!("{} is there already; it may have been edited", out.display())));
    }
    let prompts = prompts(args.prompts.as_deref())?;
    let mut names = args.model.clone();
    names.push(args.merger.clone().unwrap_or_else(|| args.model[0].clone()));
    let tape = match (&args.out, &args.endpoint.replay) {
        (None, None) => None,
        (Some(out), _) => Some(model::tape(&args.endpoint, &out.with_extension("exchanges.jsonl"))?),
        (None, Some(replayed)) => Some(model::tape(&args.endpoint, replayed)?),
    };
    let mut models = model::open_all(&names, &args.endpoint, tape.as_ref())?;
    let Some(merger) = models.pop() else { return Err(Failure::Input("give a --model NAME".to_owned())) };
    let proposers: Vec<&dyn ChatModel> = models.iter().map(|model| model.as_ref() as &dyn ChatModel).collect();
    let made = checklist::generate(&task, &proposers, merger.as_ref(), &prompts, args.seed).await;
    let made = made.map_err(judge_failure)?;
    for note in &made.notes {
        eprintln!("webeval: {note}");
    }
    eprintln!("webeval: {}", cost(&made.usage));
    match &args.out {
        Some(out) => {
            write(out, &made.task.to_json())?;
            println!("{}", out.display());
        }
        None => print!("{}", made.task.to_json()),
    }
    Ok(())
}
