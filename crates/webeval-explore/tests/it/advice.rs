//! Hints reach the tester and are acted on; new states are probed.

use std::collections::BTreeMap;

use webeval_browser::Session;
use webeval_explore::{App, BuiltIn, BuiltInAdvisor, Cancel, Cast, Options, Probe, Waiting, explore};

use crate::site::{Site, driver, run_dir};

/// Nothing on the page tells that F9 does something.
const PAGE: &str = r#"<!DOCTYPE html><title>Keys</title><p>Nothing to see here.</p>
<script>
let opened = 0;
document.addEventListener("keydown", (event) => {
  if (event.key === "F9") {
    secret();
  }
});
function secret() { opened = 1; }
</script>"#;

#[derive(Debug, Default)]
struct Titles(u32);

impl Probe for Titles {
    fn inspect<'a>(&'a mut self, session: &'a mut Session) -> Waiting<'a, Option<serde_json::Value>> {
        self.0 += 1;
        Box::pin(async move { session.evaluate("return {title: document.title}", &[]).await.ok() })
    }
}

#[tokio::test]
async fn a_hint_after_a_plateau_makes_hidden_code_run() {
    let Some(driver) = driver().await else { return };
    let site = Site::serve(&[("index.html", PAGE)]).await;
    let mut reached = BTreeMap::new();
    for guided in [false, true] {
        let mut session = site.open(&driver).await;
        let root = tempfile::tempdir().unwrap();
        let dir = run_dir(&root);
        std::fs::create_dir_all(dir.root().join("sources")).unwrap();
        std::fs::write(dir.root().join("sources/index.html"), PAGE).unwrap();
        let app = App { entry: "/".into(), coverage: Some(site.coverage.clone()) };
        let mut options = Options::default();
        options.steps = 14;
        options.screenshots = false;
        let advisor = BuiltInAdvisor::default();
        let mut probe = Titles::default();
        let mut tester = BuiltIn::new(1);
        let cast = Cast { tester: &mut tester, advisor: guided.then_some(&advisor as _), probes: vec![&mut probe] };
        let done = explore(&mut session, &app, &dir, &options, cast, &mut (), &Cancel::never()).await.unwrap();
        let trace = dir.trace().unwrap();
        assert_eq!(!trace.hints.is_empty(), guided);
        if let Some(hint) = trace.hints.first() {
            // The load and three interactions without gain: one of them reached the handler.
            assert!(hint.after >= 3 && hint.text.contains("`F9`") && hint.text.contains("`secret`"), "{hint:?}");
        }
        // One structure, so one measurement, and it is stored.
        let probed: Vec<_> = trace.steps.iter().filter_map(|step| step.probe.clone()).collect();
        assert_eq!(dir.load_text(&probed[0]).unwrap(), r#"{"title":"Keys"}"#);
        assert_eq!(probed.len(), 1);
        reached.insert(guided, done.coverage.unwrap().functions.covered);
    }
    assert_eq!(reached, BTreeMap::from([(false, 1), (true, 2)]));
}
