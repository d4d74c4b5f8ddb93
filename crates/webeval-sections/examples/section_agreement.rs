//! Compares detected sections with hand-labelled ones, and with the same a literal Algorithm 1 and, given the script
//! `vips.js` of webis-de's comparison of segmentation algorithms, VIPS: `section_agreement LABELS.json ROOT [VIPS.js]`,
//! where ROOT holds the repositories that the labels name. Pages that are not there are left out, and named.

use std::path::Path;
use std::time::Duration;

use serde::Deserialize;
use serde_json::json;
use webeval_browser::{Driver, DriverOptions, Session, SessionOptions};
use webeval_evidence::{Action, ActionKind, Rect, Viewport};
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

/// Runs VIPS at the permitted degree of coherence that its authors' comparison uses, and takes the blocks that hold no
/// other block.
const RUN_VIPS: &str = "; const found = JSON.parse(new VipsTester().main('page', 5)).segmentations.vips; \
    const boxes = found.map(([[ring]]) => { const xs = ring.map((p) => p[0]), ys = ring.map((p) => p[1]); \
        const x = Math.min(...xs), y = Math.min(...ys); \
        return { x, y, width: Math.max(...xs) - x, height: Math.max(...ys) - y }; }).filter((b) => b.width > 0 && b.height > 0); \
    const key = (b) => [b.x, b.y, b.width, b.height].join(); \
    const distinct = [...new Map(boxes.map((b) => [key(b), b])).values()]; \
    const holds = (a, b) => a !== b && a.x <= b.x && a.y <= b.y && a.x + a.width >= b.x + b.width && a.y + a.height >= b.y + b.height; \
    return JSON.stringify(distinct.filter((a) => !distinct.some((b) => holds(a, b))))";

/// One page's sections by every method, the labels first.
struct Cut {
    truth: Vec<Rect>,
    found: Vec<(&'static str, Vec<Rect>)>,
    page: Rect,
}

#[tokio::main]
async fn main() -> Result<(), Failure> {
    let mut args = std::env::args().skip(1);
    let (Some(labels), Some(root)) = (args.next(), args.next()) else {
        return Err("usage: LABELS.json ROOT [VIPS.js]".into());
    };
    let vips = args.next().map(std::fs::read_to_string).transpose()?;
    let labels: Labels = serde_json::from_slice(&std::fs::read(labels)?)?;
    let driver = Driver::start(&DriverOptions::default()).await?;
    let mut sums: Vec<(&str, [f64; 4])> = Vec::new();
    let mut pages = 0.0;
    println!("{:<52} {:>5}  sections and F by method", "page", "true");
    for labelled in &labels.pages {
        let cut = match cut(&driver, Path::new(&root), labelled, vips.as_deref()).await {
            Ok(cut) => cut,
            Err(error) => {
                eprintln!("{}: left out: {error}", labelled.page);
                continue;
            }
        };
        pages += 1.0;
        print!("{:<52} {:>5}", labelled.page, cut.truth.len());
        for (at, (method, found)) in cut.found.iter().enumerate() {
            let f = b_cubed(found, &cut.truth, cut.page).f();
            let (cover, overlap) = cover(found, cut.page);
            print!("  {method} {:>3} {f:.3}", found.len());
            if sums.len() <= at {
                sums.push((method, [0.0; 4]));
            }
            let row = [found.len() as f64, cover, overlap, f];
            sums[at].1.iter_mut().zip(row).for_each(|(sum, value)| *sum += value);
        }
        println!();
    }
    println!("\nmeans over {pages} pages: {:>12} {:>8} {:>8} {:>8}", "sections", "cover", "overlap", "F");
    for (method, sum) in sums {
        let [count, cover, overlap, f] = sum.map(|sum| sum / pages);
        println!("{method:<24} {count:>12.1} {cover:>8.3} {overlap:>8.3} {f:>8.3}");
    }
    Ok(())
}

/// Share of the page that lies in some box, and in more than one.
fn cover(boxes: &[Rect], page: Rect) -> (f64, f64) {
    let edges = |of: fn(&Rect) -> [f64; 2], most: f64| {
        let mut edges: Vec<f64> = boxes.iter().flat_map(of).map(|edge| edge.clamp(0.0, most)).collect();
        edges.sort_by(f64::total_cmp);
        edges.dedup();
        edges
    };
    let columns = edges(|b| [b.x, b.x + b.width], page.width);
    let rows = edges(|b| [b.y, b.y + b.height], page.height);
    let (mut once, mut twice) = (0.0, 0.0);
    for x in columns.windows(2) {
        for y in rows.windows(2) {
            let (middle, area) = (((x[0] + x[1]) / 2.0, (y[0] + y[1]) / 2.0), (x[1] - x[0]) * (y[1] - y[0]));
            let holds = |b: &&Rect| {
                b.x <= middle.0 && middle.0 <= b.x + b.width && b.y <= middle.1 && middle.1 <= b.y + b.height
            };
            match boxes.iter().filter(holds).count() {
                0 => {}
                1 => once += area,
                _ => twice += area,
            }
        }
    }
    let all = page.width * page.height;
    ((once + twice) / all, twice / all)
}

async fn cut(driver: &Driver, root: &Path, labelled: &Labelled, vips: Option<&str>) -> Result<Cut, Failure> {
    let path = root.join(&labelled.page).canonicalize()?;
    let mut options = SessionOptions::new("file://");
    options.offline = true;
    let mut session = Session::open(driver, options).await?;
    let load = ActionKind::Load { url: format!("app:{}", path.display()) };
    session.act(&Action { kind: load, target: None }).await?;
    capture::prepare(&mut session, Duration::from_secs(5)).await?;
    let answer = session.evaluate(BOXES, &[json!(labelled.sections)]).await?;
    let truth = serde_json::from_str(answer.as_str().unwrap_or("[]"))?;
    let page = capture::measure(&mut session, measure::Options::default()).await?;
    let flow = detect(&page).into_iter().filter(|section| section.layer == Layer::Flow);
    let mut found = vec![("ours", flow.map(|section| section.rect).collect()), ("algorithm 1", algorithm_1(&page))];
    let [width, height] = page.measurement().extent;
    if let Some(script) = vips {
        // Its window has to be as tall as the page: it looks no further.
        let tall = Viewport { height: (height as u32).max(800), ..session.options().viewport };
        capture::set_viewport(&mut session, tall).await?;
        let answer = session.evaluate(&format!("{script}{RUN_VIPS}"), &[]).await?;
        found.push(("vips", serde_json::from_str(answer.as_str().unwrap_or("[]"))?));
    }
    session.close().await?;
    Ok(Cut { truth, found, page: Rect { x: 0.0, y: 0.0, width, height } })
}
