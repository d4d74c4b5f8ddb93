//! The request that an app was made from, as the command line gives it.

use webeval_judges::Task;

use crate::args::RequirementArgs;
use crate::failure::Failure;
use crate::files::read_text;

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
