//! Long runs.

use scraper::Html;
use webeval_evidence::*;
use webeval_states::{Observation, Options, StateGraph, identify};

use crate::page::{all, check_links, text};
use crate::sample;

/// Numbers that look random and are the same every time (Numerical Recipes' generator).
struct Dice(u32);

impl Dice {
    fn below(&mut self, limit: u32) -> u32 {
        self.0 = self.0.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (self.0 >> 8) % limit
    }
}

/// A run of 100 steps. Every step shows a page that was not seen before, its screenshot in part as hard to compress
/// as a photograph; the pages are of `structures` kinds. With `walk`, a step now and then goes back to a page seen
/// before.
fn long(root: &std::path::Path, structures: u32, pictures: bool, walk: bool) -> RunDir {
    let run = RunDir::create(root, &sample::record()).unwrap();
    let mut dice = Dice(7);
    let (mut steps, mut reached) = (Vec::new(), Vec::new());
    let mut graph = StateGraph::new();
    for index in 0..=100u32 {
        let page = if walk && dice.below(3) > 0 { dice.below(1 + index / 4) } else { index };
        let step = sample::step(index, ActionKind::Click { at: None }, sample::target("e1", "button", "Next", "#next"));
        let accent = [u8::try_from(page * 2).unwrap(), 95, 191];
        let picture = pictures.then(|| sample::screenshot(page % 9, accent, true));
        let screenshot = picture.map(|picture| run.store(BlobKind::Screenshot, &picture).unwrap());
        let html = format!("<main>{}<p>page {page}</p></main>", "<section><div>".repeat((page % structures) as usize));
        let mut seen = Observation::new(identify(&html, &Options::default()).unwrap(), u64::from(index));
        seen.title = format!("Page {page} of the shop");
        seen.screenshot = screenshot.as_ref().map(|shot| shot.as_str().to_owned());
        let id = graph.observe(seen);
        if let Some(Some(last)) = reached.last() {
            let action = format!("click button \"Open page {page}\"");
            graph.transition(*last, id, &action, webeval_states::Outcome::Done, 0).unwrap();
        }
        reached.push(Some(id));
        steps.push(Step { screenshot, ..step });
    }
    sample::write_trace(&run, &steps, true);
    run.write_states(&StatesFile { format: FORMAT, steps: reached, graph }).unwrap();
    run
}

#[test]
fn a_hundred_steps_stay_under_eight_megabytes() {
    let folder = tempfile::tempdir().unwrap();
    let run = long(&folder.path().join("run"), 20, true, false);
    let html = webeval_report::report(&run).unwrap();
    assert!(html.len() < 8_000_000, "{} bytes", html.len());
    assert_eq!(html.matches("url(data:image/").count(), 101);
    let page = Html::parse_document(&html);
    check_links(&page);
    // 101 states of 20 structures: 20 boxes and 20 cards.
    assert_eq!(all(&page, "svg.graph a.node").len(), 20);
    assert_eq!(all(&page, ".cards > li").len(), 20);
    let states = text(&all(&page, "#states")[0]);
    assert!(states.contains("101 states and 100 transitions") && states.contains("too many states to show one by one"));
}

#[test]
fn more_structures_than_can_be_drawn_are_ranked() {
    let folder = tempfile::tempdir().unwrap();
    let run = long(&folder.path().join("run"), 90, false, false);
    let page = Html::parse_document(&webeval_report::report(&run).unwrap());
    assert_eq!(all(&page, "svg.graph a.node").len(), 60);
    assert!(text(&all(&page, "#states")[0]).contains("30 less visited boxes left out"));
}

#[test]
#[ignore = "writes a run to look at, into the target folder"]
fn write_a_long_run_to_look_at() {
    let folder = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("long-run");
    let _ = std::fs::remove_dir_all(&folder);
    let page = webeval_report::write(&long(&folder, 200, true, true)).unwrap();
    eprintln!("{}", page.display());
}
