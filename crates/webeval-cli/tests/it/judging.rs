//! `judge --method`, `evaluators` and `checklist`, over real HTTP.

use std::path::Path;

use serde_json::{Value, json};
use webeval_evidence::{AppSource, RunDir, RunRecord, ScoreEntry, ScoreStatus, Settings, schema};

use crate::command::{app, browser_is_there, outcome, repository, webeval};
use crate::support::{Server, Turn};

/// A run of the to-do app that was deployed and no more: live judges need no trace.
fn deployed(folder: &Path) -> RunDir {
    let source = AppSource::Folder { path: app("todo").display().to_string() };
    let mut record = RunRecord::new(source, Some("a to-do list".into()), Settings::default());
    let deployment = json!({"mode": "instrumented", "framework": "static", "grounds": "", "entry": "/index.html"});
    record.deployment = Some(serde_json::from_value(deployment).unwrap());
    RunDir::create(folder, &record).unwrap()
}

async fn runs(server: &Server, arguments: &[&str]) -> (i32, String, String) {
    let (url, arguments) = (server.url.clone(), arguments.iter().map(|&word| word.to_owned()).collect::<Vec<_>>());
    tokio::task::spawn_blocking(move || outcome(webeval().args(arguments).args(["--base-url", &url]))).await.unwrap()
}

fn call(name: &str, arguments: Value) -> Turn {
    Turn::Tools(vec![(name.to_owned(), arguments.to_string())])
}

fn system(request: &Value) -> &str {
    request["messages"][0]["content"].as_str().unwrap()
}

/// The reference that stands before `what` in what was shown so far.
fn reference(request: &Value, what: &str) -> String {
    let text = request["messages"].to_string().replace("\\n", "\n");
    let line = text.lines().rfind(|line| line.contains(what)).unwrap_or_else(|| panic!("{what}: {text}"));
    line.split(' ').next().unwrap().trim_start_matches(|c: char| !c.is_ascii_alphanumeric()).to_owned()
}

/// Adds an item and looks whether it is there; reads the page's source; reads the build record.
fn jury(request: &Value) -> Turn {
    let who = system(request);
    let verdict = |verdict: &str, evidence: &str| {
        call("submit_verdict", json!({"verdict": verdict, "evidence": evidence, "compares": false}))
    };
    if who.contains("You plan how to check") {
        let ids = &request["response_format"]["json_schema"]["schema"]["properties"]["tasks"]["items"]["properties"];
        let ids = ids["criterion"]["enum"].as_array().unwrap();
        let task = |id: &Value| json!({"criterion": id, "task": "Add an item", "passes_if": "it is listed", "compares": false});
        return Turn::Json(json!({"tasks": ids.iter().map(task).collect::<Vec<_>>()}));
    }
    let turn = request["messages"].as_array().unwrap().len();
    let last = request["messages"][turn - 1].to_string();
    if who.starts_with("You are an end user") {
        return match turn {
            2 => call("type", json!({"ref": reference(request, "textbox"), "text": "oats"})),
            4 => call("key", json!({"key": "Enter"})),
            6 => call("page_context", json!({})),
            _ if last.contains("oats") => verdict("passed", "the list shows oats"),
            _ => verdict("failed", "oats are nowhere"),
        };
    }
    if who.starts_with("You are a developer") {
        return match turn {
            2 => call("read_file", json!({"path": "index.html"})),
            // An instrumented page would have counters in it.
            _ if last.contains("__coverage__") => verdict("failed", "there are counters in the page"),
            _ => verdict("passed", "index.html has a form"),
        };
    }
    match turn {
        2 => call("build_record", json!({})),
        _ if last.contains("served as they are") => verdict("passed", "no repair was needed"),
        _ => verdict("failed", "it took repairs"),
    }
}

fn entry(run: &RunDir, method: &str) -> ScoreEntry {
    run.scores().unwrap().entries.into_iter().find(|entry| entry.method == method).expect("the method judged")
}

#[tokio::test(flavor = "multi_thread")]
async fn a_jury_judges_the_app_live_and_resumes_without_paying_again() {
    if !browser_is_there() {
        return;
    }
    let base = tempfile::tempdir().unwrap();
    let out = base.path().join("run");
    let run = deployed(&out);
    let server = Server::answering(|request, _| jury(request)).await;
    let arguments = ["judge", out.to_str().unwrap(), "--method", "liveeval", "--model", "scripted", "--runs", "1"];
    let (code, stdout, stderr) = runs(&server, &arguments).await;
    assert_eq!(code, 0, "{stderr}");
    assert!(stdout.contains("note: 90 of 90 points."), "{stdout}");
    let scores = entry(&run, "liveeval");
    for name in ["build.build_smoothness", "code.implementation_quality", "ui.interaction_experience"] {
        assert_eq!(scores.dimensions[name].value, Some(100.0), "{name}");
    }
    assert_eq!(schema::validate(run.root()).unwrap(), []);
    // Three groundings; tasks of 1 × 2, 2 × 2 and 2 × 4 turns.
    assert_eq!(server.requests().len(), 3 + 2 + 4 + 8);
    assert_eq!(runs(&server, &arguments).await.0, 0);
    assert_eq!(server.requests().len(), 17, "what was judged is not asked again");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_cannot_be_checked_is_not_failed() {
    if !browser_is_there() {
        return;
    }
    let base = tempfile::tempdir().unwrap();
    let out = base.path().join("run");
    let source = AppSource::Url { url: "http://127.0.0.1:9/".into() };
    let run = RunDir::create(&out, &RunRecord::new(source, Some("a list".into()), Settings::default())).unwrap();
    let server = Server::answering(|_, _| Turn::Status(500, vec![], "nothing is to be asked".into())).await;
    let arguments =
        ["judge", out.to_str().unwrap(), "--method", "liveeval", "--model", "scripted", "--only", "code", "--json"];
    let (code, _, stderr) = runs(&server, &arguments).await;
    assert_eq!((code, server.requests().len()), (0, 0), "{stderr}");
    let score = entry(&run, "liveeval").dimensions["code.implementation_quality"].clone();
    assert_eq!((score.status, score.bounds), (ScoreStatus::Incomplete, Some((0.0, 100.0))));
    assert!(score.grounds.contains("the source is not there"), "{}", score.grounds);
}

/// Rates everything 4.
fn fours() -> Value {
    let one = json!({"score": 4, "visible_error": false, "reason": "as seen", "feedback": "move it"});
    let names = ["TA", "TP", "TR", "TIA", "MP", "MSA", "MOR", "ALN", "SPC"];
    let all: serde_json::Map<String, Value> = names.iter().map(|name| ((*name).to_owned(), one.clone())).collect();
    json!({"metrics": all})
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_is_judged_section_by_section() {
    if !browser_is_there() {
        return;
    }
    let base = tempfile::tempdir().unwrap();
    let out = base.path().join("run");
    let path = repository().join("fixtures/sections/pages/landing.html").display().to_string();
    let record = RunRecord::new(AppSource::HtmlFile { path }, None, Settings::default());
    let run = RunDir::create(&out, &record).unwrap();
    let server = Server::answering(|_, _| Turn::Json(fours())).await;
    let arguments = ["judge", out.to_str().unwrap(), "--method", "sections", "--model", "scripted"];
    let (code, stdout, stderr) = runs(&server, &arguments).await;
    assert_eq!(code, 0, "{stderr}");
    assert!(stdout.contains("sections were rated") && stdout.contains("TA was not judged"), "{stdout}");
    let scores = entry(&run, "sections");
    assert_eq!(scores.dimensions["TR"].value, Some(75.0));
    assert_eq!(scores.dimensions["TA"].status, ScoreStatus::NotJudged);
    for file in ["sections.json", "checks.json", "page.png", "page.html"] {
        assert!(out.join("sections").join(file).is_file(), "{file}");
    }
    assert_eq!(schema::validate(run.root()).unwrap(), []);
    let asked = server.requests().len();
    assert!(asked > 3, "{asked}");
    // The page as it was captured is judged again, and nothing is asked twice.
    assert_eq!(runs(&server, &arguments).await.0, 0);
    assert_eq!(server.requests().len(), asked);
}

/// The landing page with its pictures, in one folder.
fn site(base: &Path) -> String {
    let (from, to) = (repository().join("fixtures/sections"), base.join("site"));
    std::fs::create_dir_all(to.join("pictures")).unwrap();
    for entry in std::fs::read_dir(from.join("pictures")).unwrap().map(Result::unwrap) {
        std::fs::copy(entry.path(), to.join("pictures").join(entry.file_name())).unwrap();
    }
    let page = std::fs::read_to_string(from.join("pages/landing.html")).unwrap();
    std::fs::write(to.join("index.html"), page.replace("../pictures/", "pictures/")).unwrap();
    to.display().to_string()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_becomes_an_instruction_and_the_instruction_a_page_that_is_refined() {
    if !browser_is_there() {
        return;
    }
    let base = tempfile::tempdir().unwrap();
    let landing = site(base.path());
    let server = Server::answering(|request, _| {
        let text = request["messages"].to_string();
        let page = |gap: u32| {
            format!(
                "<!doctype html><html lang=en><title>Tern</title><style>section {{ padding: {gap}px }}</style>\
                 <section><h1>Tides</h1><p>The timetable.</p></section><section><h2>Plans</h2><p>9 euros.</p></section></html>"
            )
        };
        if system(request).contains("You write specifications") {
            let sections: Vec<Value> = (1..=30).map(|order| json!({"order": order, "summary": "It says much."})).collect();
            return Turn::Json(json!({"overview": "A harbour.", "sections": sections, "calls_to_action": []}));
        }
        if system(request).contains("You are a front-end developer. You make") {
            return Turn::Text(page(240));
        }
        if system(request).contains("You put right") {
            assert!(text.contains("padding: 240px") && text.contains("move it"), "{text}");
            return Turn::Text(page(260));
        }
        let mut rated = fours();
        for metric in ["TIA", "MP", "MSA", "MOR"] {
            rated["metrics"][metric]["score"] = Value::Null;
        }
        Turn::Json(rated)
    })
    .await;
    let made = base.path().join("made");
    let generate = ["generate", "--from", &landing, "--out", made.to_str().unwrap(), "--model", "scripted"];
    let (code, stdout, stderr) = runs(&server, &generate).await;
    assert_eq!(code, 0, "{stderr}");
    assert!(stdout.contains("instruction.md") && stdout.contains("index.html"), "{stdout}");
    let instruction = std::fs::read_to_string(made.join("instruction.md")).unwrap();
    // The page's own pictures with their sizes, each once, and its links.
    assert_eq!(
        instruction.matches("shore.png").count() + instruction.matches("img_01_hero.png`, ").count(),
        1,
        "{instruction}"
    );
    assert!(instruction.contains("- \"See the plans\" leads to `#pricing`"), "{instruction}");
    assert!(made.join("images/section_01_img_01_hero.png").is_file());
    assert_eq!(runs(&server, &generate).await.0, 2, "what is there is not written over");

    let (page, out) = (made.join("index.html"), base.path().join("refined"));
    let before = std::fs::read_to_string(&page).unwrap();
    let spec = made.join("instruction.md");
    let refine = ["refine", page.to_str().unwrap(), "--instruction", spec.to_str().unwrap(), "--model", "scripted"];
    let refine = [&refine[..], &["--out", out.to_str().unwrap()]].concat();
    let (code, stdout, stderr) = runs(&server, &refine).await;
    assert_eq!(code, 0, "{stderr}");
    assert!(stdout.contains("0 wins, 5 ties, 0 losses of the last page, as it came"), "{stdout}");
    assert!(std::fs::read_to_string(out.join("refined.html")).unwrap().contains("padding: 260px"));
    assert_eq!(std::fs::read_to_string(&page).unwrap(), before, "the page that was given is as it was");
    // Each turn was rendered as it was then.
    let height = |turn: u32| {
        let file = std::fs::read(out.join(format!("turn-{turn}/sections/sections.json"))).unwrap();
        serde_json::from_slice::<Value>(&file).unwrap()["extent"][1].as_f64().unwrap()
    };
    assert_eq!(height(1) - height(0), 80.0);
    let asked = server.requests().len();
    let better = [&refine[..], &["--keep-better"]].concat();
    let (code, stdout, _) = runs(&server, &better).await;
    assert_eq!((code, server.requests().len()), (0, asked), "nothing is asked twice");
    assert!(stdout.contains("turn 0 is better than the last one and was written"), "{stdout}");
    assert!(std::fs::read_to_string(out.join("refined.html")).unwrap().contains("padding: 240px"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_checklist_is_what_most_models_propose() {
    let base = tempfile::tempdir().unwrap();
    let out = base.path().join("task.json");
    let server = Server::answering(|request, _| {
        if system(request).contains("You merge their lists") {
            return Turn::Json(json!({"criteria": [
                {"set": "functional", "text": "Items can be added.", "lists": [1, 2, 3]},
                {"set": "visual", "text": "It is dark.", "lists": [2]}
            ]}));
        }
        Turn::Json(json!({"functional": ["Items can be added."], "content": [], "visual": []}))
    })
    .await;
    let path = out.to_str().unwrap();
    let models = ["--model", "a", "--model", "b", "--model", "c"];
    let arguments = [&["checklist", "--requirement", "a to-do list", "--out", path], &models[..]].concat();
    let (code, _, stderr) = runs(&server, &arguments).await;
    assert_eq!(code, 0, "{stderr}");
    assert!(stderr.contains("1 criteria were dropped"), "{stderr}");
    let task: Value = serde_json::from_slice(&std::fs::read(&out).unwrap()).unwrap();
    assert_eq!(task["criteria"]["functional"], json!([{"id": "F1", "text": "Items can be added."}]));
    assert_eq!(task["criteria"]["visual"], json!([]));
    assert_eq!(server.requests().len(), 4);
    // What may have been edited is not written over; the recording answers without a network.
    assert_eq!(runs(&server, &arguments).await.0, 2);
    let recorded = base.path().join("task.exchanges.jsonl");
    let replay = ["checklist", "--requirement", "a to-do list", "--replay", recorded.to_str().unwrap()];
    let (code, printed, stderr) =
        outcome(webeval().args(replay).args(models).args(["--base-url", "http://127.0.0.1:9"]));
    assert_eq!(code, 0, "{stderr}");
    assert_eq!(serde_json::from_str::<Value>(&printed).unwrap(), task);
    let other = ["checklist", "--requirement", "a list", "--model", "z", "--replay", recorded.to_str().unwrap()];
    let (code, _, stderr) = outcome(webeval().args(other));
    assert_eq!(code, 2, "{stderr}");
    assert!(stderr.contains("was recorded with a, not with z"), "{stderr}");
}

#[test]
fn evaluators_are_listed_and_every_mistake_is_named() {
    let (code, stdout, _) = outcome(webeval().args(["evaluators", "list"]));
    assert_eq!((code, stdout.lines().count()), (0, 6), "{stdout}");
    assert!(stdout.contains("screen-reader") && stdout.contains("45 points"), "{stdout}");
    let base = tempfile::tempdir().unwrap();
    let folder = base.path().to_str().unwrap();
    let good = json!({"format": 1, "id": "a", "name": "A", "persona": "You look.", "points": 1, "tools": ["screenshot"],
        "criteria": [{"id": "c", "name": "C", "instruction": "Whether it looks good.", "points": 1}]});
    let write = |name: &str, change: &dyn Fn(&mut Value)| {
        let mut evaluator = good.clone();
        change(&mut evaluator);
        std::fs::write(base.path().join(name), serde_json::to_string_pretty(&evaluator).unwrap()).unwrap();
    };
    write("a.json", &|_| {});
    let (code, stdout, _) = outcome(webeval().args(["evaluators", "check", folder]));
    assert_eq!((code, stdout.trim()), (0, "no mistakes; evaluators: 1"));
    write("b.json", &|e| (e["id"], e["tools"]) = (json!("b"), json!(["teleport"])));
    write("c.json", &|_| {});
    write("d.json", &|e| (e["id"], e["criteria"][0]["instruction"]) = (json!("d"), json!(" ")));
    write("e.json", &|e| (e["id"], e["criteria"][0]["points"]) = (json!("e"), json!(2)));
    let (code, _, stderr) = outcome(webeval().args(["evaluators", "check", folder]));
    assert_eq!(code, 2, "{stderr}");
    let expected = [
        "b.json:8: tools[0]: unknown variant `teleport`",
        "c.json:3: id: there is an evaluator \"a\" already",
        "d.json:12: criteria[0].instruction: criterion \"c\" has no text",
        "e.json:6: points: the criteria add up to 2 points, over the 1 of the evaluator",
    ];
    for (line, expected) in stderr.lines().zip(expected) {
        assert!(line.contains(expected), "{line}");
    }
    assert_eq!(stderr.lines().count(), 4, "{stderr}");
    // The same mistakes stop a judge before anything is sent.
    let run = base.path().join("run");
    deployed(&run);
    let judge = ["judge", run.to_str().unwrap(), "--method", "liveeval", "--model", "m", "--evaluators", folder];
    let (code, _, stderr) = outcome(webeval().args(judge).args(["--base-url", "http://127.0.0.1:9"]));
    assert_eq!(code, 2, "{stderr}");
    assert!(stderr.contains("b.json:8"), "{stderr}");
}

#[test]
fn bad_input_of_a_judge_is_one_clear_line() {
    let base = tempfile::tempdir().unwrap();
    let run = base.path().join("run");
    deployed(&run);
    let path = run.to_str().unwrap();
    let prompts = base.path().join("prompts");
    std::fs::create_dir(&prompts).unwrap();
    std::fs::write(prompts.join("alignmnet.txt"), "x").unwrap();
    let cassette = base.path().join("other.jsonl");
    let line = json!({"model": "other", "key": "k", "request": {"purpose": "p", "messages": [], "expect": {"expect": "text"}}});
    std::fs::write(&cassette, format!("{line}\n")).unwrap();
    let model = ["--model", "m"];
    for (arguments, word) in [
        (vec!["--method", "liveeval"], "needs --model"),
        (vec!["--review"], "--review goes with --method liveeval"),
        (vec!["--method", "telepathy"], "invalid value 'telepathy'"),
        (
            [&["--method", "liveeval", "--only", "nobody"], &model[..]].concat(),
            "there is no evaluator \"nobody\"; there are build",
        ),
        (
            [&["--prompts", prompts.to_str().unwrap()], &model[..]].concat(),
            "prompt alignmnet.txt: there is no such prompt",
        ),
        ([&["--replay", cassette.to_str().unwrap()], &model[..]].concat(), "was recorded with other, not with m"),
        ([&["--max-cost", "1"], &model[..]].concat(), "no prices are known for m"),
        (vec!["--method", "webcraft", "--model", "m"], "the trace has no steps"),
    ] {
        let (code, stdout, stderr) = outcome(webeval().args(["judge", path]).args(&arguments));
        assert_eq!((code, stdout.as_str()), (2, ""), "{arguments:?}: {stderr}");
        assert!(stderr.contains(word), "{arguments:?}: {stderr}");
    }
}

#[test]
fn tasks_of_other_benchmarks_become_task_files() {
    let base = tempfile::tempdir().unwrap();
    let (file, out) = (base.path().join("rows.jsonl"), base.path().join("tasks"));
    let rows = "{\"id\": \"a/1\", \"query\": \"a clock\"}\n{\"id\": \"a_1\", \"query\": \"a map\"}\n";
    std::fs::write(&file, rows).unwrap();
    let import = || {
        let mut command = webeval();
        command.args(["checklist", "--from", "liveevalbench", "--import"]).arg(&file).arg("--out").arg(&out);
        outcome(&mut command)
    };
    let (code, _, stderr) = import();
    assert_eq!(code, 0, "{stderr}");
    let requirement = |name: &str| webeval_judges::Task::read(&out.join(name)).unwrap().requirement;
    assert_eq!((requirement("a_1.json"), requirement("a_1-1.json")), ("a clock".to_owned(), "a map".to_owned()));
    let (code, _, stderr) = import();
    assert_eq!(code, 2, "a folder that is taken is left alone: {stderr}");
    std::fs::write(&file, "{\"id\": 1}\n").unwrap();
    assert_eq!(
        outcome(webeval().args(["checklist", "--from", "liveevalbench", "--import"]).arg(&file).args(["--out", "x"])).0,
        2
    );
}

/// The README's demonstration: of what three models proposed, the majority's is kept.
#[test]
fn a_recording_takes_the_place_of_models() {
    let cassette = repository().join("fixtures/cassettes/checklist.jsonl");
    let ask = |requirement: &str| {
        let models = ["--model", "demo-a", "--model", "demo-b", "--model", "demo-c", "--replay"];
        outcome(webeval().args(["checklist", "--requirement", requirement]).args(models).arg(&cassette))
    };
    let (code, stdout, stderr) = ask("a to-do list with filters");
    assert_eq!(code, 0, "{stderr}");
    let task: Value = serde_json::from_str(&stdout).unwrap();
    let count = |set: &str| task["criteria"][set].as_array().map(Vec::len);
    assert_eq!([count("functional"), count("content"), count("visual")], [Some(4), Some(1), Some(2)]);
    assert!(!stdout.contains("edited in place"), "one model's own idea is in no majority");
    let (code, stdout, stderr) = ask("a to-do list");
    assert_eq!((code, stdout.as_str()), (1, ""), "{stderr}");
    assert!(stderr.contains("a to-do list with filters"), "the nearest recorded request is shown: {stderr}");
}
