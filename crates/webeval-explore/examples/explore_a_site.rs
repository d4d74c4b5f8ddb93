//! Explores a running site without coverage and prints what the tester found.
use webeval_browser::{Driver, DriverOptions, Session, SessionOptions};
use webeval_evidence::{AppSource, RunDir, RunRecord, Settings};
use webeval_explore::{App, BuiltIn, Cancel, Cast, Options, explore};

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let origin = std::env::args().nth(1).unwrap_or_else(|| "http://127.0.0.1:8000".to_owned());
    let record = RunRecord::new(AppSource::Url { url: origin.clone() }, None, Settings::default());
    let dir = RunDir::create("run", &record)?;
    let driver = Driver::start(&DriverOptions::default()).await?;
    let mut session = Session::open(&driver, SessionOptions::new(origin)).await?;
    let cast = Cast { tester: &mut BuiltIn::new(0), advisor: None, probes: Vec::new() };
    let app = App { entry: "/".to_owned(), coverage: None };
    let explored = explore(&mut session, &app, &dir, &Options::default(), cast, &mut (), &Cancel::never()).await?;
    println!("{:?} after {} interactions: {:#?}", explored.ended, explored.interactions, dir.trace()?.summary);
    Ok(())
}
