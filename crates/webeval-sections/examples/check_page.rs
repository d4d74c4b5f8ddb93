//! Measures pages and prints what is wrong with them: `check_page PAGE.html…`

use std::time::Duration;

use webeval_browser::{Driver, DriverOptions, Session, SessionOptions};
use webeval_evidence::{Action, ActionKind, Severity};
use webeval_sections::capture;

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let driver = Driver::start(&DriverOptions::default()).await?;
    for path in std::env::args().skip(1) {
        let mut options = SessionOptions::new("file://");
        options.offline = true;
        let mut session = Session::open(&driver, options).await?;
        let url = format!("app:{}", std::fs::canonicalize(&path)?.display());
        session.step(&Action { kind: ActionKind::Load { url }, target: None }).await?;
        capture::prepare(&mut session, Duration::from_secs(5)).await?;
        let report = capture::check(&mut session).await?;
        println!("{path}: {:?}", report.scores);
        for finding in report.findings.iter().filter(|finding| finding.severity > Severity::Note) {
            let seen = if finding.visible_error { "seen " } else { "" };
            println!("  {seen}{:?} {} ×{} [{}]", finding.severity, finding.message, finding.count, finding.selector);
        }
        session.close().await?;
    }
    Ok(())
}
