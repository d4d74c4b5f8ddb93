//! The models that the command line names.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use webeval_llm::{
    ApiKey, ChatModel, Endpoint, Ledger, Limits, Metered, OpenAi, Profile, Profiles, Tape, TapeMode, Taped,
};

use crate::args::{EndpointArgs, ModelArgs};
use crate::failure::Failure;
use crate::files::read_text;

/// A model to test and judge with.
pub(crate) type Model = Arc<dyn ChatModel>;

/// Sets up the model that `args` name; none when they name none. Nothing is sent.
///
/// Every exchange is recorded in `folder`, in a file for each model, so that interrupted work that is gone on with does
/// not pay for the same answer twice.
pub(crate) fn open(args: &ModelArgs, folder: &Path) -> Result<Option<Model>, Failure> {
    let Some(name) = &args.model else { return Ok(None) };
    named(name, &args.endpoint, folder).map(Some)
}

/// The same for a model that has to be there.
pub(crate) fn named(name: &str, args: &EndpointArgs, folder: &Path) -> Result<Model, Failure> {
    let tape = tape(args, &folder.join(recording(name)))?;
    Ok(open_all(&[name.to_owned()], args, Some(&tape))?.remove(0))
}

/// Sets up several models that share one cost limit and one recording.
pub(crate) fn open_all(names: &[String], args: &EndpointArgs, tape: Option<&Tape>) -> Result<Vec<Model>, Failure> {
    let ledger = Ledger::new(args.max_cost);
    let open = |name: &String| -> Result<Model, Failure> {
        let metered = Metered::new(client(args, name)?, ledger.clone()).map_err(Failure::input)?;
        Ok(match tape {
            Some(tape) => Arc::new(Taped::new(metered, tape.clone()).map_err(Failure::input)?),
            None => Arc::new(metered),
        })
    };
    names.iter().map(open).collect()
}

/// The recording that is replayed, or the one at `path` that is added to.
pub(crate) fn tape(args: &EndpointArgs, path: &Path) -> Result<Tape, Failure> {
    let tape = match &args.replay {
        Some(replayed) => Tape::open(replayed, TapeMode::Replay),
        None => Tape::open(path, TapeMode::Resume),
    };
    tape.map_err(Failure::input)
}

/// Whether a model that `args` name could be set up.
pub(crate) fn check(args: &ModelArgs) -> Result<(), Failure> {
    match &args.model {
        Some(name) => open_all(std::slice::from_ref(name), &args.endpoint, None).map(drop),
        None => Ok(()),
    }
}

fn client(args: &EndpointArgs, name: &str) -> Result<OpenAi, Failure> {
    let endpoint = Endpoint {
        base_url: args.base_url.clone(),
        key: ApiKey::new(args.api_key.clone().unwrap_or_default()),
        model: name.to_owned(),
    };
    OpenAi::new(endpoint, profile(args, name)?, limits(args)).map_err(Failure::input)
}

fn limits(args: &EndpointArgs) -> Limits {
    let call = Duration::from_secs(args.model_timeout);
    // Room for every attempt and some waiting in between.
    Limits::default().with_timeouts(call, call * 4 + Duration::from_secs(60))
}

fn profile(args: &EndpointArgs, name: &str) -> Result<Profile, Failure> {
    let Some(path) = &args.models else { return Ok(Profile::default()) };
    let text = read_text(path)?;
    let profiles =
        Profiles::from_toml(&text).map_err(|error| Failure::Input(format!("{}: {error}", path.display())))?;
    Ok(profiles.get(name))
}

/// A model's name may hold anything; a file's may not.
fn recording(model: &str) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.') { c } else { '_' };
    format!("exchanges.{}.jsonl", model.chars().map(plain).collect::<String>())
}
