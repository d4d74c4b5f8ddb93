//! Writes a page's sections to a folder and tells how long each time took, from a page that has just loaded, and the
//! most memory that this program took: `process_page PAGE.html OUT [TIMES]`.

use std::path::Path;
use std::time::Instant;

use webeval_browser::{Driver, DriverOptions, Session, SessionOptions};
use webeval_evidence::{Action, ActionKind};
use webeval_sections::process::{Options, process};

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut args = std::env::args().skip(1);
    let (Some(page), Some(out)) = (args.next(), args.next()) else { return Err("usage: PAGE.html OUT [TIMES]".into()) };
    let times: usize = args.next().and_then(|times| times.parse().ok()).unwrap_or(1);
    let driver = Driver::start(&DriverOptions::default()).await?;
    let mut options = SessionOptions::new("file://");
    options.offline = true;
    let mut session = Session::open(&driver, options).await?;
    let url = format!("app:{}", std::fs::canonicalize(page)?.display());
    let mut took = Vec::new();
    for _ in 0..times.max(1) {
        session.act(&Action { kind: ActionKind::Load { url: url.clone() }, target: None }).await?;
        let start = Instant::now();
        let files = process(&mut session, Path::new(&out), &Options::default()).await?;
        took.push(start.elapsed().as_millis());
        for file in files {
            println!("{} sections, {:.0} px tall, notes {:?}", file.sections.len(), file.extent[1], file.notes);
        }
    }
    took.sort_unstable();
    let status = std::fs::read_to_string("/proc/self/status")?;
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap_or("unknown").trim();
    println!("median {} ms of {took:?}, peak memory {peak}", took[took.len() / 2]);
    Ok(session.close().await?)
}
