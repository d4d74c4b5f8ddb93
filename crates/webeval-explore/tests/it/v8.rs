//! An app as it is, counted by V8, against the same app with counters, over the same actions.

use std::collections::BTreeMap;
use std::path::Path;

use webeval_browser::{Driver, Session, SessionOptions};
use webeval_evidence::{Action, ActionKind};
use webeval_explore::{App, Cancel, Cast, Options, RandomTester, explore};
use webeval_instrument::coverage::{COLLECT_DELTA, CoverageMap};

use crate::site::{Site, driver, run_dir};
use crate::stopped::StopAfter;

/// Leaves by a handler that is compiled when it is used, and runs once more on its way out.
const LEAVING: &str = r#"<!DOCTYPE html><title>First</title><link rel="icon" href="data:,">
<button onclick="go('second.html')">Go</button><button onclick="twice()">A</button><button onclick="twice()">B</button>
<script>
function go(to) { note("left"); location.href = to; }
function twice() { return 2; }
function note(what) { sessionStorage.setItem("note", what); }
addEventListener("pagehide", function leaving() { twice(); });
function never() { return () => 1; }
</script><script src="shared.js"></script>"#;

const SECOND: &str = r#"<!DOCTYPE html><title>Second</title><link rel="icon" href="data:,">
<a href="index.html">Back</a><script src="shared.js"></script><script>shared(3);</script>"#;

const SHARED: &str = "function shared(n) { return n > 2 ? large() : small(); }\nfunction large() { return 'large'; }\nfunction small() { return 'small'; }\nshared(1);\n";

/// The files of a fixture that is an app.
fn fixture(name: &str) -> Vec<(String, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/apps").join(name);
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let name = |path: &Path| path.file_name().unwrap().to_string_lossy().into_owned();
    entries.map(|path| (name(&path), std::fs::read_to_string(&path).unwrap())).collect()
}

/// Hits of all statements and functions by their files and ids. What nothing has been counted of, or has nothing to
/// count, is left out: a page that was never opened is not known to V8.
type Hits = BTreeMap<String, (Vec<u64>, Vec<(String, u64)>)>;

/// Hits as they are, or only whether there are any.
fn hits(map: &CoverageMap, exact: bool) -> Hits {
    let told = move |hits: u64| if exact { hits } else { hits.min(1) };
    let ran = map.files().filter(|file| file.s.values().chain(file.f.values()).any(|hits| *hits > 0));
    let functions = ran.map(|file| {
        let named = file.f.iter().filter_map(|(id, hits)| Some((file.fn_map.get(id)?.name.clone(), told(*hits))));
        (file.path.clone(), (file.s.values().copied().map(told).collect(), named.collect()))
    });
    functions.collect()
}

async fn explored(driver: &Driver, site: &Site, counters: bool, steps: u32, exact: bool) -> (Hits, Vec<String>) {
    let mut options = SessionOptions::new(&site.origin);
    options.offline = true;
    options.deterministic = Some(7);
    options.collect = counters.then(|| COLLECT_DELTA.to_owned());
    options.v8 = !counters;
    let mut session = Session::open(driver, options).await.unwrap();
    let root = tempfile::tempdir().unwrap();
    let dir = run_dir(&root);
    let app = App { entry: "/index.html".into(), coverage: counters.then(|| site.coverage.clone()) };
    let mut options = Options::default();
    options.steps = steps;
    options.screenshots = false;
    let cast = Cast { tester: &mut RandomTester::new(5), advisor: None, probes: Vec::new() };
    explore(&mut session, &app, &dir, &options, cast, &mut (), &Cancel::never()).await.unwrap();
    session.close().await.unwrap();
    let text = std::fs::read_to_string(dir.root().join("coverage.json")).unwrap();
    let trace = dir.trace().unwrap();
    // Each step accounts for what it covered, and the last one for everything.
    let map: CoverageMap = serde_json::from_str(&text).unwrap();
    let last = trace.steps.last().unwrap().coverage.unwrap().after;
    assert_eq!(last.functions.covered as usize, map.summary().functions.covered);
    let gained: u32 = trace.steps.iter().map(|step| step.coverage.unwrap().gain).sum();
    assert_eq!(gained, last.statements.covered);
    (hits(&map, exact), trace.steps.iter().map(|step| step.action.label()).collect())
}

/// Counts that differ, by what they are of.
fn differing(by_v8: &Hits, by_counters: &Hits) -> Vec<String> {
    let mut different = Vec::new();
    for (path, (statements, functions)) in by_counters {
        let Some((v8_statements, v8_functions)) = by_v8.get(path) else {
            different.push(format!("{path}: not known to V8"));
            continue;
        };
        for ((name, hits), (_, v8)) in functions.iter().zip(v8_functions).filter(|(a, b)| a != b) {
            different.push(format!("{path} {name}: counters {hits}, V8 {v8}"));
        }
        let pairs = statements.iter().zip(v8_statements).enumerate().filter(|(_, (a, b))| a != b);
        different.extend(pairs.map(|(at, (a, b))| format!("{path} statement {at}: counters {a}, V8 {b}")));
    }
    different
}

async fn compare(driver: &Driver, files: &[(String, String)], steps: u32, exact: bool) -> Hits {
    let files: Vec<(&str, &str)> = files.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect();
    let (counted, plain) = (Site::serve(&files).await, Site::plain(&files).await);
    let (by_counters, actions) = explored(driver, &counted, true, steps, exact).await;
    let (by_v8, same_actions) = explored(driver, &plain, false, steps, exact).await;
    assert_eq!(actions, same_actions);
    let different = differing(&by_v8, &by_counters);
    assert!(different.is_empty(), "{different:#?}");
    assert_eq!(by_v8.keys().collect::<Vec<_>>(), by_counters.keys().collect::<Vec<_>>());
    by_v8
}

#[tokio::test]
async fn apps_as_they_are_count_as_they_do_with_counters() {
    let Some(driver) = driver().await else { return };
    // A clock ticks in the dashboard, so how often is a matter of real time.
    for (name, steps, exact) in [("todo", 14, true), ("site", 10, true), ("dashboard", 14, false)] {
        let hits = compare(&driver, &fixture(name), steps, exact).await;
        assert!(hits.values().any(|(_, functions)| functions.iter().any(|(_, hits)| *hits > 0)), "{name}");
    }
}

#[tokio::test]
async fn what_a_document_does_on_its_way_out_is_counted() {
    let Some(driver) = driver().await else { return };
    let files = [("index.html", LEAVING), ("second.html", SECOND), ("shared.js", SHARED)];
    let site = Site::plain(&files).await;
    let mut options = SessionOptions::new(&site.origin);
    options.offline = true;
    options.v8 = true;
    let mut session = Session::open(&driver, options).await.unwrap();
    let root = tempfile::tempdir().unwrap();
    let dir = run_dir(&root);
    let app = App { entry: "/index.html".into(), coverage: None };
    let mut options = Options::default();
    options.steps = 3;
    options.screenshots = false;
    let mut tester = Clicks(vec!["B", "Go", "Back"]);
    let cast = Cast { tester: &mut tester, advisor: None, probes: Vec::new() };
    let done = explore(&mut session, &app, &dir, &options, cast, &mut (), &Cancel::never()).await.unwrap();
    assert!(done.coverage.is_some());
    let map: CoverageMap =
        serde_json::from_str(&std::fs::read_to_string(dir.root().join("coverage.json")).unwrap()).unwrap();
    let hits = hits(&map, true);
    let functions = |path: &str| hits[path].1.clone();
    // `index.html` was loaded twice and left once; of two handlers of the same text, one ran.
    let named = |name: &str| functions("index.html").iter().filter(|one| one.0 == name).map(|one| one.1).sum::<u64>();
    assert_eq!(["go", "twice", "note", "leaving", "never", "onclick"].map(named), [1, 2, 1, 1, 0, 2]);
    let shared = functions("shared.js");
    assert_eq!(shared, [("shared".into(), 4), ("large".into(), 1), ("small".into(), 3)]);
    assert_eq!(std::fs::read_to_string(dir.root().join("sources/shared.js")).unwrap(), SHARED);
}

#[tokio::test]
async fn a_later_sitting_goes_on_from_what_was_counted() {
    let Some(driver) = driver().await else { return };
    let site = Site::plain(&[("index.html", LEAVING), ("second.html", SECOND), ("shared.js", SHARED)]).await;
    let root = tempfile::tempdir().unwrap();
    let dir = run_dir(&root);
    let app = App { entry: "/index.html".into(), coverage: None };
    let mut options = Options::default();
    options.steps = 3;
    options.screenshots = false;
    for (clicks, stop) in [(vec!["B", "Go"], true), (vec!["A"], false)] {
        let mut session_options = SessionOptions::new(&site.origin);
        session_options.v8 = true;
        let mut session = Session::open(&driver, session_options).await.unwrap();
        let (canceller, cancel) = Cancel::pair();
        let cast = Cast { tester: &mut Clicks(clicks), advisor: None, probes: Vec::new() };
        let mut stop_after = StopAfter(if stop { 2 } else { 99 }, canceller);
        explore(&mut session, &app, &dir, &options, cast, &mut stop_after, &cancel).await.unwrap();
        session.close().await.unwrap();
        // As after kill -9: what is known then is in the logs.
        if stop {
            std::fs::remove_file(dir.root().join("coverage.json")).unwrap();
        }
    }
    let map: CoverageMap =
        serde_json::from_str(&std::fs::read_to_string(dir.root().join("coverage.json")).unwrap()).unwrap();
    let hits = hits(&map, true);
    let page = &hits["index.html"].1;
    let named = |name: &str| page.iter().filter(|one| one.0 == name).map(|one| one.1).sum::<u64>();
    assert_eq!(["go", "twice", "leaving", "onclick"].map(named), [1, 3, 1, 3]);
    assert_eq!(hits["shared.js"].1[0], ("shared".to_owned(), 4));
    let covered: Vec<u32> =
        dir.trace().unwrap().steps.iter().map(|step| step.coverage.unwrap().after.statements.covered).collect();
    assert!(covered.is_sorted() && covered.len() == 5, "{covered:?}");
}

/// Clicks what has these names, one after the other.
#[derive(Debug)]
struct Clicks(Vec<&'static str>);

impl webeval_explore::Tester for Clicks {
    fn name(&self) -> String {
        "clicks".to_owned()
    }

    fn decide<'a>(
        &'a mut self,
        situation: webeval_explore::Situation<'a>,
    ) -> webeval_explore::Waiting<'a, Result<webeval_explore::Decision, webeval_explore::Error>> {
        let name = self.0.remove(0);
        let node = situation.page.nodes.iter().find(|node| node.is_actionable() && node.name == name).unwrap();
        let action = Action { kind: ActionKind::Click { at: None }, target: Some(node.target()) };
        Box::pin(async move { Ok(webeval_explore::Decision { action, reason: Some(name.to_owned()) }) })
    }

    fn summarize<'a>(
        &'a mut self,
        _: webeval_explore::Situation<'a>,
    ) -> webeval_explore::Waiting<'a, Result<webeval_evidence::Summary, webeval_explore::Error>> {
        Box::pin(async { Ok(webeval_evidence::Summary::default()) })
    }
}
