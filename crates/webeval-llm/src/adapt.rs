//! Fallbacks: a request rewritten for what the model can take, and the reply read back.

use serde_json::{Value, json};

use crate::{
    Adjustment, ChatRequest, Error, Expect, Finish, JsonSchema, JsonSupport, Message, Part, Profile, Reply, Tool,
    ToolCall,
};

/// A request as it goes out.
#[derive(Debug)]
pub(crate) struct Adapted {
    pub(crate) request: ChatRequest,
    pub(crate) adjustments: Vec<Adjustment>,
    /// Tools are called by JSON text.
    tools_by_json: bool,
}

pub(crate) fn adapt(request: &ChatRequest, profile: &Profile, model: &str) -> Result<Adapted, Error> {
    let mut adapted = Adapted { request: request.clone(), adjustments: Vec::new(), tools_by_json: false };
    adapted.images(profile, model)?;
    adapted.tools(profile);
    adapted.schema(profile);
    adapted.sampling(profile);
    Ok(adapted)
}

impl Adapted {
    fn images(&mut self, profile: &Profile, model: &str) -> Result<(), Error> {
        let mut count = 0;
        for message in &mut self.request.messages {
            let Message::User { parts } = message else { continue };
            for part in parts {
                let Part::Image { image } = part else { continue };
                count += 1;
                if profile.vision {
                    let (smaller, adjustment) = image.fit(profile)?;
                    *image = smaller;
                    self.adjustments.extend(adjustment);
                } else {
                    self.adjustments.push(Adjustment::ImageWithheld { name: image.name.clone() });
                    *part = Part::text(format!("[image {}: not shown, as you take no images]", image.name));
                }
            }
        }
        let limit = profile.max_images;
        if profile.vision && count > limit {
            return Err(Error::TooManyImages { model: model.to_owned(), count, limit });
        }
        Ok(())
    }

    fn tools(&mut self, profile: &Profile) {
        let Expect::Tools { tools, required } = &self.request.expect else { return };
        if profile.tools {
            return;
        }
        let words = tools_in_words(tools, *required);
        let schema = union_of_calls(tools, *required);
        self.tools_by_json = true;
        self.adjustments.push(Adjustment::ToolsByJson);
        self.request.expect = Expect::Json { schema: JsonSchema::new("tool_call", schema) };
        for message in &mut self.request.messages {
            spell_out_calls(message);
        }
        self.instruct(words);
    }

    fn schema(&mut self, profile: &Profile) {
        let Expect::Json { schema } = &self.request.expect else { return };
        if profile.json == JsonSupport::Schema {
            return;
        }
        let words =
            format!("Answer with one JSON value and nothing else. It must follow this JSON Schema:\n{}", schema.schema);
        self.adjustments.push(Adjustment::SchemaInWords);
        self.instruct(words);
    }

    fn sampling(&mut self, profile: &Profile) {
        if !profile.seed && self.request.seed.take().is_some() {
            self.adjustments.push(Adjustment::SeedWithheld);
        }
        if !profile.temperature && self.request.temperature.take().is_some() {
            self.adjustments.push(Adjustment::TemperatureWithheld);
        }
    }

    /// Adds to the system message: it is ours alone, so no page can have written there.
    fn instruct(&mut self, words: String) {
        if let Some(Message::System { text }) = self.request.messages.first_mut() {
            text.push_str("\n\n");
            text.push_str(&words);
        } else {
            self.request.messages.insert(0, Message::system(words));
        }
    }

    /// Reads a reply to the rewritten request as one to the original.
    pub(crate) fn read(&self, mut reply: Reply, round: usize) -> Reply {
        if self.tools_by_json
            && let Some(call) = call_in_text(&reply.text, round)
        {
            reply.tool_calls = vec![call];
            reply.text.clear();
            if reply.finish == Finish::Stop {
                reply.finish = Finish::ToolCalls;
            }
        }
        reply.adjustments.clone_from(&self.adjustments);
        reply
    }
}

fn tools_in_words(tools: &[Tool], required: bool) -> String {
    let mut words = String::from(
        "You act by calling tools. To call one, answer with one JSON object and nothing else: \
         {\"tool\": NAME, \"arguments\": {…}}.",
    );
    if !required {
        words.push_str(" To answer in words instead, answer {\"tool\": \"none\", \"arguments\": {\"text\": \"…\"}}.");
    }
    words.push_str(" The tools:");
    for tool in tools {
        words.push_str(&format!("\n- {}: {} Arguments: {}", tool.name, tool.description, tool.parameters));
    }
    words
}

/// A schema that is met by a call of any one tool: what grammar-constrained servers turn into a grammar.
fn union_of_calls(tools: &[Tool], required: bool) -> Value {
    let call = |name: &str, arguments: &Value| {
        json!({
            "type": "object",
            "properties": {"tool": {"const": name}, "arguments": arguments},
            "required": ["tool", "arguments"],
            "additionalProperties": false
        })
    };
    let mut calls: Vec<Value> = tools.iter().map(|tool| call(&tool.name, &tool.parameters)).collect();
    if !required {
        let text = json!({"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]});
        calls.push(call("none", &text));
    }
    json!({ "anyOf": calls })
}

fn spell_out_calls(message: &mut Message) {
    match message {
        Message::Assistant { text, tool_calls } => {
            for call in std::mem::take(tool_calls) {
                let arguments = call.parse().unwrap_or(Value::String(call.arguments));
                if !text.is_empty() {
                    text.push('\n');
                }
                text.push_str(&json!({"tool": call.name, "arguments": arguments}).to_string());
            }
        }
        Message::Tool { name, text, .. } => {
            *message = Message::user(format!("{name} answered:\n{text}"));
        }
        Message::System { .. } | Message::User { .. } => {}
    }
}

fn call_in_text(text: &str, round: usize) -> Option<ToolCall> {
    let value = json_in_text(text)?;
    let name = value.get("tool")?.as_str()?.to_owned();
    let arguments = value.get("arguments").cloned().unwrap_or_else(|| json!({}));
    Some(ToolCall { id: format!("call_{round}"), name, arguments: arguments.to_string() })
}

/// The JSON value in a text: the whole text, or the first object or array in it (models like to wrap their answer in
/// a code fence or a sentence).
pub(crate) fn json_in_text(text: &str) -> Option<Value> {
    let text = text.trim();
    if let Ok(value) = serde_json::from_str(text) {
        return Some(value);
    }
    let starts = text.char_indices().filter(|(_, c)| matches!(c, '{' | '['));
    starts.take(16).find_map(|(at, _)| {
        let mut values = serde_json::Deserializer::from_str(&text[at..]).into_iter::<Value>();
        values.next()?.ok()
    })
}
