//! The main job on each fixture app, held against its known answer.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;
use webeval_evidence::{RunDir, ScoreStatus, schema};

use crate::answer::Answer;
use crate::command::{app, browser_is_there, outcome, webeval};

/// Runs the whole job on an app and checks what holds for every run, and then what is known about this app.
fn evaluate(name: &str) {
    if !browser_is_there() {
        return;
    }
    let base = tempfile::tempdir().unwrap();
    let before = contents(&app(name));
    let out = base.path().join("run");
    let mut command = webeval();
    command.arg("run").arg(app(name)).args(["--requirement", "whatever the page says", "--json", "--out"]).arg(&out);
    let (code, stdout, stderr) = outcome(&mut command);
    assert_eq!(code, 0, "{stderr}");
    assert_eq!(contents(&app(name)), before, "the original was touched");

    let summary: Value = serde_json::from_str(&stdout).unwrap_or_else(|error| panic!("{error}: {stdout}"));
    assert_eq!(summary["status"], "done");
    let run = RunDir::open(&out).unwrap();
    assert_eq!(schema::validate(run.root()).unwrap(), []);
    nothing_is_made_up(&run);
    report_stands_alone(&run);
    graph_is_told_in_every_form(&run);
    let departures = Answer::read(name).departures(&run);
    assert!(departures.is_empty(), "{name} departs from its known answer:\n{}", departures.join("\n"));
}

/// Without a model, no dimension of the paper carries a figure, and the scores say why.
fn nothing_is_made_up(run: &RunDir) {
    let scores = run.scores().unwrap();
    let entry = scores.entries.iter().find(|entry| entry.method == "rules").expect("the rule judge scored");
    assert!(entry.notes.iter().any(|note| note.to_lowercase().contains("no model judged")), "{:?}", entry.notes);
    for dimension in ["aesthetics", "usability", "alignment.functional", "alignment.content", "alignment.visual"] {
        let score = &entry.dimensions[dimension];
        assert_eq!((score.status, score.value), (ScoreStatus::NotJudged, None), "{dimension}");
    }
}

fn report_stands_alone(run: &RunDir) {
    let html = std::fs::read_to_string(run.root().join("report.html")).unwrap();
    for loading in ["src=\"http", "href=\"http", "url(http", "@import"] {
        assert!(!html.contains(loading), "the report loads something from elsewhere: {loading}");
    }
    assert!(html.to_lowercase().contains("not judged"));
}

/// Every form of the graph holds the states that were recorded.
fn graph_is_told_in_every_form(run: &RunDir) {
    let recorded = run.states().unwrap().expect("the states are recorded");
    let exact: BTreeSet<_> = recorded.steps.iter().flatten().collect();
    let told = |form: &str| {
        let arguments = ["--level", "0", "--format", form];
        let (code, stdout, stderr) = outcome(webeval().args(["states", "graph"]).arg(run.root()).args(arguments));
        assert_eq!(code, 0, "{stderr}");
        stdout
    };
    let view: Value = serde_json::from_str(&told("json")).unwrap();
    assert_eq!(view["states"].as_array().unwrap().len(), exact.len());
    assert_eq!(told("graphml").matches("<node ").count(), exact.len());
    assert!(told("dot").starts_with("digraph"));
    assert!(told("text").chars().count() <= 20_000);
}

fn contents(folder: &std::path::Path) -> BTreeMap<String, Vec<u8>> {
    let entries = std::fs::read_dir(folder).unwrap().map(Result::unwrap);
    entries.map(|e| (e.file_name().to_string_lossy().into_owned(), std::fs::read(e.path()).unwrap())).collect()
}

#[test]
fn todo() {
    evaluate("todo");
}

#[test]
fn site() {
    evaluate("site");
}

#[test]
fn game() {
    evaluate("game");
}

#[test]
fn dashboard() {
    evaluate("dashboard");
}

#[test]
fn broken() {
    evaluate("broken");
}

#[test]
fn widgets() {
    evaluate("widgets");
}

#[test]
fn hang() {
    evaluate("hang");
}
