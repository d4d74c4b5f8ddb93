//! Asks a model for JSON and sees a wrong answer sent back.
use serde_json::json;
use webeval_llm::{ChatFuture, ChatModel, ChatRequest, JsonSchema, Message, Profile, Reply, ask};

/// Any type can be a model; this one answers wrongly until it is told what is wrong.
#[derive(Debug, Default)]
struct Careless(Profile);

impl ChatModel for Careless {
    fn name(&self) -> &str {
        "careless"
    }

    fn profile(&self) -> &Profile {
        &self.0
    }

    fn chat<'a>(&'a self, request: &'a ChatRequest) -> ChatFuture<'a> {
        let text = if request.messages.len() == 1 { r#"{"score": "high"}"# } else { r#"{"score": 4}"# };
        Box::pin(async move { Ok(Reply::text(text)) })
    }
}

#[tokio::main]
async fn main() -> Result<(), webeval_llm::Failure> {
    let schema = json!({"type": "object", "properties": {"score": {"type": "integer"}}, "required": ["score"]});
    let question = ChatRequest::new("example", vec![Message::user("How good is it?")]);
    let request = question.expecting(JsonSchema::new("score", schema));
    let answer = ask(&Careless::default(), &request, &|_| Vec::new()).await?;
    assert!(answer.repaired);
    assert_eq!((answer.value["score"].as_i64(), answer.usage.calls), (Some(4), 2));
    Ok(())
}
