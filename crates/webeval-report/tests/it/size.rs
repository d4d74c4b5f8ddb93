//! Long runs.

use scraper::Html;
use webeval_evidence::*;
use webeval_states::{Observation, Options, StateGraph, identify};

use crate::page::{all, check_links, text};
use crate::sample;

/// A run of 100 steps, each with a screenshot of its own, part of it as hard to compress as a photograph, and
/// `structures` kinds of page.
fn long(root: &std::path::Path, structures: u32, pictures: bool) -> RunDir {
    let run = RunDir::create(root, &sample::record()).unwrap();
    let mut steps = Vec::new();
    let mut graph = StateGraph::new();
    let mut last = None;
    for index in 0..=100u32 {
        let accent = [u8::try_from(index * 2).unwrap(), 95, 191];
        let mut step =
            sample::step(index, ActionKind::Click { at: None }, sample::target("e1", "button", "Next", "#next"));
        if pictures {
            let picture = sample::screenshot(index % 9, accent, true);
            step.screenshot = Some(run.store(BlobKind::Screenshot, &picture).unwrap());
        }
        let page =
            format!("<main>{}<p>page {index}</p></main>", "<section><div>".repeat((index % structures) as usize));
        let mut seen = Observation::new(identify(&page, &Options::default()).unwrap(), u64::from(index));
        seen.screenshot = step.screenshot.as_ref().map(|shot| shot.as_str().to_owned());
        let id = graph.observe(seen);
        if let Some(last) = last.replace(id) {
            graph.transition(last, id, &format!("click Next {index}"), webeval_states::Outcome::Done, 0).unwrap();
        }
        steps.push(step);
    }
    sample::write_trace(&run, &steps, true);
    let names = (1..=101).map(|state| Some(format!("S{state}"))).collect();
    run.write_states(&StatesFile { format: FORMAT, steps: names, graph: serde_json::to_value(&graph).unwrap() })
        .unwrap();
    run
}

#[test]
fn a_hundred_steps_stay_under_eight_megabytes() {
    let folder = tempfile::tempdir().unwrap();
    let run = long(&folder.path().join("run"), 20, true);
    let html = webeval_report::report(&run).unwrap();
    assert!(html.len() < 8_000_000, "{} bytes", html.len());
    assert_eq!(html.matches("url(data:image/").count(), 101);
    let page = Html::parse_document(&html);
    check_links(&page);
    // 101 states of 20 structures: drawn as 20 boxes, listed one by one.
    assert_eq!(all(&page, "svg.graph a.node").len(), 20);
    assert_eq!(all(&page, ".cards > li").len(), 101);
    assert!(text(&all(&page, "#states")[0]).contains("There are too many states to draw one by one"));
}

#[test]
fn more_structures_than_can_be_drawn_are_ranked() {
    let folder = tempfile::tempdir().unwrap();
    let run = long(&folder.path().join("run"), 90, false);
    let page = Html::parse_document(&webeval_report::report(&run).unwrap());
    assert_eq!(all(&page, "svg.graph a.node").len(), 60);
    assert!(text(&all(&page, "#states")[0]).contains("30 less visited groups of states left out"));
}
