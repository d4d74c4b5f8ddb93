//! JSON answers: checked, sent back once when wrong, never made up.

use serde_json::Value;
use webeval_evidence::TokenUsage;

use crate::adapt::json_in_text;
use crate::{Adjustment, ChatModel, ChatRequest, Error, Expect, Finish, Message, Reply};

/// An answer that follows its schema.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Answer {
    /// The answer.
    pub value: Value,
    /// What the caller's own check still finds wrong with it after it was sent back; empty when it is content.
    pub complaints: Vec<String>,
    /// Whether it had to be sent back.
    pub repaired: bool,
    /// Tokens and money over all calls.
    pub usage: TokenUsage,
    /// What had to be changed in the request for this model.
    pub adjustments: Vec<Adjustment>,
}

/// No answer, and what the attempt cost.
#[derive(Debug, thiserror::Error)]
#[error("{error}")]
#[non_exhaustive]
pub struct Failure {
    /// Why.
    #[source]
    pub error: Box<Error>,
    /// Tokens and money over all calls that were answered.
    pub usage: TokenUsage,
}

/// Asks for the JSON that `request` expects.
///
/// The answer is checked against its schema and then by `check`, which returns complaints in words that the model can
/// act on. A wrong answer is sent back once, with everything that is wrong with it. If it then still breaks the schema
/// or is cut, that is an error; if only `check` still complains, the answer is returned with the complaints, and the
/// caller strikes what they are about.
///
/// # Errors
/// [`Failure`] with the model's error, [`Error::Schema`], [`Error::Truncated`] or [`Error::Refused`]; with
/// [`Error::Config`] when the request expects no JSON or its schema is none.
pub async fn ask(
    model: &dyn ChatModel,
    request: &ChatRequest,
    check: &(dyn Fn(&Value) -> Vec<String> + Sync),
) -> Result<Answer, Failure> {
    let mut usage = TokenUsage::default();
    match ask_twice(model, request, check, &mut usage).await {
        Ok(answer) => Ok(answer),
        Err(error) => Err(Failure { error: Box::new(error), usage }),
    }
}

async fn ask_twice(
    model: &dyn ChatModel,
    request: &ChatRequest,
    check: &(dyn Fn(&Value) -> Vec<String> + Sync),
    usage: &mut TokenUsage,
) -> Result<Answer, Error> {
    let validator = validator(request)?;
    let first = model.chat(request).await?;
    *usage += first.usage;
    let complaint = match examine(&first, &validator) {
        Ok(value) => {
            let complaints = check(&value);
            if complaints.is_empty() {
                return Ok(answer(value, complaints, false, *usage, first.adjustments));
            }
            complaints
        }
        Err(error) => faults_of(error)?,
    };
    tracing::debug!(purpose = request.purpose, faults = complaint.len(), "answer sent back");
    let second = model.chat(&with_complaint(request, &first, &complaint)).await?;
    *usage += second.usage;
    let value = examine(&second, &validator)?;
    let complaints = check(&value);
    Ok(answer(value, complaints, true, *usage, second.adjustments))
}

fn answer(
    value: Value,
    complaints: Vec<String>,
    repaired: bool,
    usage: TokenUsage,
    adjustments: Vec<Adjustment>,
) -> Answer {
    Answer { value, complaints, repaired, usage, adjustments }
}

fn validator(request: &ChatRequest) -> Result<jsonschema::Validator, Error> {
    let Expect::Json { schema } = &request.expect else {
        return Err(Error::Config { message: format!("{}: the request expects no JSON", request.purpose) });
    };
    jsonschema::validator_for(&schema.schema)
        .map_err(|error| Error::Config { message: format!("{} is not a JSON Schema: {error}", schema.name) })
}

fn examine(reply: &Reply, validator: &jsonschema::Validator) -> Result<Value, Error> {
    if reply.finish == Finish::Refused {
        return Err(Error::Refused { message: reply.text.clone() });
    }
    if reply.finish == Finish::Length {
        return Err(Error::Truncated);
    }
    let not_json = || Error::Schema { faults: vec!["the answer is not JSON".to_owned()] };
    let value = json_in_text(&reply.text).ok_or_else(not_json)?;
    let fault = |error: jsonschema::ValidationError<'_>| {
        let at = error.instance_path().to_string();
        let at = if at.is_empty() { "the answer".to_owned() } else { at };
        format!("{at}: {}", shorten(&error.to_string()))
    };
    let faults: Vec<String> = validator.iter_errors(&value).take(8).map(fault).collect();
    if faults.is_empty() { Ok(value) } else { Err(Error::Schema { faults }) }
}

/// Faults quote the offending value, which may be the whole answer.
fn shorten(text: &str) -> String {
    match text.char_indices().nth(300) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text.to_owned(),
    }
}

/// What the model is told; a refusal is not argued with.
fn faults_of(error: Error) -> Result<Vec<String>, Error> {
    match error {
        Error::Schema { faults } => Ok(faults),
        Error::Truncated => Ok(vec!["the answer was cut at the token limit; give a shorter one".to_owned()]),
        other => Err(other),
    }
}

fn with_complaint(request: &ChatRequest, reply: &Reply, faults: &[String]) -> ChatRequest {
    let mut again = request.clone();
    again.messages.push(Message::Assistant { text: reply.text.clone(), tool_calls: Vec::new() });
    let list: String = faults.iter().map(|fault| format!("\n- {fault}")).collect();
    again.messages.push(Message::user(format!(
        "That answer cannot be used:{list}\nGive the whole answer again with this put right, as JSON of the schema and \
         nothing else."
    )));
    again
}
