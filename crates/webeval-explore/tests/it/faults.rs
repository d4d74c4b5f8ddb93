//! Apps that hang, ask without end or take the browser down: each costs one recorded step, and the exploration goes on.

use std::time::Duration;

use webeval_browser::SessionOptions;
use webeval_evidence::{Action, ActionKind, OutcomeStatus, Summary, Target};
use webeval_explore::{App, Cancel, Cast, Decision, Ended, Error, Options, Situation, Tester, Waiting, explore};
use webeval_instrument::coverage::COLLECT_DELTA;

use crate::site::{Site, driver, run_dir};

const PAGE: &str = r#"<!DOCTYPE html><title>Bad</title><button id=good>Good</button><button id=loop>Loop</button><button id=many>Many</button>
<script>
let n = 0;
good.onclick = () => { n++; };
loop.onclick = () => { while (true) { n--; } };
many.onclick = () => { for (let i = 0; i < 10000; i++) alert("again"); };
</script>"#;

/// Does one thing after the other.
#[derive(Debug)]
struct Script(Vec<&'static str>);

impl Tester for Script {
    fn name(&self) -> String {
        "script".to_owned()
    }

    fn decide<'a>(&'a mut self, _: Situation<'a>) -> Waiting<'a, Result<Decision, Error>> {
        let action = match self.0.is_empty() {
            true => Action { kind: ActionKind::Finish, target: None },
            false => match self.0.remove(0) {
                "crash" => Action { kind: ActionKind::Load { url: "chrome://crash".to_owned() }, target: None },
                id => Action {
                    kind: ActionKind::Click { at: None },
                    target: Some(Target { selector: format!("#{id}"), ..Target::default() }),
                },
            },
        };
        Box::pin(async move { Ok(Decision { action, reason: Some("the script".to_owned()) }) })
    }

    fn summarize<'a>(&'a mut self, _: Situation<'a>) -> Waiting<'a, Result<Summary, Error>> {
        Box::pin(async { Ok(Summary::default()) })
    }
}

#[tokio::test]
async fn no_step_is_lost_or_told_twice() {
    let Some(driver) = driver().await else { return };
    let site = Site::serve(&[("index.html", PAGE)]).await;
    let mut options = SessionOptions::new(&site.origin);
    options.collect = Some(COLLECT_DELTA.to_owned());
    options.limit = Duration::from_secs(3);
    let mut session = webeval_browser::Session::open(&driver, options).await.unwrap();
    let root = tempfile::tempdir().unwrap();
    let dir = run_dir(&root);
    let app = App { entry: "/".into(), coverage: Some(site.coverage.clone()) };
    let mut options = Options::default();
    options.screenshots = false;
    let mut tester = Script(vec!["good", "loop", "good", "many", "good", "crash", "good"]);
    let cast = Cast { tester: &mut tester, advisor: None, probes: Vec::new() };
    let done = explore(&mut session, &app, &dir, &options, cast, &mut (), &Cancel::never()).await.unwrap();
    assert_eq!((done.ended, done.interactions), (Ended::Finished, 7));
    let steps = dir.trace().unwrap().steps;
    assert_eq!(steps.iter().map(|step| step.index).collect::<Vec<_>>(), (0..8).collect::<Vec<_>>());
    for (step, hurt) in steps.iter().zip([false, false, true, false, true, false, true, false]) {
        let lost = matches!(step.outcome.status, OutcomeStatus::TimedOut | OutcomeStatus::Crashed);
        assert_eq!(lost, hurt, "step {}: {:?}", step.index, step.outcome);
        assert_eq!(step.url, "app:/");
    }
    let covered: Vec<u32> = steps.iter().map(|step| step.coverage.unwrap().after.statements.covered).collect();
    assert!(covered.windows(2).all(|pair| pair[0] <= pair[1]), "{covered:?}");
}
