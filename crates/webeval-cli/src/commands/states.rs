//! `webeval states`: a run's state graph, and what it is made of, file by file.

use std::path::{Path, PathBuf};

use clap::{Args, Subcommand, ValueEnum};
use serde::Serialize;
use webeval_evidence::{RunDir, StatesFile};
use webeval_states::{Dom, GraphView, Level, Operation, Options, StateId, TreeDiff, diff, identify, normalize};

use crate::args::Format;
use crate::commands::open;
use crate::failure::Failure;
use crate::files::read_text;
use crate::pipeline;

#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
pub(crate) struct StatesArgs {
    #[command(subcommand)]
    command: Option<StatesCommand>,
    /// The run directory
    #[arg(required = true)]
    run: Option<PathBuf>,
}

#[derive(Debug, Subcommand)]
enum StatesCommand {
    /// Print the state ids of DOM files, a JSON line each
    Hash {
        /// Pages as a browser serialises them
        #[arg(required = true, value_name = "FILE")]
        files: Vec<PathBuf>,
    },
    /// Print the normal form of a DOM file
    Normalize {
        /// A page as a browser serialises it
        file: PathBuf,
        /// How much to keep: 0 exact, 1 content, 2 structure
        #[arg(long, value_name = "N", default_value = "0")]
        level: Level,
    },
    /// Print a run's state-transition graph
    Graph {
        /// The run directory
        run: PathBuf,
        /// Which states are one: 0 exact, 1 content, 2 structure
        #[arg(long, value_name = "N", default_value = "2")]
        level: Level,
        /// In what form
        #[arg(long, value_enum, default_value_t = GraphFormat::Text)]
        format: GraphFormat,
        /// Longest text, in characters; what matters least is left out
        #[arg(long, value_name = "N", default_value_t = 20_000)]
        max_chars: usize,
    },
    /// Print what changed from one DOM file to another
    Diff {
        /// The page before
        before: PathBuf,
        /// The page after
        after: PathBuf,
        /// How to print it
        #[arg(long, value_enum, default_value_t = Format::Text)]
        format: Format,
    },
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum GraphFormat {
    /// For Graphviz
    Dot,
    /// For graph editors and libraries
    Graphml,
    /// For programs
    Json,
    /// A page of words
    Text,
}

/// A line of `webeval states hash`.
#[derive(Serialize)]
struct Hashes<'a> {
    file: &'a Path,
    level0: StateId,
    level1: StateId,
    level2: StateId,
}

pub(crate) fn run(args: &StatesArgs) -> Result<(), Failure> {
    match (&args.command, &args.run) {
        (Some(StatesCommand::Hash { files }), _) => hash(files),
        (Some(StatesCommand::Normalize { file, level }), _) => {
            println!("{}", normalize(&read_text(file)?, *level, &Options::default()).map_err(in_file(file))?);
            Ok(())
        }
        (Some(StatesCommand::Graph { run, level, format, max_chars }), _) => {
            print!("{}", draw(&graph(&open(run)?)?.view(*level), *format, *max_chars)?);
            Ok(())
        }
        (Some(StatesCommand::Diff { before, after, format }), _) => changes(before, after, *format),
        (None, Some(run)) => abstract_run(run),
        (None, None) => Err(Failure::Input("give a run directory, or a subcommand (see --help)".to_owned())),
    }
}

fn abstract_run(path: &Path) -> Result<(), Failure> {
    let run = open(path)?;
    pipeline::states(&run)?;
    println!("{}", run.root().join("states.json").display());
    Ok(())
}

/// A file that cannot be read does not cost the others theirs.
fn hash(files: &[PathBuf]) -> Result<(), Failure> {
    let mut unread = 0;
    for file in files {
        match hashes(file).and_then(|hashes| serde_json::to_string(&hashes).map_err(Failure::failed)) {
            Ok(line) => println!("{line}"),
            Err(failure) => {
                eprintln!("webeval: {failure}");
                unread += 1;
            }
        }
    }
    match unread {
        0 => Ok(()),
        _ => Err(Failure::Input(format!("{unread} of {} files could not be read", files.len()))),
    }
}

fn hashes(file: &Path) -> Result<Hashes<'_>, Failure> {
    let identity = identify(&read_text(file)?, &Options::default()).map_err(in_file(file))?;
    Ok(Hashes { file, level0: identity.level0, level1: identity.level1, level2: identity.level2 })
}

fn in_file(file: &Path) -> impl Fn(webeval_states::Error) -> Failure + '_ {
    move |error| Failure::Input(format!("{}: {error}", file.display()))
}

/// The recorded graph, or the one that the recorded snapshots give.
fn graph(run: &RunDir) -> Result<webeval_states::StateGraph, Failure> {
    let states = match run.states().map_err(Failure::input)? {
        Some(states) => states,
        None => StatesFile::build(run, &Options::default()).map_err(Failure::failed)?,
    };
    Ok(states.graph)
}

fn draw(view: &GraphView, format: GraphFormat, max_chars: usize) -> Result<String, Failure> {
    Ok(match format {
        GraphFormat::Dot => view.to_dot(),
        GraphFormat::Graphml => view.to_graphml(),
        GraphFormat::Json => serde_json::to_string_pretty(view).map_err(Failure::failed)? + "\n",
        GraphFormat::Text => view.overview(max_chars),
    })
}

fn changes(before: &Path, after: &Path, format: Format) -> Result<(), Failure> {
    let parse = |file: &Path| Dom::parse(&read_text(file)?, &Options::default()).map_err(in_file(file));
    let (a, b) = (parse(before)?, parse(after)?);
    let found = diff(&a, &b);
    match format {
        Format::Json => println!("{}", serde_json::to_string_pretty(&found).map_err(Failure::failed)?),
        Format::Text => print!("{}", tell(&found, &a)),
    }
    Ok(())
}

/// The steps, with what a step that only names a node is about: a reader does not have the references in mind.
fn tell(found: &TreeDiff, before: &Dom) -> String {
    let line = |operation: &Operation| match operation {
        Operation::Remove { node } | Operation::Move { node, .. } => {
            format!("{operation} {}\n", before.markup(*node).unwrap_or_default().trim())
        }
        operation => format!("{operation}\n"),
    };
    found.operations.iter().map(line).collect()
}
