//! `webeval validate`: is a run directory what its schemas say?

use std::path::PathBuf;

use clap::Args;
use webeval_evidence::schema;

use crate::failure::Failure;

#[derive(Debug, Args)]
pub(crate) struct ValidateArgs {
    /// The run directory
    #[arg(required_unless_present = "schemas")]
    pub(crate) run: Option<PathBuf>,
    /// Write the schemas themselves into this folder instead
    #[arg(long, value_name = "DIR", conflicts_with = "run")]
    pub(crate) schemas: Option<PathBuf>,
}

pub(crate) fn run(args: &ValidateArgs) -> Result<(), Failure> {
    if let Some(folder) = &args.schemas {
        return write_schemas(folder);
    }
    let Some(run) = &args.run else { return Err(Failure::Input("give a run directory".to_owned())) };
    let violations = schema::validate(run).map_err(Failure::input)?;
    if violations.is_empty() {
        println!("{} is valid", run.display());
        return Ok(());
    }
    for violation in &violations {
        println!("{violation}");
    }
    Err(Failure::Failed(format!("{} departs from its schemas in {} places", run.display(), violations.len())))
}

fn write_schemas(folder: &std::path::Path) -> Result<(), Failure> {
    std::fs::create_dir_all(folder).map_err(Failure::failed)?;
    for published in schema::all() {
        let path = folder.join(published.schema_name());
        let text = serde_json::to_string_pretty(&published.schema).map_err(Failure::failed)?;
        std::fs::write(&path, text + "\n").map_err(Failure::failed)?;
        println!("{}", path.display());
    }
    Ok(())
}
