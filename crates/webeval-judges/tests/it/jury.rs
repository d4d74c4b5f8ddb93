//! The jury: grounding, tasks, the baseline rule, majority, resuming.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};
use webeval_evidence::{CommandStep, DeployMode, Deployment, RunRecord, ScoreEntry, ScoreStatus};
use webeval_judges::liveeval::{
    self, Bench, BenchFuture, Benches, Evaluator, Options, Registry, Shown, ToolKind, Workshop,
};
use webeval_judges::{Error, Task};

use crate::alignment::call;
use crate::deliberation::system;
use crate::model;
use crate::runs::{Made, todo};
use crate::support::{Server, Turn};

/// A page of which only hovering shows a change; it remembers who used what.
#[derive(Clone, Default)]
struct Paper(Arc<Mutex<Vec<(String, ToolKind)>>>);

struct PaperBench {
    evaluator: String,
    log: Paper,
}

impl Bench for PaperBench {
    fn overview(&mut self) -> BenchFuture<'_, Shown> {
        Box::pin(async { Ok(Shown::text("e1 button \"Add\"")) })
    }

    fn use_tool<'a>(&'a mut self, tool: ToolKind, _: &'a Value) -> BenchFuture<'a, Shown> {
        Box::pin(async move {
            self.log.0.lock().unwrap().push((self.evaluator.clone(), tool));
            let mut shown = Shown::text(format!("{} was used", tool.name()));
            shown.compared = tool == ToolKind::Hover;
            Ok(shown)
        })
    }
}

impl Benches for Paper {
    fn open<'a>(&'a self, evaluator: &'a Evaluator) -> BenchFuture<'a, Box<dyn Bench>> {
        let bench = PaperBench { evaluator: evaluator.id.clone(), log: self.clone() };
        Box::pin(async move { Ok(Box::new(bench) as Box<dyn Bench>) })
    }
}

fn is_grounding(request: &Value) -> bool {
    system(request).contains("You plan how to check")
}

fn grounding(criteria: &[(&str, bool)]) -> Turn {
    let task = |(criterion, compares): &(&str, bool)| json!({"criterion": criterion, "task": format!("Try {criterion}"), "passes_if": "it works", "compares": compares});
    Turn::Json(json!({"tasks": criteria.iter().map(task).collect::<Vec<_>>()}))
}

fn verdict(verdict: &str, compares: bool) -> Turn {
    call("submit_verdict", json!({"verdict": verdict, "evidence": "the list grew by one", "compares": compares}))
}

fn user_text(request: &Value) -> &str {
    request["messages"][1]["content"].as_str().unwrap()
}

fn turns(request: &Value) -> usize {
    request["messages"].as_array().unwrap().len()
}

async fn judged(made: &Made, server: &Server, registry: &Registry, task: &Task, benches: &dyn Benches) -> ScoreEntry {
    let (model, options) = (model(server), Options::default());
    liveeval::judge(&made.run, task, &model, registry, benches, &options, &|_| {}).await.unwrap()
}

fn only(id: &str) -> Registry {
    let mut registry = Registry::default();
    let evaluator = Registry::shipped().unwrap().get(id).unwrap().clone();
    registry.add("one.json", &serde_json::to_string(&evaluator).unwrap()).unwrap();
    registry
}

#[tokio::test]
async fn the_majority_of_three_runs_makes_the_points() {
    let made = todo();
    let mut task = Task::new("todo", "a to-do list");
    task.criteria.functional.push(serde_json::from_value(json!({"id": "F1", "text": "Items can be added."})).unwrap());
    // Visual quality passes in two of three runs; interaction has two tasks of which one always fails.
    let runs = Mutex::new(BTreeMap::<String, usize>::new());
    let server = Server::answering(move |request, _| {
        if is_grounding(request) {
            return grounding(&[
                ("visual_quality", false),
                ("interaction_experience", false),
                ("interaction_experience", false),
                ("query.F1", false),
            ]);
        }
        let text = user_text(request);
        let mut runs = runs.lock().unwrap();
        let count = runs.entry(text.to_owned()).or_default();
        *count += 1;
        match text {
            text if text.contains("Try visual_quality") => {
                verdict(if *count == 2 { "failed" } else { "passed" }, false)
            }
            text if text.contains("Try interaction_experience") => {
                verdict(if count.is_multiple_of(2) { "failed" } else { "passed" }, false)
            }
            _ => verdict("passed", false),
        }
    })
    .await;
    let paper = Paper::default();
    let entry = judged(&made, &server, &only("ui"), &task, &paper).await;
    let looks = &entry.dimensions["ui.visual_quality"];
    assert_eq!(
        (looks.value, looks.grounds.as_str()),
        (Some(100.0), "passed, 22.5 points (runs: passed, failed, passed)")
    );
    let feel = &entry.dimensions["ui.interaction_experience"];
    assert_eq!(
        (feel.value, feel.grounds.as_str()),
        (Some(0.0), "failed, 0 of 22.5 points (runs: failed, failed, failed)")
    );
    assert_eq!((entry.criteria[0].id.as_str(), entry.criteria[0].met), ("ui.F1", Some(true)));
    assert_eq!(entry.notes, ["22.5 of 45 points."]);
    assert_eq!(server.requests().len(), 3 * (1 + 4));
    assert_eq!(made.run.scores().unwrap().entries, std::slice::from_ref(&entry));
    assert!(webeval_evidence::schema::validate(made.run.root()).unwrap().is_empty());
    // Judging again asks nothing.
    assert_eq!(judged(&made, &server, &only("ui"), &task, &paper).await.dimensions, entry.dimensions);
    assert_eq!(server.requests().len(), 15);
}

#[tokio::test]
async fn a_comparison_without_a_capture_from_before_is_refused() {
    let made = todo();
    // The paper's own failure: hovering feedback judged without having seen the button before. Run 0 never acts, run 1
    // hovers after it was refused, run 2 says that it compares nothing.
    let grounded = Mutex::new(0);
    let server = Server::answering(move |request, _| {
        if is_grounding(request) {
            *grounded.lock().unwrap() += 1;
            return grounding(&[("interaction_experience", true)]);
        }
        match (*grounded.lock().unwrap(), turns(request)) {
            (2, 4) => call("hover", json!({"ref": "e1"})),
            (2, 6) => verdict("passed", true),
            (3, _) => verdict("failed", false),
            _ => verdict("failed", true),
        }
    })
    .await;
    let entry = judged(&made, &server, &only("ui"), &Task::new("todo", "a list"), &Paper::default()).await;
    let feel = &entry.dimensions["ui.interaction_experience"];
    let expected = "unresolved: no majority, 0 of 22.5 points (runs: unable, passed, unable)";
    // Unable twice is a majority of unable.
    assert_ne!(feel.grounds, expected);
    assert_eq!((feel.status, feel.bounds), (ScoreStatus::Incomplete, Some((0.0, 100.0))));
    assert_eq!(feel.grounds, "the evaluator was unable to check it (runs: unable, passed, unable)");
    let refusal = server.requests()[2]["messages"][3]["content"].as_str().unwrap().to_owned();
    assert!(refusal.contains("needs a picture from before the action"), "{refusal}");
    assert!(entry.notes[0].starts_with("0 of 45 points, 22.5 more that could not be checked"), "{:?}", entry.notes);
}

#[tokio::test]
async fn evaluators_have_only_the_tools_they_declare() {
    let made = todo();
    let server = Server::answering(|request, _| {
        if is_grounding(request) {
            return grounding(&[("interaction_experience", false)]);
        }
        match turns(request) {
            2 => call("key", json!({"key": "Enter"})),
            4 => call("read_file", json!({"path": "index.html"})),
            6 => call("touch", json!({"ref": "e1"})),
            _ => verdict("passed", false),
        }
    })
    .await;
    let paper = Paper::default();
    judged(&made, &server, &only("mobile-touch"), &Task::new("todo", "a list"), &paper).await;
    let used = paper.0.lock().unwrap().clone();
    assert_eq!(used, vec![("mobile-touch".to_owned(), ToolKind::Touch); 3]);
    let offered = server.requests()[1]["tools"].to_string();
    assert!(offered.contains("\"touch\"") && !offered.contains("\"key\"") && !offered.contains("\"hover\""));
    let refusal = server.requests()[2]["messages"][3]["content"].as_str().unwrap().to_owned();
    assert!(refusal.starts_with("there is no tool \"key\"; there are page_context"), "{refusal}");
    assert!(system(&server.requests()[1]).starts_with("You hold a phone in one hand"));
}

#[tokio::test]
async fn not_applicable_and_unable_are_no_failures() {
    let made = todo();
    let server = Server::answering(|request, _| {
        if is_grounding(request) {
            return grounding(&[("visual_quality", false), ("interaction_experience", false)]);
        }
        let looks = user_text(request).contains("Try visual_quality");
        verdict(if looks { "not_applicable" } else { "unable" }, false)
    })
    .await;
    let entry = judged(&made, &server, &only("ui"), &Task::new("todo", "a list"), &Paper::default()).await;
    assert_eq!(entry.dimensions["ui.visual_quality"].status, ScoreStatus::NotApplicable);
    assert_eq!(entry.dimensions["ui.interaction_experience"].status, ScoreStatus::Incomplete);
}

/// Opens workshops over a folder.
struct Shops {
    sources: std::path::PathBuf,
    record: RunRecord,
}

impl Benches for Shops {
    fn open<'a>(&'a self, evaluator: &'a Evaluator) -> BenchFuture<'a, Box<dyn Bench>> {
        assert!(Workshop::suffices_for(evaluator));
        let shop = Workshop::new(self.sources.clone(), &self.record, None);
        Box::pin(async move { Ok(Box::new(shop) as Box<dyn Bench>) })
    }
}

#[tokio::test]
async fn engineers_read_source_and_build_record_and_nothing_else() {
    let made = todo();
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| {
        let path = folder.path().join("app").join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    };
    write("index.html", "<h1>Todo</h1>\n<script src=main.js></script>");
    write("src/main.js", "// TODO: remove\nadd();");
    write("node_modules/x/index.js", "foreign");
    std::fs::write(folder.path().join("secret.txt"), "secret").unwrap();
    let mut record = made.run.run().unwrap();
    record.deployment = Some(Deployment {
        mode: DeployMode::Instrumented,
        framework: "vite".into(),
        grounds: "vite.config.js".into(),
        entry: "/".into(),
        instrumented: vec![],
        skipped: vec![],
        commands: vec![CommandStep {
            command: "npm run build".into(),
            exit: Some(1),
            seconds: 2.5,
            tail: "no such module: left-pad".into(),
            repair: Some("added left-pad to package.json".into()),
            ..CommandStep::default()
        }],
        ..Deployment::default()
    });
    let asked = [
        ("list_files", json!({}), "index.html (43 bytes)\nsrc/main.js (22 bytes)\n"),
        ("read_file", json!({"path": "src/main.js", "from_line": 2}), "2: add();\n(2 lines in all)"),
        ("read_file", json!({"path": "../secret.txt"}), "there is no file \"../secret.txt\""),
        ("read_file", json!({"path": "/etc/passwd"}), "there is no file \"/etc/passwd\""),
        ("search_source", json!({"pattern": "TODO|foreign"}), "src/main.js:1: // TODO: remove\n"),
        ("search_source", json!({"pattern": "("}), "the pattern cannot be used"),
        (
            "build_record",
            json!({}),
            "repair before it: added left-pad to package.json\nbuild: $ npm run build\nexit 1 after 2.5 s\nno such module",
        ),
    ];
    let script = asked.clone();
    let server = Server::answering(move |request, _| {
        if is_grounding(request) {
            return grounding(&[("implementation_quality", false)]);
        }
        match script.get(turns(request) / 2 - 1) {
            Some((name, arguments, _)) => call(name, arguments.clone()),
            None => verdict("passed", false),
        }
    })
    .await;
    let shops = Shops { sources: folder.path().join("app"), record };
    let entry = judged(&made, &server, &only("code"), &Task::new("todo", "a list"), &shops).await;
    assert_eq!(entry.dimensions["code.implementation_quality"].value, Some(100.0));
    assert_eq!(entry.dimensions["code.instruction_following"].grounds, "no run gave a verdict");
    for (at, (name, arguments, expected)) in asked.iter().enumerate() {
        let answer = server.requests()[at + 2]["messages"].as_array().unwrap().last().unwrap()["content"].clone();
        assert!(answer.as_str().unwrap().contains(expected), "{name} {arguments}: {answer}");
    }
}

#[tokio::test]
async fn money_gone_in_the_middle_keeps_what_was_judged() {
    let made = todo();
    let server = Server::answering(|request, number| match number {
        0 => grounding(&[("visual_quality", false), ("interaction_experience", false)]),
        1 => verdict("passed", false),
        2 => Turn::Status(402, vec![], json!({"error": {"message": "pay first"}}).to_string()),
        _ if is_grounding(request) => grounding(&[("visual_quality", false)]),
        _ => verdict("passed", false),
    })
    .await;
    let task = Task::new("todo", "a list");
    let (registry, paper, model) = (only("ui"), Paper::default(), model(&server));
    let error =
        liveeval::judge(&made.run, &task, &model, &registry, &paper, &Options::default(), &|_| {}).await.unwrap_err();
    assert!(matches!(error, Error::Stopped { .. }), "{error}");
    // Part of three runs makes no verdict: what is filed says that nothing was judged.
    let filed = made.run.scores().unwrap().entries.remove(0);
    assert_eq!(filed.dimensions["ui.visual_quality"].status, ScoreStatus::NotJudged);
    let entry = judged(&made, &server, &registry, &task, &paper).await;
    assert_eq!(entry.dimensions["ui.visual_quality"].value, Some(100.0));
    // Three calls before; then the one that failed, and two runs of two.
    assert_eq!(server.requests().len(), 3 + 1 + 4);
}

#[tokio::test]
async fn a_reviewer_who_disagrees_leaves_the_task_undecided() {
    let made = todo();
    // The evaluator passes both; the reviewer sees from the record that one was never tried.
    let server = Server::answering(|request, _| {
        if is_grounding(request) {
            return grounding(&[("visual_quality", false), ("interaction_experience", false)]);
        }
        if system(request).starts_with("You review the verdict") {
            let text = user_text(request);
            assert!(
                text.contains("> hover") && text.contains("hover was used") && text.contains("was passed"),
                "{text}"
            );
            let agrees = text.contains("Try visual_quality");
            return Turn::Json(json!({"verdict": if agrees { "passed" } else { "unable" }, "reason": "not tried"}));
        }
        if turns(request) == 2 { call("hover", json!({"ref": "e1"})) } else { verdict("passed", false) }
    })
    .await;
    let task = Task::new("todo", "a list");
    let (model, registry, paper) = (model(&server), only("ui"), Paper::default());
    let mut options = Options::default();
    (options.review, options.runs) = (true, 1);
    let entry = liveeval::judge(&made.run, &task, &model, &registry, &paper, &options, &|_| {}).await.unwrap();
    assert_eq!(entry.dimensions["ui.visual_quality"].value, Some(100.0));
    let disputed = &entry.dimensions["ui.interaction_experience"];
    assert_eq!((disputed.status, disputed.value), (ScoreStatus::Incomplete, None));
    assert_eq!(server.requests().len(), 1 + 2 * 3);
    let roles: Vec<String> = made.run.judgements().unwrap().into_iter().map(|line| line.role).collect();
    assert_eq!(roles, ["ground", "review", "task", "review", "task"]);
    // Neither is asked again.
    let again = liveeval::judge(&made.run, &task, &model, &registry, &paper, &options, &|_| {}).await.unwrap();
    assert_eq!((again.dimensions, server.requests().len()), (entry.dimensions, 7));
}
