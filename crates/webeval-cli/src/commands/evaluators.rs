//! `webeval evaluators`.

use std::path::PathBuf;

use clap::{Args, Subcommand};
use serde_json::json;
use webeval_judges::liveeval::{Evaluator, Registry, evaluator_schema};

use crate::failure::Failure;

#[derive(Debug, Args)]
pub(crate) struct EvaluatorsArgs {
    #[command(subcommand)]
    command: EvaluatorsCommand,
}

#[derive(Debug, Subcommand)]
enum EvaluatorsCommand {
    /// List evaluators: the built-in ones, or those of a folder
    List {
        /// Folder of evaluator files
        folder: Option<PathBuf>,
        /// Print them as JSON
        #[arg(long)]
        json: bool,
    },
    /// Check every evaluator file of a folder, naming file, line and field of each mistake
    Check {
        /// Folder of evaluator files
        folder: PathBuf,
    },
    /// Print the JSON Schema of an evaluator file
    Schema,
}

pub(crate) fn run(args: &EvaluatorsArgs) -> Result<(), Failure> {
    match &args.command {
        EvaluatorsCommand::List { folder, json } => list(folder.as_ref(), *json),
        EvaluatorsCommand::Check { folder } => check(folder),
        EvaluatorsCommand::Schema => {
            println!("{}", serde_json::to_string_pretty(&evaluator_schema()).map_err(Failure::failed)?);
            Ok(())
        }
    }
}

fn list(folder: Option<&PathBuf>, json: bool) -> Result<(), Failure> {
    let registry = match folder {
        Some(folder) => Registry::read(folder),
        None => Registry::shipped(),
    }
    .map_err(Failure::input)?;
    if json {
        let all: Vec<&Evaluator> = registry.iter().collect();
        let text = serde_json::to_string(&json!({"evaluators": all, "notes": registry.notes()}));
        println!("{}", text.map_err(Failure::failed)?);
        return Ok(());
    }
    let width = registry.iter().map(|evaluator| evaluator.id.len()).max().unwrap_or(0).max(2) + 2;
    for evaluator in registry.iter() {
        let Evaluator { id, name, points, criteria, tools, .. } = evaluator;
        println!("{id:<width$}{name}: {points} points, {} criteria, {} tools", criteria.len(), tools.len());
    }
    for note in registry.notes() {
        eprintln!("webeval: {note}");
    }
    Ok(())
}

fn check(folder: &std::path::Path) -> Result<(), Failure> {
    let (registry, mistakes) = Registry::read_all(folder);
    for note in registry.notes() {
        eprintln!("webeval: {note}");
    }
    let Some((last, others)) = mistakes.split_last() else {
        println!("no mistakes; evaluators: {}", registry.iter().count());
        return Ok(());
    };
    for mistake in others {
        eprintln!("webeval: {mistake}");
    }
    Err(Failure::Input(last.to_string()))
}
