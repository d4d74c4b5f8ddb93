//! The rules on pages whose faults were planted, and on one that only looks faulty to a ruler.

use std::collections::{BTreeMap, BTreeSet};

use webeval_browser::Session;
use webeval_evidence::Severity;
use webeval_sections::{Report, capture};

use crate::support::{browser, open};

type Answer = BTreeMap<String, BTreeSet<String>>;

/// What the page itself says was planted.
async fn answer(session: &mut Session) -> Answer {
    let text = session.evaluate("return document.getElementById('answer').textContent", &[]).await.unwrap();
    serde_json::from_str(text.as_str().unwrap()).unwrap()
}

/// Rules that were reported, with the elements; notes are no faults.
fn found(report: &Report) -> Answer {
    let mut found = Answer::new();
    for finding in report.findings.iter().filter(|finding| finding.severity > Severity::Note) {
        let rule = serde_json::to_value(finding.rule).unwrap().as_str().unwrap().to_owned();
        found.entry(rule).or_default().insert(finding.selector.clone());
    }
    found
}

#[tokio::test]
async fn every_planted_fault_is_found_and_nothing_else() {
    let Some(mut session) = browser().await else { return };
    open(&mut session, "pages/faults.html").await;
    let report = capture::check(&mut session).await.unwrap();
    assert_eq!(found(&report), answer(&mut session).await);
}

#[tokio::test]
async fn designs_that_measure_like_faults_are_left_alone() {
    let Some(mut session) = browser().await else { return };
    open(&mut session, "pages/sound.html").await;
    let report = capture::check(&mut session).await.unwrap();
    assert_eq!(found(&report), Answer::new(), "{:#?}", report.findings);
}

#[tokio::test]
async fn measuring_leaves_the_page_as_it_was() {
    let Some(mut session) = browser().await else { return };
    open(&mut session, "pages/sound.html").await;
    let watch = "window.seen = 0; new MutationObserver((all) => { window.seen += all.length; })\
                 .observe(document, { subtree: true, childList: true, attributes: true, characterData: true }); \
                 return document.documentElement.outerHTML";
    let before = session.evaluate(watch, &[]).await.unwrap();
    capture::check(&mut session).await.unwrap();
    let after = "return [document.documentElement.outerHTML, window.seen, scrollY]";
    let after = session.evaluate(after, &[]).await.unwrap();
    assert_eq!(after[0], before);
    assert_eq!(after[1], 0);
    assert_eq!(after[2], 0);
}
