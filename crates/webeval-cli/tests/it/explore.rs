//! Who explores and who advises; the trace repeated, and written as a test.

use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};
use webeval_evidence::{AdvisorKind, RunDir, TesterKind};

use crate::command::{app, browser_is_there, outcome, webeval};
use crate::support::{Server, Turn};

/// Four functions; the one of the key Insert is found by nobody who is not told of it.
const SECRETIVE: &str = r#"<!DOCTYPE html><title>Secret</title><button id=count>Count</button><p id=out>none</p>
<script>
let n = 0;
function count() { n++; out.textContent = n + " counted"; }
document.getElementById("count").addEventListener("click", () => count());
document.addEventListener("keydown", (event) => { if (event.key === "Insert") secret(); });
function secret() { out.textContent = "found"; }
</script>"#;

fn page(base: &Path, text: &str) -> std::path::PathBuf {
    let folder = base.join("app");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("index.html"), text).unwrap();
    folder
}

fn explore(run: &Path, arguments: &[&str]) -> (i32, Value, String) {
    let mut command = webeval();
    command.arg("explore").arg(run).arg("--json").args(arguments).env("OPENAI_API_KEY", "sk-test");
    let (code, stdout, stderr) = outcome(&mut command);
    (code, serde_json::from_str(&stdout).unwrap_or_default(), stderr)
}

fn covered(run: &Path) -> (u32, u32) {
    let trace = RunDir::open(run).unwrap().trace().unwrap();
    let functions = trace.steps.last().unwrap().coverage.unwrap().after.functions;
    (functions.covered, functions.total)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_model_advises_the_built_in_tester() {
    if !browser_is_there() {
        return;
    }
    let server = Server::answering(|_, number| match number {
        // An answer that breaks the schema is sent back once.
        0 => Turn::Json(json!({"suggestions": "Press Insert."})),
        1 => Turn::Json(json!({"suggestions": ["Press the key\n `Insert`.", ""]})),
        _ => Turn::Json(json!({"suggestions": []})),
    })
    .await;
    let base = tempfile::tempdir().unwrap();
    let folder = page(base.path(), SECRETIVE).display().to_string();
    let [guided, alone] = ["guided", "alone"].map(|name| base.path().join(name));
    let url = server.url.clone();
    let (with, without) = tokio::task::spawn_blocking({
        let (guided, alone) = (guided.clone(), alone.clone());
        move || {
            let common = ["--app", &folder, "--steps", "40", "--tester", "built-in"];
            let model = ["--advisor", "model", "--model", "scripted", "--base-url", &url];
            (
                explore(&guided, &[&common[..], &model].concat()),
                explore(&alone, &[&common[..], &["--advisor", "off"]].concat()),
            )
        }
    })
    .await
    .unwrap();
    assert_eq!((with.0, without.0), (0, 0), "{} {}", with.2, without.2);
    // The answer that is printed says how much was covered; the listener, the handlers, count and secret are functions.
    assert_eq!(with.1["coverage"]["functions"], json!({"covered": 4, "total": 4}));
    assert_eq!((covered(&guided), covered(&alone)), ((4, 4), (3, 4)));

    let run = RunDir::open(&guided).unwrap();
    let settings = run.run().unwrap().settings;
    assert_eq!((settings.tester, settings.advisor), (TesterKind::BuiltIn, AdvisorKind::Model));
    let hints = run.trace().unwrap().hints;
    assert_eq!((hints[0].advisor.as_str(), hints[0].text.as_str()), ("scripted", "Press the key `Insert`."));
    assert!(RunDir::open(&alone).unwrap().trace().unwrap().hints.is_empty());
    // The advisor is shown the code that has not run, and the page; the code that has run is not its business.
    let asked = server.requests()[0]["messages"].to_string();
    for shown in ["function secret()", "the event keydown", "button \\\\\\\"Count\\\\\\\"", "app:/"] {
        let plain = shown.replace("\\\\\\\"", "\\\"");
        assert!(asked.contains(shown) || asked.contains(&plain), "{shown} is not in {asked}");
    }
    assert!(!asked.contains("n + \\\" counted\\\""), "{asked}");
}

#[test]
fn who_explores_is_kept_and_a_model_has_to_be_named() {
    let base = tempfile::tempdir().unwrap();
    let folder = page(base.path(), SECRETIVE).display().to_string();
    let run = base.path().join("run");
    for option in ["--tester", "--advisor"] {
        let (code, _, stderr) = explore(&run, &["--app", &folder, option, "model"]);
        assert_eq!((code, stderr.contains("--model"), run.exists()), (2, true, false), "{stderr}");
    }
    if !browser_is_there() {
        return;
    }
    let (code, _, stderr) = explore(&run, &["--app", &folder, "--tester", "random", "--steps", "4", "--deterministic"]);
    assert_eq!(code, 0, "{stderr}");
    let settings = RunDir::open(&run).unwrap().run().unwrap().settings;
    assert_eq!((settings.tester, settings.deterministic, settings.exclude_external), (TesterKind::Random, true, true));
    let mut resumed = webeval();
    resumed.arg("run").arg(&folder).args(["--resume", "--tester", "built-in", "--out"]).arg(&run);
    let (code, _, stderr) = outcome(&mut resumed);
    assert_eq!((code, stderr.contains("other settings")), (2, true), "{stderr}");

    // A repetition begins with nothing covered, and takes other settings.
    let (code, _, stderr) = explore(&run, &["--repeat", "--tester", "built-in", "--steps", "3"]);
    assert_eq!(code, 0, "{stderr}");
    let trace = RunDir::open(&run).unwrap().trace().unwrap();
    assert_eq!((trace.steps.len(), trace.steps[0].coverage.unwrap().before.statements.covered), (4, 0));
    assert_eq!(RunDir::open(&run).unwrap().run().unwrap().settings.tester, TesterKind::BuiltIn);
}

#[test]
fn scripts_of_others_are_counted_on_demand() {
    if !browser_is_there() {
        return;
    }
    let base = tempfile::tempdir().unwrap();
    let folder = page(
        base.path(),
        "<!DOCTYPE html><script src=vendor/lib.js></script><script>function own() {} own();</script>",
    );
    std::fs::create_dir(folder.join("vendor")).unwrap();
    std::fs::write(folder.join("vendor/lib.js"), "function one() {} function two() {}").unwrap();
    let folder = folder.display().to_string();
    for (option, functions) in [("--exclude-external", 1), ("--exclude-external=false", 3)] {
        let run = base.path().join(option);
        let (code, told, stderr) = explore(&run, &["--app", &folder, "--steps", "1", option]);
        assert_eq!((code, &told["coverage"]["functions"]["total"]), (0, &json!(functions)), "{option}: {stderr}");
    }
}

fn replay(run: &Path, arguments: &[&str]) -> (i32, Value, String) {
    let (code, stdout, stderr) = outcome(webeval().arg("replay").arg(run).arg("--json").args(arguments));
    (code, serde_json::from_str(&stdout).unwrap_or_default(), stderr)
}

#[test]
fn a_replay_says_where_the_app_diverges() {
    if !browser_is_there() {
        return;
    }
    let base = tempfile::tempdir().unwrap();
    let folder = page(base.path(), SECRETIVE);
    let run = base.path().join("run");
    let (code, _, stderr) = explore(&run, &["--app", &folder.display().to_string(), "--steps", "6"]);
    assert_eq!(code, 0, "{stderr}");
    let before = std::fs::read(run.join("trace.jsonl")).unwrap();
    let (code, told, stderr) = replay(&run, &[]);
    assert_eq!((code, &told["steps"], &told["diverges_at"]), (0, &json!(7), &Value::Null), "{stderr} {told}");

    let (code, told, _) = replay(&run, &["--until", "0", "--explain", "#out"]);
    assert_eq!((code, &told["steps"], &told["explanation"]["shown"]), (0, &json!(1), &json!(true)), "{told}");

    // The button gets another name, and what it does fails: the first click on it diverges by both.
    let clicked =
        RunDir::open(&run).unwrap().trace().unwrap().steps.iter().position(|step| step.action.kind.name() == "click");
    page(base.path(), &SECRETIVE.replace(">Count<", ">Go<").replace("n++;", "n++; throw new Error('no');"));
    let (code, told, stderr) = replay(&run, &[]);
    assert_eq!(code, 1, "{stderr}");
    let first = &told["divergences"][0];
    let name = |one: &Value| one["difference"].as_str().unwrap_or_default().to_owned();
    assert_eq!(told["diverges_at"], first["step"]);
    let at_click: Vec<String> = told["divergences"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|one| one["step"].as_u64() == clicked.map(|step| step as u64))
        .map(name)
        .collect();
    assert!(at_click.contains(&"target".to_owned()) && at_click.contains(&"errors".to_owned()), "{told}");
    assert_eq!(std::fs::read(run.join("trace.jsonl")).unwrap(), before, "a replay writes nothing");

    let (code, _, stderr) = replay(base.path(), &[]);
    assert_eq!(code, 2, "{stderr}");
}

#[test]
fn a_trace_becomes_a_playwright_test() {
    if !browser_is_there() {
        return;
    }
    let base = tempfile::tempdir().unwrap();
    let run = base.path().join("run");
    let (code, _, stderr) =
        explore(&run, &["--app", &app("widgets").display().to_string(), "--steps", "40", "--export", "playwright"]);
    assert_eq!(code, 0, "{stderr}");
    let file = run.join("playwright.spec.mjs");
    let first = std::fs::read_to_string(&file).unwrap();
    assert!(
        first.contains("await page.goto(base + \"/index.html\")") || first.contains("await page.goto(base + \"/\")"),
        "{first}"
    );
    assert!(
        !first.contains("127.0.0.1:") || first.matches("127.0.0.1:").count() == first.matches("127.0.0.1:8080").count()
    );
    // Of a run that is explored, only the test is written.
    std::fs::remove_file(&file).unwrap();
    let steps = RunDir::open(&run).unwrap().trace().unwrap().steps.len();
    assert_eq!(explore(&run, &["--export", "playwright"]).0, 0);
    assert_eq!(std::fs::read_to_string(&file).unwrap(), first);
    assert_eq!(RunDir::open(&run).unwrap().trace().unwrap().steps.len(), steps);
    match Command::new("node").arg("--check").arg(&file).output() {
        Ok(checked) => assert!(checked.status.success(), "{}", String::from_utf8_lossy(&checked.stderr)),
        Err(error) => eprintln!("not checked by node: {error}"),
    }
}
