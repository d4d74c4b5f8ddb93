//! Writes a page's sections to a folder and tells how long it took: `process_page PAGE.html OUT [TIMES]`.

use std::path::Path;
use std::time::Instant;

use webeval_browser::{Driver, DriverOptions, Session, SessionOptions};
use webeval_evidence::{Action, ActionKind};
use webeval_sections::process::{Options, process};

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut args = std::env::args().skip(1);
    let (Some(page), Some(out)) = (args.next(), args.next()) else { return Err("usage: PAGE.html OUT".into()) };
    let driver = Driver::start(&DriverOptions::default()).await?;
    let mut options = SessionOptions::new("file://");
    options.offline = true;
    let mut session = Session::open(&driver, options).await?;
    let url = format!("app:{}", std::fs::canonicalize(page)?.display());
    session.step(&Action { kind: ActionKind::Load { url }, target: None }).await?;
    for _ in 1..args.next().and_then(|times| times.parse().ok()).unwrap_or(1) {
        let start = Instant::now();
        process(&mut session, Path::new(&out), &Options::default()).await?;
        println!("{} ms", start.elapsed().as_millis());
    }
    for file in process(&mut session, Path::new(&out), &Options::default()).await? {
        for section in file.sections {
            println!("{:>2} {:<30} {}", section.order, section.section.name, section.screenshot_path);
        }
    }
    Ok(session.close().await?)
}
