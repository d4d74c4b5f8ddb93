//! The model that the command line names.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use webeval_llm::{
    ApiKey, ChatModel, Endpoint, Ledger, Limits, Metered, OpenAi, Profile, Profiles, Tape, TapeMode, Taped,
};

use crate::args::ModelArgs;
use crate::failure::Failure;

/// A model to test and judge with.
pub(crate) type Model = Arc<dyn ChatModel>;

/// Sets up the model that `args` name; none when they name none. Nothing is sent.
///
/// Every exchange is recorded in the run directory, in a file for each model, so that an interrupted run that is gone on
/// with does not pay for the same answer twice.
pub(crate) fn open(args: &ModelArgs, run: &Path) -> Result<Option<Model>, Failure> {
    let Some(name) = &args.model else { return Ok(None) };
    let metered = client(args, name)?;
    let tape = match &args.replay {
        Some(path) => Tape::open(path, TapeMode::Replay),
        None => Tape::open(run.join(recording(name)), TapeMode::Resume),
    };
    let taped = Taped::new(metered, tape.map_err(Failure::input)?).map_err(Failure::input)?;
    Ok(Some(Arc::new(taped)))
}

/// Whether a model that `args` name could be set up.
pub(crate) fn check(args: &ModelArgs) -> Result<(), Failure> {
    match &args.model {
        Some(name) => client(args, name).map(drop),
        None => Ok(()),
    }
}

fn client(args: &ModelArgs, name: &str) -> Result<Metered<OpenAi>, Failure> {
    let endpoint = Endpoint {
        base_url: args.base_url.clone(),
        key: ApiKey::new(args.api_key.clone().unwrap_or_default()),
        model: name.to_owned(),
    };
    let profile = profile(args, name)?;
    let client = OpenAi::new(endpoint, profile, limits(args)).map_err(Failure::input)?;
    Metered::new(client, Ledger::new(args.max_cost)).map_err(Failure::input)
}

fn limits(args: &ModelArgs) -> Limits {
    let call = Duration::from_secs(args.model_timeout);
    // Room for every attempt and some waiting in between.
    Limits::default().with_timeouts(call, call * 4 + Duration::from_secs(60))
}

fn profile(args: &ModelArgs, name: &str) -> Result<Profile, Failure> {
    let Some(path) = &args.models else { return Ok(Profile::default()) };
    let text = std::fs::read_to_string(path)
        .map_err(|error| Failure::Input(format!("cannot read {}: {error}", path.display())))?;
    let profiles =
        Profiles::from_toml(&text).map_err(|error| Failure::Input(format!("{}: {error}", path.display())))?;
    Ok(profiles.get(name))
}

/// A model's name may hold anything; a file's may not.
fn recording(model: &str) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.') { c } else { '_' };
    format!("exchanges.{}.jsonl", model.chars().map(plain).collect::<String>())
}
