//! The rules on pages whose faults were planted, and on one that only looks faulty to a ruler.

use std::collections::{BTreeMap, BTreeSet};

use webeval_browser::Session;
use webeval_evidence::Severity;
use webeval_sections::{Metric, Report, capture};

use crate::support::{browser, fixture, open};

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

/// Beside each thing that is below a guideline its twin that is not.
const GUIDELINES: &str = r##"<!doctype html><html lang="en"><title>Guidelines</title>
<style>body { margin: 24px; font: 16px/1.5 sans-serif } .out { position: absolute; left: -120px; top: 1300px }
.in { position: absolute; left: 40px; top: 1500px } #results, #filled { height: 240px; width: 200px }
.cut { position: relative; overflow: hidden; width: 200px; height: 120px } .cut img { position: absolute; left: -120px }</style>
<h1>Guidelines</h1><h2>In order</h2><h4 id="skips">Skips a level</h4><h3>Back in order</h3>
<p id="grey" style="color: #808080">Grey that is a little too light.</p><p style="color: #757575">Grey that is just dark enough.</p>
<img id="first" src="SITE/dusk.png" alt="A view" width="240" height="160">
<img id="same-words" src="SITE/shore.png" alt="a view " width="240" height="160">
<img id="same-picture" src="SITE/dusk.png" alt="A view" width="240" height="160">
<img id="decoration-one" src="SITE/forest.png" alt="" width="240" height="160">
<img id="decoration-two" src="SITE/valley.png" alt="" width="240" height="160">
<section id="results"></section><section id="filled">Three hits</section>
<img id="over-the-edge" class="out" src="SITE/valley.png" alt="A valley" width="240" height="160">
<img class="in" src="SITE/valley.png" alt="A valley" width="240" height="160">
<div class="cut"><img src="SITE/forest.png" alt="A wood" width="240" height="160"></div></html>"##;

#[tokio::test]
async fn what_is_below_a_guideline_is_a_note_and_takes_nothing_off() {
    let Some(mut session) = browser().await else { return };
    let site = tempfile::tempdir().unwrap();
    let page = site.path().join("guidelines.html");
    std::fs::write(&page, GUIDELINES.replace("SITE", fixture("pictures").to_str().unwrap())).unwrap();
    open(&mut session, page.to_str().unwrap()).await;
    let report = capture::check(&mut session).await.unwrap();
    let notes = report.findings.iter().map(|finding| {
        let rule = serde_json::to_value(finding.rule).unwrap().as_str().unwrap().to_owned();
        (finding.severity, rule, finding.selector.as_str())
    });
    let notes: BTreeSet<(Severity, String, &str)> = notes.collect();
    let note = |rule: &str, selector| (Severity::Note, rule.to_owned(), selector);
    let expected = [
        note("heading-order", "#skips"),
        note("contrast", "#grey"),
        note("media-alt", "#same-words"),
        note("empty-section", "#results"),
        note("media-outside", "#over-the-edge"),
    ];
    assert_eq!(notes, BTreeSet::from(expected), "{:#?}", report.findings);
    assert!(report.scores.values().all(|&score| score == 5), "{:?}", report.scores);
}

/// What the page shows: of two writings of the button its own and the capitals, nothing that is hidden or closed.
const WORDS: &str = r#"<!doctype html><html lang="en"><title>In the title only</title><h1>Tides   &amp;
moorings</h1><p>Nine <b>euros</b> a day<br>and night</p><button style="text-transform: uppercase">Book now</button>
<input placeholder="Your berth"><p hidden>Sold out</p><p style="opacity: 0">Faded</p><p style="visibility: hidden">Gone</p>
<details><summary>More</summary><p>Closed</p></details><x-card></x-card><script>customElements.define("x-card", class extends HTMLElement {
connectedCallback() { this.attachShadow({ mode: "open" }).innerHTML = "<p>In the shadow</p>"; } })</script></html>"#;

#[tokio::test]
async fn required_words_are_looked_for_in_what_the_page_shows() {
    let Some(mut session) = browser().await else { return };
    let site = tempfile::tempdir().unwrap();
    let page = site.path().join("words.html");
    std::fs::write(&page, WORDS).unwrap();
    open(&mut session, page.to_str().unwrap()).await;
    // The last runs over from one block into the next: a text may be broken into blocks anyhow.
    let there = [
        "Tides & moorings",
        "Nine euros a day and night",
        "Book now",
        "BOOK NOW",
        "Your berth",
        "In the shadow",
        "moorings Nine euros",
    ];
    let missing = ["In the title only", "Sold out", "Faded", "Gone", "Closed", "nine euros", "Book later"];
    let required: Vec<String> = there.iter().chain(&missing).map(|&text| text.to_owned()).collect();
    let report = capture::check_for(&mut session, &required).await.unwrap();
    let told: Vec<&str> =
        report.findings.iter().filter(|f| f.metric == Metric::Ta).map(|finding| finding.message.as_str()).collect();
    let expected = missing.map(|text| format!("the page does not show “{text}”"));
    assert_eq!(told, expected);
    assert_eq!(report.scores[&Metric::Ta], 2);
    let report = capture::check_for(&mut session, &required[..1]).await.unwrap();
    assert_eq!(report.scores[&Metric::Ta], 5);
    assert_eq!(capture::check(&mut session).await.unwrap().scores.get(&Metric::Ta), None);
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
