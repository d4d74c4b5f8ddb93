//! Something that is running already: explored and scored, without coverage and without touching it.

use axum::Router;
use axum::response::Html;
use axum::routing::get;
use webeval_evidence::{AppSource, DeployMode, RunDir, schema};

use crate::command::{browser_is_there, outcome, webeval};

const PAGE: &str = r#"<!doctype html><title>Lamp</title><link rel="icon" href="data:,">
<button onclick="this.textContent = this.textContent === 'On' ? 'Off' : 'On'">Off</button>"#;

#[tokio::test(flavor = "multi_thread")]
async fn a_url_is_explored_without_coverage() {
    if !browser_is_there() {
        return;
    }
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/lamp?x=1", listener.local_addr().unwrap());
    tokio::spawn(
        async move { axum::serve(listener, Router::new().route("/lamp", get(|| async { Html(PAGE) }))).await },
    );
    let base = tempfile::tempdir().unwrap();
    let out = base.path().join("run");
    let (code, stdout, stderr) = tokio::task::spawn_blocking({
        let (url, out) = (url.clone(), out.clone());
        move || outcome(webeval().args(["run", &url, "--steps", "6", "--out"]).arg(out))
    })
    .await
    .unwrap();
    assert_eq!(code, 0, "{stderr}");
    assert!(stdout.contains("black box"), "{stdout}");
    let run = RunDir::open(&out).unwrap();
    assert_eq!(schema::validate(run.root()).unwrap(), []);
    let record = run.run().unwrap();
    assert_eq!(record.app, AppSource::Url { url });
    assert_eq!(record.deployment.unwrap().mode, DeployMode::BlackBox);
    let trace = run.trace().unwrap();
    assert!(trace.steps.iter().all(|step| step.coverage.is_none()));
    let pages: Vec<String> =
        trace.steps.iter().filter_map(|step| step.snapshot.as_ref()).map(|page| run.load_text(page).unwrap()).collect();
    assert!(pages.iter().any(|page| page.contains(">On</button>")), "the lamp was never switched on");
    assert!(!out.join("coverage.json").exists());
}
