//! A scripted OpenAI-compatible server on a real socket, for tests of everything that talks to a model.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::response::Response;
use axum::routing::post;
use serde_json::{Value, json};

/// What the server does with one request.
#[derive(Clone, Debug)]
#[allow(dead_code, reason = "each test binary uses its own part")]
pub(crate) enum Turn {
    /// Answers with this text.
    Text(String),
    /// Answers with this JSON as text.
    Json(Value),
    /// Calls these tools, arguments as text.
    Tools(Vec<(String, String)>),
    /// Answers with a text that was cut at the token limit.
    CutText(String),
    /// Answers 200 with this body as it is.
    Raw(String),
    /// Answers with a status, headers and a body.
    Status(u16, Vec<(&'static str, String)>, String),
    /// Begins an answer and cuts the connection.
    CutConnection,
    /// Does not answer for as long.
    Hang(Duration),
}

type Script = dyn Fn(&Value, usize) -> Turn + Send + Sync;

struct Shared {
    script: Box<Script>,
    requests: Mutex<Vec<(HeaderMap, Value)>>,
}

/// The server; it ends with the test's runtime.
pub(crate) struct Server {
    /// Address to give as base URL.
    pub(crate) url: String,
    shared: Arc<Shared>,
}

#[allow(dead_code, reason = "each test binary uses its own part")]
impl Server {
    /// Plays the turns in order; a request beyond them is answered 418, which no client tries again.
    pub(crate) async fn playing(turns: Vec<Turn>) -> Self {
        Self::answering(move |_, number| {
            turns.get(number).cloned().unwrap_or_else(|| Turn::Status(418, Vec::new(), "script is over".into()))
        })
        .await
    }

    /// Answers by a function of the request's body and its number, from 0.
    pub(crate) async fn answering(script: impl Fn(&Value, usize) -> Turn + Send + Sync + 'static) -> Self {
        let shared = Arc::new(Shared { script: Box::new(script), requests: Mutex::default() });
        let app = Router::new().route("/v1/chat/completions", post(answer)).with_state(Arc::clone(&shared));
        let app = app.layer(axum::extract::DefaultBodyLimit::disable());
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/v1", listener.local_addr().unwrap());
        tokio::spawn(async move { axum::serve(listener, app).await });
        Self { url, shared }
    }

    /// Bodies of the requests so far.
    pub(crate) fn requests(&self) -> Vec<Value> {
        self.shared.requests.lock().unwrap().iter().map(|(_, body)| body.clone()).collect()
    }

    /// Headers of the requests so far.
    pub(crate) fn headers(&self) -> Vec<HeaderMap> {
        self.shared.requests.lock().unwrap().iter().map(|(headers, _)| headers.clone()).collect()
    }
}

async fn answer(State(shared): State<Arc<Shared>>, headers: HeaderMap, body: Bytes) -> Response {
    let request: Value = serde_json::from_slice(&body).unwrap_or_default();
    let number = {
        let mut requests = shared.requests.lock().unwrap();
        requests.push((headers, request.clone()));
        requests.len() - 1
    };
    match (shared.script)(&request, number) {
        Turn::Text(text) => completion(json!({"role": "assistant", "content": text}), "stop"),
        Turn::Json(value) => completion(json!({"role": "assistant", "content": value.to_string()}), "stop"),
        Turn::CutText(text) => completion(json!({"role": "assistant", "content": text}), "length"),
        Turn::Tools(calls) => {
            let call = |(number, (name, arguments)): (usize, &(String, String))| json!({"id": format!("c{number}"), "type": "function", "function": {"name": name, "arguments": arguments}});
            let calls: Vec<Value> = calls.iter().enumerate().map(call).collect();
            completion(json!({"role": "assistant", "content": null, "tool_calls": calls}), "tool_calls")
        }
        Turn::Raw(body) => reply(200, &[("content-type", "application/json".into())], body.into()),
        Turn::Status(status, headers, body) => reply(status, &headers, body.into()),
        Turn::CutConnection => {
            let half = Ok::<_, std::io::Error>(Bytes::from_static(b"{\"choices\": [{\"mess"));
            let cut = Err(std::io::Error::other("cut"));
            reply(200, &[], Body::from_stream(futures::stream::iter([half, cut])))
        }
        Turn::Hang(time) => {
            tokio::time::sleep(time).await;
            reply(200, &[], Body::empty())
        }
    }
}

/// Every completion says 100 prompt tokens, 20 of them cached, and 10 completion tokens.
fn completion(message: Value, finish: &str) -> Response {
    let body = json!({
        "id": "x", "object": "chat.completion", "created": 0, "model": "scripted", "service_tier": "a word nobody knows",
        "choices": [{"index": 0, "message": message, "finish_reason": finish}],
        "usage": {"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110,
                  "prompt_tokens_details": {"cached_tokens": 20}}
    });
    reply(200, &[("content-type", "application/json".into())], body.to_string().into())
}

fn reply(status: u16, headers: &[(&'static str, String)], body: Body) -> Response {
    let mut response = Response::new(body);
    *response.status_mut() = StatusCode::from_u16(status).unwrap();
    for (name, value) in headers {
        response.headers_mut().insert(*name, value.parse().unwrap());
    }
    response
}
