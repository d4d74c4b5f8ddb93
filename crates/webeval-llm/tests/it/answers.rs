//! JSON answers: checked, repaired once, then given up.

use serde_json::{Value, json};
use webeval_llm::{ChatRequest, Error, JsonSchema, Message, Profile, ask};

use crate::model;
use crate::support::{Server, Turn};

fn question() -> ChatRequest {
    let schema = json!({
        "type": "object", "properties": {"score": {"type": "number", "maximum": 5}}, "required": ["score"]
    });
    ChatRequest::new("test", vec![Message::user("Score?")]).expecting(JsonSchema::new("score", schema))
}

fn content(_: &Value) -> Vec<String> {
    Vec::new()
}

#[tokio::test]
async fn a_good_answer_is_taken_as_it_is_also_out_of_a_code_fence() {
    for text in ["{\"score\": 4}", "```json\n{\"score\": 4}\n```", "Sure [really]! {\"score\": 4} Bye."] {
        let server = Server::playing(vec![Turn::Text(text.into())]).await;
        let answer = ask(&model(&server, Profile::default()), &question(), &content).await.unwrap();
        assert_eq!((answer.value, answer.repaired), (json!({"score": 4}), false), "{text}");
    }
}

#[tokio::test]
async fn a_wrong_answer_is_sent_back_with_its_faults() {
    for (wrong, fault) in [
        (Turn::Text("no idea".into()), "not JSON"),
        (Turn::Json(json!({"score": 9})), "/score: 9 is greater than the maximum of 5"),
        (Turn::Json(json!({})), "\"score\" is a required property"),
        (Turn::CutText("{\"score\": 4".into()), "cut at the token limit"),
    ] {
        let server = Server::playing(vec![wrong, Turn::Json(json!({"score": 4}))]).await;
        let answer = ask(&model(&server, Profile::default()), &question(), &content).await.unwrap();
        assert!(answer.repaired);
        assert_eq!((answer.value, answer.usage.calls, answer.usage.input), (json!({"score": 4}), 2, 200));
        let sent = &server.requests()[1]["messages"];
        assert_eq!(sent[1]["role"], "assistant");
        assert!(sent[2]["content"].as_str().unwrap().contains(fault), "{sent}");
    }
}

#[tokio::test]
async fn an_answer_wrong_twice_is_a_failure_that_says_what_it_cost() {
    let server = Server::answering(|_, _| Turn::Json(json!({"score": "high"}))).await;
    let failure = ask(&model(&server, Profile::default()), &question(), &content).await.unwrap_err();
    assert!(matches!(*failure.error, Error::Schema { .. }));
    assert_eq!((failure.usage.calls, failure.usage.output, server.requests().len()), (2, 20, 2));
    let server = Server::answering(|_, _| Turn::CutText("{\"score\":".into())).await;
    let failure = ask(&model(&server, Profile::default()), &question(), &content).await.unwrap_err();
    assert!(matches!(*failure.error, Error::Truncated));
}

#[tokio::test]
async fn the_callers_complaints_are_sent_back_once_and_then_returned() {
    let server = Server::answering(|_, _| Turn::Json(json!({"score": 1}))).await;
    let check = |answer: &Value| vec![format!("{} is too low", answer["score"])];
    let answer = ask(&model(&server, Profile::default()), &question(), &check).await.unwrap();
    assert_eq!(answer.complaints, ["1 is too low"]);
    assert_eq!(server.requests().len(), 2);
    assert!(server.requests()[1]["messages"][2]["content"].as_str().unwrap().contains("- 1 is too low"));
}

#[tokio::test]
async fn a_refusal_is_not_argued_with() {
    let refusal = json!({"choices": [{"finish_reason": "stop", "message": {"content": null, "refusal": "I won't."}}]});
    let server = Server::playing(vec![Turn::Raw(refusal.to_string())]).await;
    let failure = ask(&model(&server, Profile::default()), &question(), &content).await.unwrap_err();
    assert!(matches!(&*failure.error, Error::Refused { message } if message == "I won't."));
    assert_eq!(server.requests().len(), 1);
}
