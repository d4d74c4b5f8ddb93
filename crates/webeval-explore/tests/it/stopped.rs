//! An exploration that is stopped, or killed, is gone on from: no step is lost or told twice.

use webeval_evidence::{ActionKind, Step};
use webeval_explore::{App, BuiltIn, Cancel, Canceller, Cast, Ended, Events, Options, explore};

use crate::site::{Site, driver, run_dir};

const PAGE: &str = r#"<!DOCTYPE html><title>Stop</title><button id=a>One</button><button id=b>Two</button><button id=c>Three</button>
<script>
let n = 0;
a.onclick = () => { n = 1; };
b.onclick = () => { n = 2; location.hash = "b"; };
c.onclick = () => { n = 3; };
</script>"#;

/// Stops after so many steps.
pub(crate) struct StopAfter(pub(crate) u32, pub(crate) Canceller);

impl Events for StopAfter {
    fn step(&mut self, step: &Step) {
        if step.index >= self.0 {
            self.1.cancel();
        }
    }
}

#[tokio::test]
async fn a_stopped_exploration_goes_on_where_it_was() {
    let Some(driver) = driver().await else { return };
    let site = Site::serve(&[("index.html", PAGE)]).await;
    let root = tempfile::tempdir().unwrap();
    let dir = run_dir(&root);
    let app = App { entry: "/".into(), coverage: Some(site.coverage.clone()) };
    let mut options = Options::default();
    options.steps = 8;
    options.screenshots = false;

    let mut session = site.open(&driver).await;
    let (canceller, cancel) = Cancel::pair();
    let cast = Cast { tester: &mut BuiltIn::new(1), advisor: None, probes: Vec::new() };
    let first = explore(&mut session, &app, &dir, &options, cast, &mut StopAfter(3, canceller), &cancel).await.unwrap();
    assert_eq!((first.ended, first.interactions), (Ended::Cancelled, 3));
    assert!(dir.trace().unwrap().summary.is_none());
    drop(session);

    // As after kill -9 in the middle of writing: coverage.json was not written, the trace's last line is torn.
    std::fs::remove_file(dir.root().join("coverage.json")).unwrap();
    let trace = dir.root().join("trace.jsonl");
    let mut text = std::fs::read_to_string(&trace).unwrap();
    text.push_str("{\"type\":\"step\",\"index\":4,\"act");
    std::fs::write(&trace, text).unwrap();

    let mut session = site.open(&driver).await;
    let cast = Cast { tester: &mut BuiltIn::new(1), advisor: None, probes: Vec::new() };
    let second = explore(&mut session, &app, &dir, &options, cast, &mut (), &Cancel::never()).await.unwrap();
    assert_eq!((second.ended, second.interactions), (Ended::Budget, 8));
    let trace = dir.trace().unwrap();
    // The load, three interactions, the load of the second sitting, five more.
    assert_eq!(trace.steps.iter().map(|step| step.index).collect::<Vec<_>>(), (0..10).collect::<Vec<_>>());
    let loads: Vec<u32> = trace
        .steps
        .iter()
        .filter(|step| matches!(step.action.kind, ActionKind::Load { .. }) && step.reason.is_none())
        .map(|step| step.index)
        .collect();
    assert_eq!(loads, [0, 4]);
    // Coverage is carried over and never falls.
    let covered: Vec<u32> = trace.steps.iter().map(|step| step.coverage.unwrap().after.statements.covered).collect();
    assert!(covered.windows(2).all(|pair| pair[0] <= pair[1]), "{covered:?}");
    assert!(covered[4] >= covered[3] && covered[3] > 1);
    assert!(trace.summary.is_some() && dir.root().join("coverage.json").is_file());

    // What is finished stays as it is.
    let mut session = site.open(&driver).await;
    let cast = Cast { tester: &mut BuiltIn::new(1), advisor: None, probes: Vec::new() };
    let third = explore(&mut session, &app, &dir, &options, cast, &mut (), &Cancel::never()).await.unwrap();
    assert_eq!((third.ended, dir.trace().unwrap().steps.len()), (Ended::Finished, 10));
}
