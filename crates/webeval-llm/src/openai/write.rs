//! Requests in the provider's form.

use async_openai::types::chat::{
    ChatCompletionMessageToolCall, ChatCompletionMessageToolCalls, ChatCompletionRequestAssistantMessage,
    ChatCompletionRequestAssistantMessageContent, ChatCompletionRequestMessage,
    ChatCompletionRequestMessageContentPartImage, ChatCompletionRequestMessageContentPartText,
    ChatCompletionRequestSystemMessage, ChatCompletionRequestSystemMessageContent, ChatCompletionRequestToolMessage,
    ChatCompletionRequestToolMessageContent, ChatCompletionRequestUserMessage, ChatCompletionRequestUserMessageContent,
    ChatCompletionRequestUserMessageContentPart, ChatCompletionTool, ChatCompletionToolChoiceOption,
    ChatCompletionTools, CreateChatCompletionRequest, FunctionCall, FunctionObject, ImageUrl, ResponseFormat,
    ResponseFormatJsonSchema, ToolChoiceOptions,
};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;

use crate::{ChatRequest, Error, Expect, Image, JsonSupport, MaxTokensField, Message, Part, Profile, Tool, ToolCall};

/// The request's body, the profile's further fields merged in.
pub(super) fn body(request: &ChatRequest, model: &str, profile: &Profile) -> Result<Value, Error> {
    let mut typed = CreateChatCompletionRequest {
        model: model.to_owned(),
        messages: request.messages.iter().map(message).collect(),
        temperature: request.temperature,
        ..CreateChatCompletionRequest::default()
    };
    expect(&mut typed, &request.expect, profile);
    sampling(&mut typed, request, profile);
    let mut body = serde_json::to_value(typed)
        .map_err(|error| Error::Config { message: format!("the request is not JSON: {error}") })?;
    if let Value::Object(fields) = &mut body {
        fields.extend(profile.extra.clone());
    }
    Ok(body)
}

#[expect(deprecated, reason = "servers other than OpenAI's know seed and max_tokens only by these names")]
fn sampling(typed: &mut CreateChatCompletionRequest, request: &ChatRequest, profile: &Profile) {
    // The field is signed; 63 bits are seed enough.
    typed.seed = request.seed.map(|seed| (seed & i64::MAX as u64) as i64);
    match profile.max_tokens_field {
        MaxTokensField::MaxCompletionTokens => typed.max_completion_tokens = request.max_tokens,
        MaxTokensField::MaxTokens => typed.max_tokens = request.max_tokens,
    }
}

fn expect(typed: &mut CreateChatCompletionRequest, expect: &Expect, profile: &Profile) {
    match expect {
        Expect::Text => {}
        Expect::Tools { tools, required } => {
            typed.tools = Some(tools.iter().map(tool).collect());
            let choice = if *required { ToolChoiceOptions::Required } else { ToolChoiceOptions::Auto };
            typed.tool_choice = Some(ChatCompletionToolChoiceOption::Mode(choice));
        }
        Expect::Json { schema } => {
            typed.response_format = match profile.json {
                JsonSupport::Schema => Some(ResponseFormat::JsonSchema {
                    // Not `strict`: that mode takes only a part of JSON Schema, and the answer is checked here anyway.
                    json_schema: ResponseFormatJsonSchema {
                        name: schema.name.clone(),
                        schema: schema.schema.clone(),
                        ..ResponseFormatJsonSchema::default()
                    },
                }),
                JsonSupport::Object => Some(ResponseFormat::JsonObject),
                JsonSupport::None => None,
            };
        }
    }
}

fn tool(tool: &Tool) -> ChatCompletionTools {
    ChatCompletionTools::Function(ChatCompletionTool {
        function: FunctionObject {
            name: tool.name.clone(),
            description: Some(tool.description.clone()),
            parameters: Some(tool.parameters.clone()),
            strict: None,
        },
    })
}

fn message(message: &Message) -> ChatCompletionRequestMessage {
    match message {
        Message::System { text } => ChatCompletionRequestMessage::System(ChatCompletionRequestSystemMessage {
            content: ChatCompletionRequestSystemMessageContent::Text(text.clone()),
            name: None,
        }),
        Message::User { parts } => ChatCompletionRequestMessage::User(ChatCompletionRequestUserMessage {
            content: user_content(parts),
            name: None,
        }),
        Message::Assistant { text, tool_calls } => assistant(text, tool_calls),
        Message::Tool { call_id, text, .. } => ChatCompletionRequestMessage::Tool(ChatCompletionRequestToolMessage {
            content: ChatCompletionRequestToolMessageContent::Text(text.clone()),
            tool_call_id: call_id.clone(),
        }),
    }
}

fn assistant(text: &str, tool_calls: &[ToolCall]) -> ChatCompletionRequestMessage {
    let call = |call: &ToolCall| {
        ChatCompletionMessageToolCalls::Function(ChatCompletionMessageToolCall {
            id: call.id.clone(),
            function: FunctionCall { name: call.name.clone(), arguments: call.arguments.clone() },
        })
    };
    let content = (!text.is_empty()).then(|| ChatCompletionRequestAssistantMessageContent::Text(text.to_owned()));
    ChatCompletionRequestMessage::Assistant(ChatCompletionRequestAssistantMessage {
        content,
        tool_calls: (!tool_calls.is_empty()).then(|| tool_calls.iter().map(call).collect()),
        ..ChatCompletionRequestAssistantMessage::default()
    })
}

/// Text alone goes as a string: small servers do not know lists of parts.
fn user_content(parts: &[Part]) -> ChatCompletionRequestUserMessageContent {
    if let [Part::Text { text }] = parts {
        return ChatCompletionRequestUserMessageContent::Text(text.clone());
    }
    ChatCompletionRequestUserMessageContent::Array(parts.iter().map(part).collect())
}

fn part(part: &Part) -> ChatCompletionRequestUserMessageContentPart {
    match part {
        Part::Text { text } => {
            ChatCompletionRequestUserMessageContentPart::Text(ChatCompletionRequestMessageContentPartText {
                text: text.clone(),
                ..ChatCompletionRequestMessageContentPartText::default()
            })
        }
        Part::Image { image } => {
            ChatCompletionRequestUserMessageContentPart::ImageUrl(ChatCompletionRequestMessageContentPartImage {
                image_url: ImageUrl { url: data_url(image), detail: None },
                ..ChatCompletionRequestMessageContentPartImage::default()
            })
        }
    }
}

fn data_url(image: &Image) -> String {
    format!("data:{};base64,{}", image.media_type(), STANDARD.encode(image.bytes()))
}
