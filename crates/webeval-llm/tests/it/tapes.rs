//! Cassettes.

use std::path::Path;

use webeval_llm::{ChatModel, ChatRequest, Error, Image, Message, Part, Profile, Tape, TapeMode, Taped};

use crate::support::{Server, Turn};
use crate::{KEY, model, picture};

fn hello(word: &str) -> ChatRequest {
    let image = Image::new("shot.png", picture(4, 4)).unwrap();
    ChatRequest::new(
        "test",
        vec![Message::parts(vec![Part::text(format!("first line\n{word}\nlast line")), image.into()])],
    )
}

async fn texts(path: &Path, mode: TapeMode, server: &Server, words: &[&str]) -> Vec<Result<String, Error>> {
    let taped = Taped::new(model(server, Profile::default()), Tape::open(path, mode).unwrap()).unwrap();
    let mut texts = Vec::new();
    for word in words {
        texts.push(taped.chat(&hello(word)).await.map(|reply| reply.text));
    }
    texts
}

fn ok(texts: Vec<Result<String, Error>>) -> Vec<String> {
    texts.into_iter().map(Result::unwrap).collect()
}

async fn counting() -> Server {
    Server::answering(|_, number| Turn::Text(format!("answer {number}"))).await
}

#[tokio::test]
async fn a_recording_replays_without_a_server_in_any_order() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("tape.jsonl");
    let server = counting().await;
    ok(texts(&path, TapeMode::Record, &server, &["a", "b", "a"]).await);
    let nobody = Server::playing(vec![]).await;
    let replayed = ok(texts(&path, TapeMode::Replay, &nobody, &["b", "a", "a"]).await);
    assert_eq!(replayed, ["answer 1", "answer 0", "answer 2"]);
    assert!(nobody.requests().is_empty());
    let tape = std::fs::read_to_string(&path).unwrap();
    assert!(!tape.contains(KEY) && !tape.to_lowercase().contains("authorization") && !tape.contains("base64"));
}

#[tokio::test]
async fn a_request_that_was_not_recorded_fails_and_shows_the_difference() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("tape.jsonl");
    let server = counting().await;
    ok(texts(&path, TapeMode::Record, &server, &["apples"]).await);
    let error = texts(&path, TapeMode::Replay, &server, &["pears"]).await.remove(0).unwrap_err();
    let text = error.to_string();
    assert!(matches!(error, Error::NotRecorded { .. }) && error.is_fatal());
    assert!(text.contains("\n-apples") && text.contains("\n+pears") && !text.contains("-last line"), "{text}");
    let twice = texts(&path, TapeMode::Replay, &server, &["apples", "apples"]).await;
    assert!(twice[1].as_ref().unwrap_err().to_string().contains("fewer times"));
    assert_eq!(server.requests().len(), 1);
}

#[tokio::test]
async fn a_resumed_run_pays_for_nothing_twice() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("tape.jsonl");
    let server = counting().await;
    ok(texts(&path, TapeMode::Resume, &server, &["a", "a"]).await);
    // The process died while it wrote a third exchange.
    let mut torn = std::fs::read(&path).unwrap();
    torn.extend_from_slice(b"{\"model\": \"scr");
    std::fs::write(&path, torn).unwrap();
    let resumed = ok(texts(&path, TapeMode::Resume, &server, &["a", "a", "a", "b"]).await);
    assert_eq!(resumed, ["answer 0", "answer 1", "answer 2", "answer 3"]);
    assert_eq!(server.requests().len(), 4);
    let again = ok(texts(&path, TapeMode::Resume, &server, &["a", "a", "a", "b"]).await);
    assert_eq!((again, server.requests().len()), (resumed, 4));
}

#[tokio::test]
async fn a_recorded_failure_is_replayed_and_a_resumed_run_tries_again() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("tape.jsonl");
    let server = Server::playing(vec![Turn::Status(400, vec![], "bad".into()), Turn::Text("good".into())]).await;
    texts(&path, TapeMode::Record, &server, &["a"]).await.remove(0).unwrap_err();
    let error = texts(&path, TapeMode::Replay, &server, &["a"]).await.remove(0).unwrap_err();
    assert_eq!(error.to_string(), "recorded failure: the provider answered 400: bad");
    assert_eq!(ok(texts(&path, TapeMode::Resume, &server, &["a"]).await), ["good"]);
}

#[tokio::test]
async fn other_models_and_other_files_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("tape.jsonl");
    let server = counting().await;
    ok(texts(&path, TapeMode::Record, &server, &["a"]).await);
    let text = std::fs::read_to_string(&path)
        .unwrap()
        .replace("\"model\":\"scripted\",\"key\"", "\"model\":\"other\",\"key\"");
    std::fs::write(&path, text).unwrap();
    let tape = Tape::open(&path, TapeMode::Replay).unwrap();
    let error = Taped::new(model(&server, Profile::default()), tape).unwrap_err();
    assert!(error.to_string().ends_with("was recorded with other, not with scripted"), "{error}");

    std::fs::write(&path, "no recording\n").unwrap();
    let error = Tape::open(&path, TapeMode::Replay).unwrap_err();
    assert!(error.to_string().contains("tape.jsonl:1 is not a recording"), "{error}");
    assert!(matches!(Tape::open(folder.path().join("none"), TapeMode::Replay), Err(Error::Io { .. })));
}
