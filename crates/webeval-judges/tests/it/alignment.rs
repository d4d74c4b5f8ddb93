//! The alignment agent: its tools, its verdicts, its limits.

use serde_json::{Value, json};
use webeval_evidence::{Citation, CriterionVerdict, ScoreEntry, ScoreStatus};
use webeval_judges::Task;
use webeval_judges::webcraft::{self, Options};

use crate::deliberation::{observations, system, verdict};
use crate::runs::{Made, todo};
use crate::support::{Server, Turn};
use crate::{model, model_with};

pub(crate) fn task(functional: &[(&str, &str)]) -> Task {
    let mut task = Task::new("todo", "a to-do list");
    for (id, text) in functional {
        let criterion = serde_json::from_value(json!({"id": id, "text": text})).unwrap();
        task.criteria.functional.push(criterion);
    }
    task
}

pub(crate) fn is_alignment(request: &Value) -> bool {
    system(request).contains("criterion by criterion")
}

/// A server whose alignment agent plays these turns, and whose other judges are content.
pub(crate) async fn playing(turns: Vec<Turn>) -> Server {
    let played = std::sync::atomic::AtomicUsize::new(0);
    Server::answering(move |request, _| {
        if is_alignment(request) {
            let turn = played.fetch_add(1, std::sync::atomic::Ordering::SeqCst);
            return turns.get(turn).cloned().unwrap_or_else(|| Turn::Text("I am done.".into()));
        }
        Turn::Json(if system(request).contains("final judge") {
            verdict(request, 3.0, 0.0, json!([]))
        } else {
            observations(request)
        })
    })
    .await
}

pub(crate) fn call(name: &str, arguments: Value) -> Turn {
    Turn::Tools(vec![(name.to_owned(), arguments.to_string())])
}

pub(crate) fn submit(criterion: &str, met: bool, evidence: Value) -> Value {
    json!({"criterion": criterion, "met": met, "analysis": "because", "confidence": 0.75, "evidence": evidence})
}

async fn judged(made: &Made, server: &Server, task: &Task) -> ScoreEntry {
    let mut options = Options::default();
    options.turns = 8;
    webcraft::judge(&made.run, task, &model(server), &options, &|_| {}).await.unwrap()
}

pub(crate) fn alignment_requests(server: &Server) -> Vec<Value> {
    server.requests().into_iter().filter(is_alignment).collect()
}

/// What the agent was told after its last turn.
fn told(server: &Server, turn: usize) -> String {
    let request = &alignment_requests(server)[turn];
    request["messages"].as_array().unwrap().last().unwrap()["content"].as_str().unwrap_or_default().to_owned()
}

fn met(entry: &ScoreEntry) -> Vec<(&str, Option<bool>)> {
    entry.criteria.iter().map(|CriterionVerdict { id, met, .. }| (id.as_str(), *met)).collect()
}

#[tokio::test]
async fn verdicts_are_counted_and_their_evidence_is_kept() {
    let made = todo();
    let task = task(&[("F1", "Items can be added."), ("F2", "Items can be removed."), ("F3", "There is help.")]);
    let server = playing(vec![
        call("submit", submit("F1", true, json!([{"step": 1}, {"state": "S2", "quote": "<li>milk</li>"}]))),
        Turn::Tools(vec![
            ("submit".into(), submit("F2", false, json!([])).to_string()),
            ("submit".into(), submit("F3", true, json!([{"state": "S3", "quote": "Write to jo"}])).to_string()),
        ]),
    ])
    .await;
    let entry = judged(&made, &server, &task).await;
    assert_eq!(met(&entry), [("F1", Some(true)), ("F2", Some(false)), ("F3", Some(true))]);
    let score = &entry.dimensions["alignment.functional"];
    assert_eq!((score.status, score.value, score.bounds), (ScoreStatus::Judged, Some(200.0 / 3.0), None));
    let cited =
        [Citation::Step { step: 1 }, Citation::State { state: "S2".into(), quote: Some("<li>milk</li>".into()) }];
    assert_eq!((&entry.criteria[0].citations[..], entry.criteria[0].confidence), (&cited[..], Some(0.75)));
    assert_eq!(entry.dimensions["alignment.visual"].grounds, "the task gives no visual criteria");
    // The second sitting asks nothing.
    let asked = server.requests().len();
    assert_eq!(judged(&made, &server, &task).await.criteria, entry.criteria);
    assert_eq!(server.requests().len(), asked);
    assert!(webeval_evidence::schema::validate(made.run.root()).unwrap().is_empty());
}

#[tokio::test]
async fn yes_without_evidence_is_sent_back_and_then_a_no() {
    let made = todo();
    let server = playing(vec![
        call("submit", submit("F1", true, json!([{"step": 99}, {"state": "S2", "quote": "<li>bread</li>"}]))),
        call("submit", submit("F1", true, json!([{"state": "S2"}]))),
    ])
    .await;
    let entry = judged(&made, &server, &task(&[("F1", "Items can be added.")])).await;
    let answer = told(&server, 1);
    assert!(answer.contains("there is no step 99"), "{answer}");
    assert!(answer.contains("\"<li>bread</li>\" does not stand in the DOM of S2"));
    assert_eq!(met(&entry), [("F1", Some(false))]);
    assert!(entry.criteria[0].analysis.contains("recorded as not met"), "{}", entry.criteria[0].analysis);
    let line = made.run.judgements().unwrap().pop().unwrap();
    assert_eq!((line.struck.len(), line.verdict["met"].as_bool(), line.usage.calls), (2, Some(true), 2));
    assert!(entry.notes.iter().any(|note| note.starts_with("2 citations")));
}

#[tokio::test]
async fn a_state_without_a_quote_counts_once_its_screenshot_was_looked_at() {
    let made = todo();
    let server = playing(vec![
        call("screenshot", json!({"state": "S2"})),
        call("submit", submit("F1", true, json!([{"state": "S2"}]))),
    ])
    .await;
    let entry = judged(&made, &server, &task(&[("F1", "Items are listed.")])).await;
    assert_eq!(met(&entry), [("F1", Some(true))]);
    let messages = alignment_requests(&server)[1]["messages"].clone();
    assert_eq!(
        messages[3],
        json!({"role": "tool", "tool_call_id": "c0", "content": "the screenshot of state S2 follows"})
    );
    assert_eq!(messages[4]["content"][1]["type"], "image_url");
    assert_eq!(made.run.judgements().unwrap().pop().unwrap().screenshots.len(), 1);
}

#[tokio::test]
async fn the_tools_find_what_is_there() {
    let made = todo();
    let asked = [
        ("search_dom", json!({"pattern": "MILK|butter"}), "S2:4: <li>milk</li></ul>\n(1 matches, page 0 of 1, from 0)"),
        ("search_dom", json!({"pattern": "milk", "state": "S1"}), "no matches"),
        ("search_dom", json!({"pattern": "("}), "the pattern cannot be used"),
        ("search_trace", json!({"pattern": "blocked"}), "step 3: S3->S3 click button \"Print\": blocked"),
        (
            "read_dom",
            json!({"state": "S3"}),
            "1: <h1>Help</h1>\n2: <p>Write to jo@example.org</p>\n(lines 1 to 2 of 2)",
        ),
        ("read_dom", json!({"state": "S7"}), "there is no state \"S7\"; there are S1 to S3"),
        (
            "read_trace",
            json!({"from_step": 2}),
            "step 2: S2->S3 click link \"Help\": performed; the page changed; went to app:/help",
        ),
        (
            "graph",
            json!({"from": "S2", "to": "S3"}),
            "a shortest way from the start: click button \"Add\", then click link \"Help\"",
        ),
        ("graph", json!({"state": "S1"}), "S1->S2 click button \"Add\" (1 times, +10 statements)"),
        ("screenshot", json!({"step": 44}), "there is no step 44"),
        ("read_source", json!({}), "there is no tool \"read_source\"; there are search_dom, search_trace"),
        ("read_dom", json!({"file": "/etc/passwd"}), "wrong arguments: unknown field `file`"),
    ];
    let mut turns: Vec<Turn> = asked.iter().map(|(name, arguments, _)| call(name, arguments.clone())).collect();
    turns.push(Turn::Tools(vec![("read_dom".into(), "{broken".into())]));
    turns.push(call("submit", submit("F1", false, json!([]))));
    let server = playing(turns).await;
    let mut options = Options::default();
    options.turns = 20;
    let task = task(&[("F1", "Items can be added.")]);
    webcraft::judge(&made.run, &task, &model(&server), &options, &|_| {}).await.unwrap();
    for (turn, (name, arguments, expected)) in asked.iter().enumerate() {
        let answer = told(&server, turn + 1);
        assert!(answer.contains(expected), "{name} {arguments}: {answer}");
    }
    assert!(told(&server, asked.len() + 1).contains("the arguments are not JSON"));
}

#[tokio::test]
async fn what_is_left_unjudged_is_recorded_with_bounds() {
    let made = todo();
    let task = task(&[("F1", "a"), ("F2", "b"), ("F3", "c"), ("F4", "d")]);
    let server = playing(vec![
        call("submit", submit("F2", true, json!([{"step": 1}]))),
        call("submit", submit("F2", true, json!([{"step": 1}]))),
        call("submit", submit("F1", false, json!([]))),
    ])
    .await;
    let entry = judged(&made, &server, &task).await;
    assert!(told(&server, 2).contains("\"F2\" is not to be submitted; still open: F1, F3, F4"));
    assert!(told(&server, 4).contains("Call a tool. Still to be submitted: F3, F4."));
    let score = &entry.dimensions["alignment.functional"];
    assert_eq!((score.status, score.value, score.bounds), (ScoreStatus::Incomplete, Some(25.0), Some((25.0, 75.0))));
    assert_eq!(entry.criteria[3].analysis, "not judged: the turns were used up");
    assert_eq!(alignment_requests(&server).len(), 8);
    // The next sitting asks about what is open, and about nothing else.
    let server = playing(vec![
        call("submit", submit("F3", false, json!([]))),
        call("submit", submit("F4", true, json!([{"step": 2}]))),
    ])
    .await;
    let entry = judged(&made, &server, &task).await;
    assert_eq!(entry.dimensions["alignment.functional"].value, Some(50.0));
    assert_eq!((server.requests().len(), alignment_requests(&server).len()), (2, 2));
    let text = alignment_requests(&server)[0]["messages"][1]["content"].to_string();
    assert!(text.contains("F3: c") && !text.contains("F1: a"));
}

#[tokio::test]
async fn one_verdict_does_not_reach_the_next() {
    let made = todo();
    let mut first = submit("F1", false, json!([{"step": 1}]));
    first["analysis"] = json!("SECRET REASON");
    let server = playing(vec![
        Turn::Tools(vec![("submit".into(), first.to_string())]),
        call("submit", submit("F2", false, json!([]))),
    ])
    .await;
    judged(&made, &server, &task(&[("F1", "a"), ("F2", "b")])).await;
    let second = alignment_requests(&server)[1].clone();
    assert!(!second.to_string().contains("SECRET REASON"));
    let call = &second["messages"][2]["tool_calls"][0]["function"];
    assert_eq!(
        (&call["arguments"], &second["messages"][3]["content"]),
        (&json!("{\"criterion\":\"F1\"}"), &json!("recorded"))
    );
}

#[tokio::test]
async fn criteria_are_decided_in_batches_of_one_set() {
    let made = todo();
    let server = playing(vec![
        call("submit", submit("F1", false, json!([]))),
        call("submit", submit("F2", false, json!([]))),
        call("submit", submit("C1", false, json!([]))),
    ])
    .await;
    let mut task = task(&[("F1", "a"), ("F2", "b")]);
    task.criteria.content.push(serde_json::from_value(json!({"id": "C1", "text": "c"})).unwrap());
    let mut options = Options::default();
    options.batch = 1;
    let entry = webcraft::judge(&made.run, &task, &model(&server), &options, &|_| {}).await.unwrap();
    assert_eq!(met(&entry), [("F1", Some(false)), ("F2", Some(false)), ("C1", Some(false))]);
    for request in alignment_requests(&server) {
        assert_eq!(request["messages"].as_array().unwrap().len(), 2);
    }
}

#[tokio::test]
async fn a_model_without_tools_submits_by_json() {
    let made = todo();
    let call = json!({"tool": "submit", "arguments": submit("F1", true, json!([{"step": 1}]))});
    let server = playing(vec![Turn::Json(call)]).await;
    let profile = webeval_llm::Profiles::from_toml("[models.m]\ntools = false\nvision = false").unwrap().get("m");
    let model = model_with(&server, profile);
    let task = task(&[("F1", "Items can be added.")]);
    let entry = webcraft::judge(&made.run, &task, &model, &Options::default(), &|_| {}).await.unwrap();
    assert_eq!(met(&entry), [("F1", Some(true))]);
}
