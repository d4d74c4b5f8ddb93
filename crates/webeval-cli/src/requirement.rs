//! The request that an app was made from, as the command line gives it.

use std::path::Path;

use webeval_judges::Task;

use crate::args::RequirementArgs;
use crate::failure::Failure;

/// The task that `args` give: a request alone has no criteria.
pub(crate) fn read(args: &RequirementArgs) -> Result<Option<Task>, Failure> {
    if let Some(path) = &args.task {
        return Task::read(path).map(Some).map_err(Failure::input);
    }
    let text = match (&args.requirement, &args.requirement_file) {
        (Some(text), _) => Some(text.clone()),
        (None, Some(path)) => Some(read_text(path)?),
        (None, None) => None,
    };
    Ok(text.map(|text| Task::new("requirement", text)))
}

fn read_text(path: &Path) -> Result<String, Failure> {
    let bytes =
        std::fs::read(path).map_err(|error| Failure::Input(format!("cannot read {}: {error}", path.display())))?;
    String::from_utf8(bytes).map_err(|error| {
        Failure::Input(format!("{} is not UTF-8 (byte {})", path.display(), error.utf8_error().valid_up_to()))
    })
}
