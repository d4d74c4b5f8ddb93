//! Failures of the network and the provider: tried again, or reported.

use std::time::{Duration, Instant};

use serde_json::json;
use webeval_llm::{ApiKey, ChatModel, ChatRequest, Endpoint, Error, Finish, Limits, Message, OpenAi, Profile, Tool};

use crate::support::{Server, Turn};
use crate::{KEY, limits, model, model_with};

fn hello() -> ChatRequest {
    ChatRequest::new("test", vec![Message::system("Be brief."), Message::user("Hello?")])
}

fn status(code: u16, headers: Vec<(&'static str, String)>, message: &str) -> Turn {
    Turn::Status(code, headers, json!({"error": {"message": message, "type": "t", "code": null}}).to_string())
}

#[tokio::test]
async fn an_answer_comes_back_with_its_usage() {
    let server = Server::playing(vec![Turn::Text("Hi.".into())]).await;
    let request = hello().with_seed(7).with_temperature(0.5).with_max_tokens(50);
    let reply = model(&server, Profile::default()).chat(&request).await.unwrap();
    assert_eq!((reply.text.as_str(), &reply.finish, reply.attempts), ("Hi.", &Finish::Stop, 1));
    assert_eq!((reply.usage.calls, reply.usage.input, reply.usage.cached, reply.usage.output), (1, 100, 20, 10));
    let sent = &server.requests()[0];
    assert_eq!(sent["model"], "scripted");
    assert_eq!(sent["messages"][0], json!({"role": "system", "content": "Be brief."}));
    assert_eq!(sent["messages"][1], json!({"role": "user", "content": "Hello?"}));
    assert_eq!(
        (&sent["seed"], &sent["temperature"], &sent["max_completion_tokens"]),
        (&json!(7), &json!(0.5), &json!(50))
    );
    assert_eq!(server.headers()[0]["authorization"], format!("Bearer {KEY}"));
    assert!(!server.headers()[0].contains_key("openai-organization"));
}

#[tokio::test]
async fn passing_failures_are_tried_again() {
    for failure in [
        status(429, vec![("retry-after", "0".into())], "slow down"),
        status(500, vec![], "oops"),
        Turn::Status(503, vec![], "<html>bad gateway</html>".into()),
        Turn::CutConnection,
        Turn::Raw("{\"choices\": [{\"mess".into()),
        Turn::Raw("{\"choices\": []}".into()),
        Turn::Raw("{\"error\": {\"message\": \"upstream\", \"code\": 502}}".into()),
        Turn::Hang(Duration::from_secs(20)),
    ] {
        let server = Server::playing(vec![failure.clone(), Turn::Text("Hi.".into())]).await;
        let call = if matches!(failure, Turn::Hang(_)) { 1000 } else { 30_000 };
        let limits = limits().with_timeouts(Duration::from_millis(call), Duration::from_secs(60));
        let reply = model_with(&server, Profile::default(), limits).chat(&hello()).await;
        let reply = reply.unwrap_or_else(|error| panic!("{failure:?}: {error}"));
        assert_eq!((reply.text.as_str(), reply.attempts), ("Hi.", 2), "{failure:?}");
    }
}

#[tokio::test]
async fn retry_after_is_honoured_in_all_its_forms() {
    let dated = vec![
        ("date", "Tue, 01 Dec 2026 10:00:00 GMT".to_owned()),
        ("retry-after", "Tue, 01 Dec 2026 10:00:01 GMT".to_owned()),
    ];
    for headers in [vec![("retry-after", "1".to_owned())], vec![("retry-after-ms", "1000".to_owned())], dated] {
        let server = Server::playing(vec![status(429, headers.clone(), "slow down"), Turn::Text("Hi.".into())]).await;
        let begun = Instant::now();
        model(&server, Profile::default()).chat(&hello()).await.unwrap();
        let waited = begun.elapsed();
        assert!(waited >= Duration::from_secs(1) && waited < Duration::from_secs(8), "{headers:?}: {waited:?}");
    }
}

#[tokio::test]
async fn a_wait_beyond_the_time_left_is_not_begun() {
    let server = Server::playing(vec![status(429, vec![("retry-after", "3600".into())], "slow down")]).await;
    let begun = Instant::now();
    let error = model(&server, Profile::default()).chat(&hello()).await.unwrap_err();
    assert!(matches!(&error, Error::Api { status: 429, message } if message == "slow down"), "{error}");
    assert!(begun.elapsed() < Duration::from_secs(10));
}

#[tokio::test]
async fn final_failures_are_reported_at_once_and_never_show_the_key() {
    let server = Server::answering(|_, _| status(401, vec![], &format!("Incorrect API key provided: {KEY}"))).await;
    let error = model(&server, Profile::default()).chat(&hello()).await.unwrap_err();
    assert_eq!(error.to_string(), "the provider answered 401: Incorrect API key provided: [key]");
    assert!(error.is_fatal());
    assert_eq!(server.requests().len(), 1);

    let quota = json!({"error": {"message": "pay first", "type": "insufficient_quota", "code": "insufficient_quota"}});
    let server = Server::answering(move |_, _| Turn::Status(429, vec![], quota.to_string())).await;
    model(&server, Profile::default()).chat(&hello()).await.unwrap_err();
    assert_eq!(server.requests().len(), 1);
    assert!(!format!("{:?}", model(&server, Profile::default())).contains(KEY));
}

#[tokio::test]
async fn persistent_failures_end_after_the_attempts_allowed() {
    let server = Server::answering(|_, _| status(500, vec![], "oops")).await;
    let error = model(&server, Profile::default()).chat(&hello()).await.unwrap_err();
    assert_eq!(error.to_string(), "given up after 4 attempts: the provider answered 500: oops");
    assert_eq!(server.requests().len(), 4);
}

#[tokio::test]
async fn the_total_time_bounds_all_attempts() {
    let server = Server::answering(|_, _| Turn::Hang(Duration::from_secs(30))).await;
    let limits = limits().with_timeouts(Duration::from_millis(200), Duration::from_millis(500));
    let begun = Instant::now();
    let error = model_with(&server, Profile::default(), limits).chat(&hello()).await.unwrap_err();
    assert!(matches!(&error, Error::GivenUp { source, .. } if matches!(**source, Error::TimedOut { .. })), "{error}");
    assert!(begun.elapsed() < Duration::from_secs(10));
}

#[tokio::test]
async fn nobody_listening_is_a_transport_failure() {
    let endpoint = Endpoint { base_url: "http://127.0.0.1:9/v1".into(), key: ApiKey::default(), model: "m".into() };
    let model = OpenAi::new(endpoint, Profile::default(), limits()).unwrap();
    let error = model.chat(&hello()).await.unwrap_err();
    assert!(error.to_string().starts_with("given up after 4 attempts: no connection to the provider"), "{error}");
}

#[test]
fn an_address_that_is_none_is_refused_before_anything_is_sent() {
    for base_url in ["", "localhost:80", "ftp://x/v1"] {
        let endpoint = Endpoint { base_url: base_url.into(), key: ApiKey::default(), model: "m".into() };
        let error = OpenAi::new(endpoint, Profile::default(), Limits::default()).unwrap_err();
        assert!(matches!(error, Error::Config { .. }), "{base_url}: {error}");
    }
}

#[tokio::test]
async fn requests_under_way_are_bounded() {
    let server = Server::answering(|_, _| Turn::Hang(Duration::from_secs(2))).await;
    let limits = limits().with_concurrency(2).with_attempts(1, Duration::ZERO);
    let model = model_with(&server, Profile::default(), limits);
    let asked = futures::future::join_all((0..4).map(|_| async { model.chat(&hello()).await.is_ok() }));
    let seen = async {
        tokio::time::sleep(Duration::from_secs(1)).await;
        server.requests().len()
    };
    assert_eq!(tokio::join!(asked, seen).1, 2);
}

#[tokio::test]
async fn tool_calls_are_read_however_the_arguments_come() {
    let object = json!({"choices": [{"finish_reason": "tool_calls", "message": {"content": null, "tool_calls": [
        {"id": "", "function": {"name": "look", "arguments": {"at": 3}}}
    ]}}]});
    let server = Server::playing(vec![
        Turn::Tools(vec![("look".into(), "{\"at\": 3}".into()), ("no such tool".into(), "{broken".into())]),
        Turn::Raw(object.to_string()),
    ])
    .await;
    let tools = vec![Tool::new("look", "Looks.", json!({"type": "object", "properties": {"at": {"type": "integer"}}}))];
    let request = hello().with_tools(tools, true);
    let model = model(&server, Profile::default());
    let reply = model.chat(&request).await.unwrap();
    assert_eq!(reply.finish, Finish::ToolCalls);
    assert_eq!(reply.tool_calls[0].parse().unwrap(), json!({"at": 3}));
    assert_eq!((reply.tool_calls[1].name.as_str(), reply.tool_calls[1].parse().is_err()), ("no such tool", true));
    let reply = model.chat(&request).await.unwrap();
    assert_eq!(reply.tool_calls[0].parse().unwrap(), json!({"at": 3}));
    assert!(!reply.tool_calls[0].id.is_empty());
    let sent = &server.requests()[0];
    assert_eq!((&sent["tools"][0]["function"]["name"], &sent["tool_choice"]), (&json!("look"), &json!("required")));
}
