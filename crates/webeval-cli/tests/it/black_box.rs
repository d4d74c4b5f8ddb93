//! Something that is running already: explored and scored without touching it, counted by V8.

use axum::Router;
use axum::response::Html;
use axum::routing::get;
use webeval_evidence::{AppSource, CoverageBy, DeployMode, RunDir, schema};
use webeval_instrument::coverage::CoverageMap;

use crate::command::{browser_is_there, outcome, webeval};

const PAGE: &str = r#"<!doctype html><title>Lamp</title><link rel="icon" href="data:,">
<button onclick="this.textContent = turned(this.textContent)">Off</button>
<script>
function turned(what) { return what === 'On' ? 'Off' : 'On'; }
function never() { return 1; }
</script>"#;

#[tokio::test(flavor = "multi_thread")]
async fn a_url_is_explored_with_the_coverage_that_v8_tells() {
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
    // The handler and `turned`, but not `never`.
    assert!(stdout.contains("functions covered       66.7 % (2 of 3)"), "{stdout}");
    let run = RunDir::open(&out).unwrap();
    assert_eq!(schema::validate(run.root()).unwrap(), []);
    let record = run.run().unwrap();
    assert_eq!(record.app, AppSource::Url { url });
    assert_eq!(record.deployment.unwrap().mode, DeployMode::BlackBox);
    assert_eq!(record.coverage_by, Some(CoverageBy::V8));
    let trace = run.trace().unwrap();
    assert!(trace.steps.iter().all(|step| step.coverage.is_some()));
    let pages: Vec<String> =
        trace.steps.iter().filter_map(|step| step.snapshot.as_ref()).map(|page| run.load_text(page).unwrap()).collect();
    assert!(pages.iter().any(|page| page.contains(">On</button>")), "the lamp was never switched on");
    let coverage: CoverageMap = serde_json::from_slice(&std::fs::read(out.join("coverage.json")).unwrap()).unwrap();
    let page = coverage.get("lamp.html").unwrap();
    let silent: Vec<&str> = page
        .fn_map
        .iter()
        .filter(|(id, _)| page.f.get(*id) == Some(&0))
        .map(|(_, function)| function.name.as_str())
        .collect();
    assert_eq!(silent, ["never"]);
    assert_eq!(std::fs::read_to_string(out.join("sources/lamp.html")).unwrap(), PAGE);
    let report = std::fs::read_to_string(out.join("report.html")).unwrap();
    assert!(report.contains("V8 counted what its scripts ran"));
}
