//! The same seed makes the same trace of a deterministic app.

use webeval_evidence::{Step, Timings};
use webeval_explore::{App, BuiltIn, Cancel, Cast, Options, explore};

use crate::site::{Site, driver, run_dir};

const PAGE: &str = r#"<!DOCTYPE html><title>Same</title>
<form id=f><input name=email type=email required><input name=age type=number min=1 max=120><select name=s><option>a<option>b</select><button>Send</button></form>
<a href=second.html>Second</a><button id=ask>Ask</button><ul id=out></ul>
<script>
f.addEventListener("submit", (event) => { event.preventDefault(); const row = document.createElement("li"); row.textContent = f.email.value; out.append(row); });
ask.onclick = () => { if (confirm("Really?")) out.innerHTML = ""; };
</script>"#;

const SECOND: &str = r#"<!DOCTYPE html><title>Second</title><a href=index.html>First</a><button onclick="go()">Go</button>
<script>function go() { document.title = "Gone"; console.log("gone"); }</script>"#;

#[tokio::test]
async fn the_same_seed_gives_the_same_trace() {
    let Some(driver) = driver().await else { return };
    let mut traces: Vec<Vec<String>> = Vec::new();
    for seed in [3, 3, 4] {
        let site = Site::serve(&[("index.html", PAGE), ("second.html", SECOND)]).await;
        let mut session = site.open(&driver).await;
        let root = tempfile::tempdir().unwrap();
        let dir = run_dir(&root);
        let app = App { entry: "/index.html".into(), coverage: Some(site.coverage.clone()) };
        let mut options = Options::default();
        options.steps = 18;
        options.screenshots = false;
        let cast = Cast { tester: &mut BuiltIn::new(seed), advisor: None, probes: Vec::new() };
        explore(&mut session, &app, &dir, &options, cast, &mut (), &Cancel::never()).await.unwrap();
        let untimed = |step: Step| serde_json::to_string(&Step { timings: Timings::default(), ..step }).unwrap();
        traces.push(dir.trace().unwrap().steps.into_iter().map(untimed).collect());
    }
    // Snapshots among the rest: they are named by their content. The origin, with its port, is nowhere.
    assert!(traces[0].iter().all(|step| !step.contains("127.0.0.1")));
    for (one, other) in traces[0].iter().zip(&traces[1]) {
        assert_eq!(one, other);
    }
    assert_ne!(traces[0], traces[2]);
}
