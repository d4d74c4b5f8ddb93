//! The provider's answer, read leniently.

use serde::Deserialize;
use serde_json::Value;
use webeval_evidence::TokenUsage;

use super::retry::Verdict;
use crate::{Error, Finish, Reply, ToolCall};

#[derive(Deserialize)]
struct Completion {
    #[serde(default)]
    model: Option<String>,
    #[serde(default)]
    choices: Vec<Choice>,
    #[serde(default)]
    usage: Option<Usage>,
}

#[derive(Deserialize)]
struct Choice {
    #[serde(default)]
    message: Option<Spoken>,
    #[serde(default)]
    finish_reason: Option<String>,
}

#[derive(Default, Deserialize)]
struct Spoken {
    #[serde(default)]
    content: Value,
    #[serde(default)]
    refusal: Option<String>,
    #[serde(default)]
    tool_calls: Option<Vec<Call>>,
}

#[derive(Deserialize)]
struct Call {
    #[serde(default)]
    id: Option<String>,
    function: CalledFunction,
}

#[derive(Deserialize)]
struct CalledFunction {
    name: String,
    /// A string by the book; some servers send the object itself.
    #[serde(default)]
    arguments: Value,
}

#[derive(Default, Deserialize)]
struct Usage {
    #[serde(default)]
    prompt_tokens: u64,
    #[serde(default)]
    completion_tokens: u64,
    #[serde(default)]
    prompt_tokens_details: Option<PromptDetails>,
}

#[derive(Default, Deserialize)]
struct PromptDetails {
    #[serde(default)]
    cached_tokens: Option<u64>,
}

/// The reply in a provider's answer. An answer that is no completion is worth another attempt; an error that a gateway
/// wrapped into a 200 is judged by its own code.
pub(super) fn reply(answer: Value) -> Result<Reply, Verdict> {
    let malformed = |reason: String, answer: &Value| {
        Verdict::again(Error::Malformed { reason, excerpt: excerpt(&answer.to_string()) })
    };
    if let Some((message, code)) = provider_error(&answer) {
        let status = code.parse().unwrap_or(502);
        return Err(Verdict {
            error: Error::Api { status, message },
            retry: status >= 500 || status == 429,
            wait: None,
        });
    }
    let completion = match Completion::deserialize(&answer) {
        Ok(completion) => completion,
        Err(error) => return Err(malformed(error.to_string(), &answer)),
    };
    let usage = usage(completion.usage.unwrap_or_default());
    let Some(choice) = completion.choices.into_iter().next() else {
        return Err(malformed("it has no choices".to_owned(), &answer));
    };
    let spoken = choice.message.unwrap_or_default();
    let tool_calls = tool_calls(spoken.tool_calls.unwrap_or_default());
    let mut finish = finish(choice.finish_reason.as_deref(), tool_calls.is_empty());
    let mut text = text(&spoken.content);
    if let Some(refusal) = spoken.refusal.filter(|words| !words.is_empty()) {
        (finish, text) = (Finish::Refused, refusal);
    }
    let model = completion.model.unwrap_or_default();
    Ok(Reply { text, tool_calls, finish, model, usage, adjustments: Vec::new(), attempts: 1 })
}

fn usage(usage: Usage) -> TokenUsage {
    let cached = usage.prompt_tokens_details.and_then(|details| details.cached_tokens).unwrap_or_default();
    let mut total = TokenUsage { calls: 1, ..TokenUsage::default() };
    (total.input, total.cached, total.output) = (usage.prompt_tokens, cached, usage.completion_tokens);
    total
}

fn tool_calls(calls: Vec<Call>) -> Vec<ToolCall> {
    let read = |(number, call): (usize, Call)| ToolCall {
        id: call.id.filter(|id| !id.is_empty()).unwrap_or_else(|| format!("call_{number}")),
        name: call.function.name,
        arguments: match call.function.arguments {
            Value::String(text) => text,
            Value::Null => String::new(),
            other => other.to_string(),
        },
    };
    calls.into_iter().enumerate().map(read).collect()
}

fn finish(reason: Option<&str>, no_calls: bool) -> Finish {
    match reason {
        Some("length" | "max_tokens") => Finish::Length,
        Some("content_filter" | "refusal") => Finish::Refused,
        _ if !no_calls => Finish::ToolCalls,
        Some("stop" | "end_turn" | "eos") | None => Finish::Stop,
        Some(other) => Finish::Other(other.to_owned()),
    }
}

/// Content is a string, or a list of parts of which some hold text.
fn text(content: &Value) -> String {
    match content {
        Value::String(text) => text.clone(),
        Value::Array(parts) => parts.iter().filter_map(|part| part.get("text")?.as_str()).collect(),
        _ => String::new(),
    }
}

/// Message and code of a provider's error object.
pub(super) fn provider_error(answer: &Value) -> Option<(String, String)> {
    let error = answer.get("error").filter(|error| !error.is_null())?;
    if let Some(text) = error.as_str() {
        return Some((excerpt(text), String::new()));
    }
    let message = error.get("message").and_then(Value::as_str).map_or_else(|| error.to_string(), str::to_owned);
    let code = match error.get("code").filter(|code| !code.is_null()).or_else(|| error.get("type")) {
        Some(Value::String(code)) => code.clone(),
        Some(code) => code.to_string(),
        None => String::new(),
    };
    Some((excerpt(&message), code))
}

/// The beginning of a text, for messages.
pub(super) fn excerpt(text: &str) -> String {
    let text = text.trim();
    match text.char_indices().nth(300) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text.to_owned(),
    }
}
