//! Everything that can go wrong between a judge and its model: tried again or reported, and nothing recorded is lost.

use std::collections::BTreeSet;
use std::sync::Mutex;
use std::time::Duration;

use serde_json::json;
use webeval_evidence::ScoreStatus;
use webeval_judges::webcraft::{self, Options};
use webeval_judges::{Error, Prompts, Task, rules};
use webeval_llm::Profile;

use crate::alignment::{alignment_requests, call, playing, submit, task};
use crate::deliberation::{is_final, observations, verdict};
use crate::runs::todo;
use crate::support::{Server, Turn};
use crate::{connect, model};

fn status(code: u16, headers: Vec<(&'static str, String)>) -> Turn {
    Turn::Status(code, headers, json!({"error": {"message": "trouble", "code": null}}).to_string())
}

#[tokio::test]
async fn passing_trouble_changes_no_score() {
    for trouble in [
        status(429, vec![("retry-after", "0".into())]),
        status(500, vec![]),
        Turn::CutConnection,
        Turn::Raw("{\"choices\": [{\"mess".into()),
        Turn::Text("{\"base\": 3,".into()),
        Turn::CutText("{\"base\": 3,".into()),
        Turn::Hang(Duration::from_secs(10)),
    ] {
        let made = todo();
        let (played, met) = (trouble.clone(), Mutex::new(BTreeSet::new()));
        // Every question meets trouble the first time it is asked; sent back with a complaint it is another one.
        let server = Server::answering(move |request, _| {
            let is_first = request["messages"].as_array().unwrap().len() == 2;
            match is_first && met.lock().unwrap().insert(request.to_string()) {
                true => played.clone(),
                false if is_final(request) => Turn::Json(verdict(request, 3.0, 0.0, json!([]))),
                false => Turn::Json(observations(request)),
            }
        })
        .await;
        let task = Task::new("todo", "a to-do list");
        let patience = Duration::from_millis(if matches!(trouble, Turn::Hang(_)) { 1500 } else { 30_000 });
        let model = connect(&server, Profile::default(), patience);
        let entry = webcraft::judge(&made.run, Some(&task), &model, &Options::default(), &|_| {}).await.unwrap();
        for dimension in ["aesthetics", "usability"] {
            let score = &entry.dimensions[dimension];
            assert_eq!(score.value, Some(60.0), "{trouble:?}: {}", score.grounds);
        }
        assert!(made.run.judgements().unwrap().iter().all(|j| j.failure.is_none()));
    }
}

#[tokio::test]
async fn lasting_trouble_is_reported_and_what_was_recorded_stays() {
    let made = todo();
    rules::judge(&made.run).unwrap();
    let server = Server::answering(|request, _| match is_final(request) {
        true => status(500, vec![]),
        false => Turn::Json(observations(request)),
    })
    .await;
    let task = Task::new("todo", "a to-do list");
    let entry = webcraft::judge(&made.run, Some(&task), &model(&server), &Options::default(), &|_| {}).await.unwrap();
    let score = &entry.dimensions["usability"];
    assert_eq!((score.status, score.value), (ScoreStatus::NotJudged, None));
    let expected = "5 of 5 final judges failed: given up after 3 attempts: the provider answered 500: trouble";
    assert_eq!(score.grounds, expected);
    let judgements = made.run.judgements().unwrap();
    assert_eq!(judgements.iter().filter(|j| j.failure.is_some()).count(), 10);
    assert_eq!(judgements.iter().filter(|j| j.failure.is_none()).count(), 4);
    let scores = made.run.scores().unwrap();
    assert_eq!(scores.entries.iter().map(|e| e.method.as_str()).collect::<Vec<_>>(), ["rules", "webcraft"]);

    // The provider is well again: only what failed is asked.
    let asked = server.requests().len();
    let server = playing(vec![]).await;
    let entry = webcraft::judge(&made.run, Some(&task), &model(&server), &Options::default(), &|_| {}).await.unwrap();
    assert_eq!((entry.dimensions["usability"].value, server.requests().len()), (Some(60.0), 10));
    assert_eq!(asked, 4 + 10 * 3);
}

#[tokio::test]
async fn a_wrong_key_stops_everything_at_once() {
    let made = todo();
    let server = Server::answering(|_, _| status(401, vec![])).await;
    let task = task(&[("F1", "a")]);
    let error =
        webcraft::judge(&made.run, Some(&task), &model(&server), &Options::default(), &|_| {}).await.unwrap_err();
    assert_eq!(error.to_string(), "judging stopped: the provider answered 401: trouble");
    assert_eq!(server.requests().len(), 1);
    let entry = &made.run.scores().unwrap().entries[0];
    assert!(entry.dimensions.values().all(|score| score.value.is_none()));
}

#[tokio::test]
async fn an_agent_in_trouble_keeps_what_it_submitted() {
    let made = todo();
    let server = playing(vec![
        call("submit", submit("F1", true, json!([{"step": 1}]))),
        call("no_such_tool", json!({})),
        Turn::Tools(vec![("submit".into(), "{\"criterion\": \"F2\", ".into())]),
        status(400, vec![]),
    ])
    .await;
    let task = task(&[("F1", "a"), ("F2", "b")]);
    let entry = webcraft::judge(&made.run, Some(&task), &model(&server), &Options::default(), &|_| {}).await.unwrap();
    let met: Vec<_> = entry.criteria.iter().map(|verdict| verdict.met).collect();
    assert_eq!(met, [Some(true), None]);
    assert_eq!(entry.criteria[1].analysis, "not judged: the provider answered 400: trouble");
    assert_eq!(entry.dimensions["alignment.functional"].bounds, Some((50.0, 100.0)));
    assert_eq!(alignment_requests(&server).len(), 4);
    assert_eq!(entry.usage.calls, 14 + 3);
}

#[test]
fn prompts_can_be_overridden_by_file_and_misspelt_ones_are_told() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
    let load = || Prompts::with_overrides(folder.path());
    write("notes.md", "not a prompt");
    let built_in = Prompts::default().hash("usability-critic.txt").unwrap().to_owned();
    assert_eq!(load().unwrap().hash("usability-critic.txt").unwrap(), built_in);
    write("usability-critic.txt", "Be kind.\n=== user ===\n{{ trace }}");
    // The beginning of what sha256sum gives.
    assert_eq!(load().unwrap().hash("usability-critic.txt").unwrap(), "21294fa37bea9284");
    for (text, fault) in [
        ("no divide", "prompt usability-critic.txt: it lacks the line \"=== user ===\" before its user message"),
        ("Judge {{ trace }}\n=== user ===\nx", "prompt usability-critic.txt: its system message has a variable"),
        ("x\n=== user ===\n{{ trace", "prompt usability-critic.txt: syntax error"),
    ] {
        write("usability-critic.txt", text);
        let error = load().unwrap_err().to_string();
        assert!(error.starts_with(fault), "{error}");
    }
    std::fs::remove_file(folder.path().join("usability-critic.txt")).unwrap();
    write("usability-critik.txt", "x");
    assert!(
        load().unwrap_err().to_string().starts_with("prompt usability-critik.txt: there is no such prompt; there are")
    );
}

#[tokio::test]
async fn a_prompt_with_an_unknown_variable_is_told_before_anything_is_sent() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("aesthetics-advocate.txt"), "x\n=== user ===\n{{ screens }}").unwrap();
    let mut options = Options::default();
    options.prompts = Prompts::with_overrides(folder.path()).unwrap();
    let made = todo();
    let server = playing(vec![]).await;
    let task = Task::new("todo", "a to-do list");
    let error = webcraft::judge(&made.run, Some(&task), &model(&server), &options, &|_| {}).await.unwrap_err();
    assert!(matches!(&error, Error::Prompt { name, .. } if name == "aesthetics-advocate.txt"), "{error}");
    assert!(server.requests().is_empty());
}

#[test]
fn task_files_that_are_none_say_why() {
    let criteria = |inner: &str| format!(r#"{{"format": 1, "id": "t", "requirement": "r", "criteria": {inner}}}"#);
    for (text, fault) in [
        ("{".to_owned(), "t.json is not a task file: EOF while parsing an object at line 1 column 1"),
        (
            r#"{"format": 2, "id": "t", "requirement": "r"}"#.into(),
            "t.json is not a task file: format 2 is newer than 1",
        ),
        (
            r#"{"format": 1, "id": "t", "requirement": " "}"#.into(),
            "t.json is not a task file: the requirement is empty",
        ),
        (criteria(r#"{"visuals": []}"#), "t.json is not a task file: unknown field `visuals`"),
        (
            criteria(r#"{"visual": [{"id": "V1", "text": ""}]}"#),
            "t.json is not a task file: visual criterion V1 has no text",
        ),
        (
            criteria(r#"{"visual": [{"id": "1", "text": "a"}], "content": [{"id": "1", "text": "b"}]}"#),
            "t.json is not a task file: two criteria have the id 1",
        ),
    ] {
        let error = Task::from_json("t.json", &text).unwrap_err().to_string();
        assert!(error.starts_with(fault), "{error}");
    }
    let task = task(&[("F1", "a")]);
    assert_eq!(Task::from_json("t.json", &task.to_json()).unwrap(), task);
}
