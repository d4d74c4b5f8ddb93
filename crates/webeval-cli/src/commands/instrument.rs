//! `webeval instrument`.

use std::path::PathBuf;

use clap::Args;
use serde::Serialize;
use webeval_deploy::{Staged, locate_files, stage};
use webeval_evidence::SkippedScript;

use crate::args::Format;
use crate::failure::Failure;

#[derive(Debug, Args)]
pub(crate) struct InstrumentArgs {
    /// A script, an .html file or a folder
    pub(crate) path: PathBuf,
    /// Where the copy goes; must not exist yet, or be empty
    #[arg(long, value_name = "DIR")]
    pub(crate) out: PathBuf,
    /// Also write the initial coverage map (every counter at zero) to this file
    #[arg(long, value_name = "FILE")]
    pub(crate) coverage_map: Option<PathBuf>,
    /// How to print what was done
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub(crate) format: Format,
}

/// What the command did, for programs.
#[derive(Debug, Serialize)]
struct Done<'a> {
    instrumented: &'a [String],
    skipped: &'a [SkippedScript],
    statements: usize,
    functions: usize,
    branches: usize,
}

pub(crate) fn run(args: &InstrumentArgs) -> Result<(), Failure> {
    let app = locate_files(&args.path).map_err(Failure::input)?;
    check_vacant(&args.out)?;
    let staged = stage(&app, &args.out, None).map_err(Failure::failed)?;
    if let Some(path) = &args.coverage_map {
        let text = serde_json::to_string(&staged.coverage).map_err(Failure::failed)?;
        std::fs::write(path, text)
            .map_err(|error| Failure::Failed(format!("cannot write {}: {error}", path.display())))?;
    }
    print(args, &staged)?;
    let faulty = staged.skipped.iter().filter(|skipped| !skipped.third_party).count();
    match faulty {
        0 => Ok(()),
        _ => Err(Failure::Failed(format!("{faulty} files could not be instrumented and were copied as they are"))),
    }
}

/// Refuses a folder for output that holds something already.
pub(crate) fn check_vacant(out: &std::path::Path) -> Result<(), Failure> {
    let occupied = std::fs::read_dir(out).is_ok_and(|mut entries| entries.next().is_some()) || out.is_file();
    if occupied {
        Err(Failure::Input(format!("{} exists and is not empty; choose another folder", out.display())))
    } else {
        Ok(())
    }
}

fn print(args: &InstrumentArgs, staged: &Staged) -> Result<(), Failure> {
    let summary = staged.coverage.summary();
    let done = Done {
        instrumented: &staged.instrumented,
        skipped: &staged.skipped,
        statements: summary.statements.total,
        functions: summary.functions.total,
        branches: summary.branches.total,
    };
    if args.format == Format::Json {
        println!("{}", serde_json::to_string_pretty(&done).map_err(Failure::failed)?);
        return Ok(());
    }
    for skipped in done.skipped {
        println!("as it was: {}: {}", skipped.path, skipped.reason);
    }
    println!(
        "{}: {} files with counters: {} statements, {} functions, {} branch arms",
        args.out.display(),
        done.instrumented.len(),
        done.statements,
        done.functions,
        done.branches
    );
    Ok(())
}
