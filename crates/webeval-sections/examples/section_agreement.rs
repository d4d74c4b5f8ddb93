//! Compares detected sections with hand-labelled ones, and a literal Algorithm 1 with the same:
//! `section_agreement LABELS.json ROOT`, where ROOT holds the repositories that the labels name.

use std::path::Path;
use std::time::Duration;

use serde::Deserialize;
use serde_json::json;
use webeval_browser::{Driver, DriverOptions, Session, SessionOptions};
use webeval_evidence::{Action, ActionKind, Rect};
use webeval_sections::section::{Layer, algorithm_1, b_cubed};
use webeval_sections::{capture, detect, measure};

type Failure = Box<dyn std::error::Error>;

#[derive(Deserialize)]
struct Labels {
    pages: Vec<Labelled>,
}

#[derive(Deserialize)]
struct Labelled {
    page: String,
    sections: Vec<Vec<String>>,
}

/// Boxes of groups of elements, each the smallest around all of them.
const BOXES: &str = "return JSON.stringify(arguments[0].map((group) => { \
    const boxes = group.flatMap((path) => [...document.querySelectorAll(path)].slice(0, 1)).map((e) => e.getBoundingClientRect()); \
    const x = Math.min(...boxes.map((b) => b.left)), y = Math.min(...boxes.map((b) => b.top)); \
    return { x: x + scrollX, y: y + scrollY, width: Math.max(...boxes.map((b) => b.right)) - x, \
             height: Math.max(...boxes.map((b) => b.bottom)) - y }; }))";

#[tokio::main]
async fn main() -> Result<(), Failure> {
    let mut args = std::env::args().skip(1);
    let (Some(labels), Some(root)) = (args.next(), args.next()) else { return Err("usage: LABELS.json ROOT".into()) };
    let labels: Labels = serde_json::from_slice(&std::fs::read(labels)?)?;
    let driver = Driver::start(&DriverOptions::default()).await?;
    let mut sums = [0.0; 2];
    println!("{:<52} {:>5} {:>5} {:>6} {:>5} {:>6}", "page", "true", "ours", "F", "alg1", "F");
    for labelled in &labels.pages {
        let (truth, found, literal, page) = cut(&driver, Path::new(&root), labelled).await?;
        let scores = [b_cubed(&found, &truth, page).f(), b_cubed(&literal, &truth, page).f()];
        sums.iter_mut().zip(scores).for_each(|(sum, score)| *sum += score);
        let [ours, theirs] = scores;
        println!(
            "{:<52} {:>5} {:>5} {ours:>6.3} {:>5} {theirs:>6.3}",
            labelled.page,
            truth.len(),
            found.len(),
            literal.len()
        );
    }
    let count = labels.pages.len() as f64;
    println!("mean F over {count} pages: ours {:.3}, algorithm 1 {:.3}", sums[0] / count, sums[1] / count);
    Ok(())
}

async fn cut(
    driver: &Driver,
    root: &Path,
    labelled: &Labelled,
) -> Result<(Vec<Rect>, Vec<Rect>, Vec<Rect>, Rect), Failure> {
    let mut options = SessionOptions::new("file://");
    options.offline = true;
    let mut session = Session::open(driver, options).await?;
    let path = root.join(&labelled.page).canonicalize()?;
    let load = ActionKind::Load { url: format!("app:{}", path.display()) };
    session.step(&Action { kind: load, target: None }).await?;
    capture::prepare(&mut session, Duration::from_secs(5)).await?;
    let answer = session.evaluate(BOXES, &[json!(labelled.sections)]).await?;
    let truth = serde_json::from_str(answer.as_str().unwrap_or("[]"))?;
    let page = capture::measure(&mut session, measure::Options::default()).await?;
    session.close().await?;
    let flow = detect(&page).into_iter().filter(|section| section.layer == Layer::Flow);
    let [width, height] = page.measurement().extent;
    let whole = Rect { x: 0.0, y: 0.0, width, height };
    Ok((truth, flow.map(|section| section.rect).collect(), algorithm_1(&page), whole))
}
