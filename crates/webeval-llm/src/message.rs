//! What goes to a model and what comes back.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use webeval_evidence::TokenUsage;

use crate::Image;

/// One message of a conversation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "role", rename_all = "snake_case")]
pub enum Message {
    /// Who the model is and what it is to do. Text from a page never belongs here.
    System {
        /// The text.
        text: String,
    },
    /// What the model is given.
    User {
        /// Text and images, in order.
        parts: Vec<Part>,
    },
    /// What the model said before.
    Assistant {
        /// Its words.
        text: String,
        /// The tools it called.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        tool_calls: Vec<ToolCall>,
    },
    /// What a tool answered.
    Tool {
        /// The [`ToolCall::id`] it answers.
        call_id: String,
        /// The tool's name.
        name: String,
        /// Its answer.
        text: String,
    },
}

impl Message {
    /// A system message.
    #[must_use]
    pub fn system(text: impl Into<String>) -> Self {
        Self::System { text: text.into() }
    }

    /// A user message of text alone.
    #[must_use]
    pub fn user(text: impl Into<String>) -> Self {
        Self::User { parts: vec![Part::Text { text: text.into() }] }
    }

    /// A user message of several parts.
    #[must_use]
    pub fn parts(parts: Vec<Part>) -> Self {
        Self::User { parts }
    }

    /// The answer of a tool.
    #[must_use]
    pub fn tool(call: &ToolCall, text: impl Into<String>) -> Self {
        Self::Tool { call_id: call.id.clone(), name: call.name.clone(), text: text.into() }
    }
}

/// A part of a user message.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Part {
    /// Text.
    Text {
        /// The text.
        text: String,
    },
    /// A picture.
    Image {
        /// The picture.
        image: Image,
    },
}

impl Part {
    /// A text part.
    #[must_use]
    pub fn text(text: impl Into<String>) -> Self {
        Self::Text { text: text.into() }
    }
}

impl From<Image> for Part {
    fn from(image: Image) -> Self {
        Self::Image { image }
    }
}

/// A JSON Schema with a name, as answers and tool parameters are described by.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct JsonSchema {
    /// Letters, digits, `_` and `-`, at most 64.
    pub name: String,
    /// The schema, JSON Schema 2020-12.
    pub schema: Value,
}

impl JsonSchema {
    /// A named schema.
    #[must_use]
    pub fn new(name: impl Into<String>, schema: Value) -> Self {
        Self { name: name.into(), schema }
    }
}

/// Something the model may call.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Tool {
    /// Its name: letters, digits, `_` and `-`, at most 64.
    pub name: String,
    /// What it does, for the model.
    pub description: String,
    /// JSON Schema of its arguments, an object.
    pub parameters: Value,
}

impl Tool {
    /// A tool.
    #[must_use]
    pub fn new(name: impl Into<String>, description: impl Into<String>, parameters: Value) -> Self {
        Self { name: name.into(), description: description.into(), parameters }
    }
}

/// What is expected back.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(tag = "expect", rename_all = "snake_case")]
pub enum Expect {
    /// Text in any form.
    #[default]
    Text,
    /// A call of one of these tools, or text.
    Tools {
        /// The tools.
        tools: Vec<Tool>,
        /// Whether text alone is no answer.
        required: bool,
    },
    /// JSON of this schema.
    Json {
        /// The schema.
        schema: JsonSchema,
    },
}

/// A tool that the model called.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolCall {
    /// Names the call within the conversation.
    pub id: String,
    /// The tool; it need not be one that was offered.
    pub name: String,
    /// The arguments as the model wrote them; they need not be JSON.
    pub arguments: String,
}

impl ToolCall {
    /// The arguments as JSON; an empty text is an empty object.
    ///
    /// # Errors
    /// When they are not JSON.
    pub fn parse(&self) -> Result<Value, serde_json::Error> {
        let text = self.arguments.trim();
        if text.is_empty() { Ok(Value::Object(serde_json::Map::new())) } else { serde_json::from_str(text) }
    }
}

/// Why the model stopped.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Finish {
    /// It was done.
    Stop,
    /// It waits for its tools' answers.
    ToolCalls,
    /// It ran into the token limit: the text is cut.
    Length,
    /// The provider withheld the rest, or the model refused.
    Refused,
    /// Something else; providers have their own words.
    Other(String),
}

/// Something that was changed in a request because of what the model can take. All of them are recorded, none is silent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "adjustment", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Adjustment {
    /// An image was made smaller.
    ImageDownscaled {
        /// The image's name.
        name: String,
        /// Its size in pixels, as `1280x800`.
        from: String,
        /// The size that was sent.
        to: String,
    },
    /// The model takes no images: its place was marked by a sentence.
    ImageWithheld {
        /// The image's name.
        name: String,
    },
    /// The model has no tools: they were described in words and called by JSON.
    ToolsByJson,
    /// The model takes no JSON Schema: the schema was given in words.
    SchemaInWords,
    /// The model takes no seed: none was sent.
    SeedWithheld,
    /// The model takes no temperature: none was sent.
    TemperatureWithheld,
}

/// A model's answer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Reply {
    /// Its words; empty when it only called tools.
    pub text: String,
    /// The tools it called.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tool_calls: Vec<ToolCall>,
    /// Why it stopped.
    pub finish: Finish,
    /// The model that answered, as it called itself.
    #[serde(default)]
    pub model: String,
    /// Tokens and money.
    #[serde(default)]
    pub usage: TokenUsage,
    /// What had to be changed in the request.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub adjustments: Vec<Adjustment>,
    /// How often it had to be asked until an answer came through: 1 without a retry.
    #[serde(default)]
    pub attempts: u32,
}

impl Reply {
    /// A reply of text alone, as scripted models in tests and examples give it.
    #[must_use]
    pub fn text(text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            tool_calls: Vec::new(),
            finish: Finish::Stop,
            model: String::new(),
            usage: TokenUsage { calls: 1, ..TokenUsage::default() },
            adjustments: Vec::new(),
            attempts: 1,
        }
    }

    /// The reply as a message of the conversation that goes on.
    #[must_use]
    pub fn to_message(&self) -> Message {
        Message::Assistant { text: self.text.clone(), tool_calls: self.tool_calls.clone() }
    }
}
