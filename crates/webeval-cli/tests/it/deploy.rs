//! `webeval deploy`, with apps that need no packages.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};

use serde_json::Value;
use webeval_evidence::{CoverageBy, DeployMode, FailureOwner, RunDir, Stage, schema};

use crate::command::{app, browser_is_there, outcome, webeval};

fn write(root: &Path, files: &[(&str, &str)]) {
    for (name, content) in files {
        let path = root.join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, content).unwrap();
    }
}

fn sandbox_is_there() -> bool {
    let there = |program: &str| std::process::Command::new(program).arg("--version").output().is_ok();
    let all = there("bwrap") && there("node");
    if !all {
        eprintln!("skipped: bubblewrap or node is missing (scripts/setup installs them)");
    }
    all
}

const SERVER: &str = r#"{"scripts": {"start": "node server.js"}}"#;

#[test]
fn a_static_app_is_accounted_for() {
    let base = tempfile::tempdir().unwrap();
    let out = base.path().join("run");
    let (code, stdout, stderr) = outcome(webeval().arg("deploy").arg(app("todo")).args(["--json", "--out"]).arg(&out));
    assert_eq!(code, 0, "{stderr}");
    let account: Value = serde_json::from_str(&stdout).unwrap();
    assert_eq!((&account["framework"], &account["mode"]), (&"static".into(), &"source".into()));
    assert!(account["url"].as_str().unwrap().starts_with("http://127.0.0.1:"));
    assert!(account["coverage"]["functions"].as_u64().unwrap() > 0);
    assert!(account["failure"].is_null() && account["steps"].as_array().unwrap().is_empty());
    assert_eq!(schema::validate(&out).unwrap(), []);
    assert!(RunDir::open(&out).unwrap().run().unwrap().is_done(Stage::Deploy));
}

#[test]
fn an_app_that_is_not_up_says_why_and_whose_fault_it_is() {
    if !sandbox_is_there() {
        return;
    }
    let base = tempfile::tempdir().unwrap();
    let (folder, out) = (base.path().join("app"), base.path().join("run"));
    write(&folder, &[("package.json", SERVER), ("server.js", "require('./lacking')")]);
    let (code, stdout, stderr) = outcome(webeval().arg("deploy").arg(&folder).args(["--json", "--out"]).arg(&out));
    assert_eq!(code, 1, "{stderr}");
    let account: Value = serde_json::from_str(&stdout).unwrap();
    assert_eq!((&account["failure"]["kind"], &account["failure"]["whose"]), (&"missing-file".into(), &"app".into()));
    assert_eq!(account["steps"][0]["command"], "npm start");
    assert!(stderr.trim_end().lines().last().unwrap().contains("lacking"), "{stderr}");
    let record = RunDir::open(&out).unwrap().run().unwrap();
    assert_eq!(record.deployment.unwrap().failure.unwrap().whose, FailureOwner::App);
    assert_eq!(record.stages[&Stage::Deploy].failure.as_ref().unwrap().whose, FailureOwner::App);
    assert_eq!(schema::validate(&out).unwrap(), []);
}

#[test]
fn what_cannot_be_is_bad_usage() {
    let base = tempfile::tempdir().unwrap();
    for (arguments, word) in [
        (vec!["deploy", "/no/such/app"], "does not exist"),
        (vec!["deploy", "x", "--framework", "cobol"], "sveltekit"),
        (vec!["deploy", "x", "--network", "some"], "cdn"),
    ] {
        let (code, _, stderr) = outcome(webeval().args(&arguments));
        assert_eq!(code, 2, "{arguments:?}: {stderr}");
        assert!(stderr.contains(word), "{stderr}");
    }
    // Without bubblewrap, nothing of an app is run.
    write(base.path(), &[("package.json", SERVER), ("server.js", "1")]);
    let (code, _, stderr) = outcome(webeval().arg("deploy").arg(base.path()).env("PATH", "/nowhere"));
    assert_eq!(code, 2, "{stderr}");
    assert!(stderr.contains("bubblewrap") && stderr.contains("--no-sandbox"), "{stderr}");
}

/// Whether a process sleeps for that long: a number that nothing else uses.
fn sleeps(mark: &str) -> bool {
    let processes = std::fs::read_dir("/proc").unwrap().filter_map(Result::ok);
    let lines = processes.filter_map(|process| std::fs::read(process.path().join("cmdline")).ok());
    lines.into_iter().any(|line| line == format!("sleep\0{mark}\0").into_bytes())
}

#[test]
fn everything_ends_with_us_even_when_we_are_killed() {
    if !sandbox_is_there() {
        return;
    }
    let base = tempfile::tempdir().unwrap();
    let mark = format!("4{}.375", std::process::id());
    let server = format!(
        "require('child_process').spawn('setsid', ['sleep', '{mark}'], {{detached: true, stdio: 'ignore'}}).unref();
         require('http').createServer((q, r) => r.end('up')).listen(process.env.PORT);"
    );
    // A long path, which sockets do not have.
    let (folder, temporary) = (base.path().join("app"), base.path().join("t".repeat(120)));
    std::fs::create_dir(&temporary).unwrap();
    write(&folder, &[("package.json", SERVER), ("server.js", &server)]);
    let mut child = webeval()
        .arg("deploy")
        .arg(&folder)
        .env("TMPDIR", &temporary)
        .arg("--serve")
        .stderr(Stdio::piped())
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    let lines = BufReader::new(child.stderr.take().unwrap()).lines();
    assert!(lines.map_while(Result::ok).any(|line| line.contains("up at http://127.0.0.1:")));
    let limit = Instant::now() + Duration::from_secs(5);
    while !sleeps(&mark) && Instant::now() < limit {
        std::thread::sleep(Duration::from_millis(20));
    }
    assert!(sleeps(&mark), "the test looks for the wrong thing");
    // SIGKILL: nothing of ours can run any more.
    child.kill().unwrap();
    child.wait().unwrap();
    let limit = Instant::now() + Duration::from_secs(5);
    while sleeps(&mark) && Instant::now() < limit {
        std::thread::sleep(Duration::from_millis(20));
    }
    assert!(!sleeps(&mark));
    // What it left behind goes when the next one comes.
    assert_eq!(std::fs::read_dir(&temporary).unwrap().count(), 1);
    let (code, _, stderr) = outcome(webeval().arg("deploy").arg(app("todo")).env("TMPDIR", &temporary));
    assert_eq!(code, 0, "{stderr}");
    assert_eq!(std::fs::read_dir(&temporary).unwrap().count(), 0);
}

/// An app whose build refuses sources with counters, and one whose server does: the way that each is counted by.
#[test]
fn an_app_that_takes_no_counters_is_counted_another_way() {
    if !(sandbox_is_there() && browser_is_there()) {
        return;
    }
    let page = "<!doctype html><title>x</title><link rel=icon href=data:,><button>Press</button><p></p><script src=app.js></script>";
    let script = "document.querySelector('button').onclick = function press() { document.querySelector('p').textContent += 'x'; };\nfunction never() { return 1; }\n";
    let check = "const fs = require('fs');\nif (fs.readFileSync(process.argv[2], 'utf8').includes('__coverage__')) process.exit(1);\n";
    let build = format!(
        "{check}fs.mkdirSync('dist');\nfor (const file of ['app.js', 'index.html']) fs.copyFileSync('src/' + file, 'dist/' + file);"
    );
    let server = "require('http').createServer((request, response) => {
  response.setHeader('content-type', request.url.endsWith('.js') ? 'text/javascript' : 'text/html');
  response.end(fs.readFileSync(request.url.endsWith('.js') ? 'public/app.js' : 'public/index.html'));
}).listen(process.env.PORT);";
    let built: &[(&str, &str)] = &[
        ("package.json", r#"{"scripts": {"build": "node build.config.js src/app.js"}}"#),
        ("build.config.js", &build),
        ("src/index.html", page),
        ("src/app.js", script),
    ];
    let guarded = format!("{check}{server}");
    let served: &[(&str, &str)] = &[
        ("package.json", r#"{"scripts": {"start": "node server.js public/app.js"}}"#),
        ("server.js", &guarded),
        ("public/index.html", page),
        ("public/app.js", script),
    ];
    let ways = [
        (built, DeployMode::Bundle, CoverageBy::Counters, "dist/app.js"),
        (served, DeployMode::BlackBox, CoverageBy::V8, "app.js"),
    ];
    for (files, mode, by, path) in ways {
        let base = tempfile::tempdir().unwrap();
        let (folder, out) = (base.path().join("app"), base.path().join("run"));
        write(&folder, files);
        let (code, stdout, stderr) =
            outcome(webeval().arg("run").arg(&folder).args(["--steps", "3", "--json", "--out"]).arg(&out));
        assert_eq!(code, 0, "{stderr}");
        let summary: Value = serde_json::from_str(&stdout).unwrap();
        let functions = &summary["coverage"]["functions"];
        assert_eq!((&functions["covered"], &functions["total"]), (&1.into(), &2.into()), "{path}: {stdout}");
        let record = RunDir::open(&out).unwrap().run().unwrap();
        assert_eq!((record.deployment.unwrap().mode, record.coverage_by), (mode, Some(by)));
        let coverage: Value = serde_json::from_slice(&std::fs::read(out.join("coverage.json")).unwrap()).unwrap();
        assert_eq!(coverage.as_object().unwrap().keys().collect::<Vec<_>>(), [path]);
        assert_eq!(std::fs::read_to_string(out.join("sources").join(path)).unwrap(), script);
        assert_eq!(schema::validate(&out).unwrap(), []);
    }
}

#[test]
fn a_run_uses_the_same_deployment() {
    if !(sandbox_is_there() && browser_is_there()) {
        return;
    }
    let base = tempfile::tempdir().unwrap();
    let (folder, out) = (base.path().join("app"), base.path().join("run"));
    let server = "const http = require('http'), fs = require('fs');
http.createServer((request, response) => {
  response.setHeader('content-type', request.url.endsWith('.js') ? 'text/javascript' : 'text/html');
  response.end(fs.readFileSync(request.url.endsWith('.js') ? 'public/app.js' : 'public/index.html'));
}).listen(process.env.PORT);";
    let page = "<!doctype html><title>x</title><button>Press</button><p></p><script src=app.js></script>";
    let script = "document.querySelector('button').onclick = function press() { document.querySelector('p').textContent += 'x'; };";
    write(
        &folder,
        &[("package.json", SERVER), ("server.js", server), ("public/index.html", page), ("public/app.js", script)],
    );
    let (code, stdout, stderr) =
        outcome(webeval().arg("run").arg(&folder).args(["--steps", "3", "--json", "--out"]).arg(&out));
    assert_eq!(code, 0, "{stderr}");
    let summary: Value = serde_json::from_str(&stdout).unwrap();
    assert_eq!(summary["coverage"]["functions"]["covered"], 1, "{stdout}");
    let deployment = RunDir::open(&out).unwrap().run().unwrap().deployment.unwrap();
    assert_eq!((deployment.mode, deployment.framework.as_str()), (DeployMode::Instrumented, "node"));
    let server: Value = serde_json::from_slice(&std::fs::read(out.join("coverage-server.json")).unwrap()).unwrap();
    assert_eq!(server.as_object().unwrap().keys().collect::<Vec<_>>(), ["server.js"]);
    assert_eq!(schema::validate(&out).unwrap(), []);
}
