//! The main job with a model as tester and judge, over real HTTP, against a server that misbehaves in every known way.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use serde_json::{Map, Value, json};
use webeval_evidence::{RunDir, ScoreStatus, schema};

use crate::command::{app, browser_is_there, outcome, webeval};
use crate::support::{Server, Turn};

/// What the tester does, in order, between and after its endpoint's troubles.
fn tester(request: &Value, turn: usize) -> Turn {
    let call = |name: &str, arguments: Value| Turn::Tools(vec![(name.to_owned(), arguments.to_string())]);
    match turn {
        0 => Turn::Status(429, vec![("retry-after", "1".into())], r#"{"error":{"message":"slow down"}}"#.into()),
        1 => Turn::Status(500, Vec::new(), "oops".into()),
        2 => Turn::CutConnection,
        3 => Turn::Hang(Duration::from_secs(4)),
        4 => call("teleport", json!({})),
        5 => Turn::Tools(vec![("click".to_owned(), "{\"ref\": ".to_owned())]),
        6 => call("type", json!({"ref": reference(request, "textbox"), "text": "Buy milk\n", "why": "add an item"})),
        7 => call("click", json!({"ref": reference(request, "button \"Open\""), "why": "filter"})),
        _ => call(
            "finish",
            json!({"functionality": ["adds items"], "interactions": ["typed", "filtered"], "failures": []}),
        ),
    }
}

/// The reference that stands behind `what` in the tree that the tester was shown last.
fn reference(request: &Value, what: &str) -> String {
    let text = request["messages"].to_string();
    let escaped = what.replace('"', "\\\"");
    let at = text.rfind(&escaped).or_else(|| text.rfind(what)).unwrap_or_else(|| panic!("{what} is not in {text}"));
    let rest = &text[at..];
    rest[rest.find('[').unwrap() + 1..rest.find(']').unwrap()].to_owned()
}

fn is_tester(request: &Value) -> bool {
    request["tools"].as_array().is_some_and(|tools| tools.iter().any(|tool| tool["function"]["name"] == "finish"))
}

fn is_agent(request: &Value) -> bool {
    request["tools"].as_array().is_some_and(|tools| tools.iter().any(|tool| tool["function"]["name"] == "submit"))
}

/// The alignment agent's verdicts: one rests on a step that exists, one on a step that does not.
fn agent(turn: usize) -> Turn {
    let verdict = |criterion: &str, step: u32| {
        let evidence = json!([{ "step": step }]);
        json!({"criterion": criterion, "met": true, "analysis": "seen", "confidence": 0.9, "evidence": evidence})
            .to_string()
    };
    match turn {
        0 => Turn::Tools(vec![("submit".into(), verdict("F1", 1)), ("submit".into(), verdict("F2", 77))]),
        1 => Turn::Tools(vec![("submit".into(), verdict("F2", 77))]),
        _ => Turn::Text("I am done.".into()),
    }
}

/// Fills the schema that the request carries: base 3, no adjustments, no observations.
fn judge(request: &Value) -> Turn {
    let schema = &request["response_format"]["json_schema"]["schema"];
    let Some(aspects) = schema["properties"]["aspects"]["properties"].as_object() else {
        return Turn::Json(json!({"observations": []}));
    };
    let blank = json!({"adjustment": 0, "rationale": "no adjustment needed", "evidence": []});
    let aspects: Map<String, Value> = aspects.keys().map(|name| (name.clone(), blank.clone())).collect();
    Turn::Json(json!({"impression": "plain", "base": 3, "aspects": aspects}))
}

async fn misbehaving() -> Server {
    let (tested, asked) = (AtomicUsize::new(0), AtomicUsize::new(0));
    Server::answering(move |request, _| {
        if is_tester(request) {
            tester(request, tested.fetch_add(1, Ordering::SeqCst))
        } else if is_agent(request) {
            agent(asked.fetch_add(1, Ordering::SeqCst))
        } else {
            judge(request)
        }
    })
    .await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_model_tests_and_judges_and_no_trouble_loses_anything() {
    if !browser_is_there() {
        return;
    }
    let server = misbehaving().await;
    let base = tempfile::tempdir().unwrap();
    let (out, task) = (base.path().join("run"), base.path().join("task.json"));
    let criteria =
        json!({"functional": [{"id": "F1", "text": "Items can be added."}, {"id": "F2", "text": "It syncs."}]});
    std::fs::write(
        &task,
        json!({"format": 1, "id": "todo", "requirement": "a to-do list", "criteria": criteria}).to_string(),
    )
    .unwrap();
    let url = server.url.clone();
    let (code, _, stderr) = tokio::task::spawn_blocking({
        let out = out.clone();
        move || {
            let mut command = webeval();
            command.arg("run").arg(app("todo")).arg("--task").arg(task).arg("--out").arg(out);
            command.args(["--model", "scripted", "--base-url", &url, "--model-timeout", "2", "--json"]);
            outcome(command.env("OPENAI_API_KEY", "sk-a-key-that-must-not-be-recorded"))
        }
    })
    .await
    .unwrap();
    assert_eq!(code, 0, "{stderr}");
    let run = RunDir::open(&out).unwrap();
    assert_eq!(schema::validate(run.root()).unwrap(), []);
    let trace = run.trace().unwrap();
    let done: Vec<&str> = trace.steps.iter().map(|step| step.action.kind.name()).collect();
    assert_eq!((done.first(), done.contains(&"type"), done.last()), (Some(&"load"), true, Some(&"click")), "{done:?}");
    assert_eq!(trace.summary.unwrap().functionality, ["adds items"]);
    scores_are_what_the_model_said(&run);
    no_file_holds(run.root(), "sk-a-key");
}

/// Base 3 without adjustments is 60 of 100 (A.2); of two criteria, the one whose evidence exists is met.
fn scores_are_what_the_model_said(run: &RunDir) {
    let scores = run.scores().unwrap();
    let entry = scores.entries.iter().find(|entry| entry.method == "webcraft").expect("the model judged");
    for dimension in ["aesthetics", "usability"] {
        assert_eq!(entry.dimensions[dimension].value, Some(60.0), "{dimension}");
    }
    assert_eq!(entry.dimensions["alignment.functional"].value, Some(50.0));
    assert_eq!(entry.dimensions["alignment.content"].status, ScoreStatus::NotApplicable);
    let met: Vec<_> = entry.criteria.iter().map(|verdict| (verdict.id.as_str(), verdict.met)).collect();
    assert_eq!(met, [("F1", Some(true)), ("F2", Some(false))]);
    assert!(scores.entries.iter().any(|entry| entry.method == "rules"), "the rule judge stands beside the model");
}

fn no_file_holds(folder: &std::path::Path, secret: &str) {
    for entry in std::fs::read_dir(folder).unwrap().map(Result::unwrap) {
        if entry.path().is_dir() {
            no_file_holds(&entry.path(), secret);
        } else {
            let content = std::fs::read(entry.path()).unwrap();
            assert!(!String::from_utf8_lossy(&content).contains(secret), "{}", entry.path().display());
        }
    }
}
