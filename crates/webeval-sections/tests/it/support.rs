//! A browser on the fixtures.

use std::path::PathBuf;
use std::time::Duration;

use webeval_browser::{Driver, DriverOptions, Session, SessionOptions};
use webeval_evidence::{Action, ActionKind};
use webeval_sections::capture;

/// Path of a fixture.
pub(crate) fn fixture(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/sections").join(name).canonicalize().unwrap()
}

/// A session, or none where the machine has no chromedriver.
pub(crate) async fn browser() -> Option<Session> {
    let driver = match Driver::start(&DriverOptions::default()).await {
        Ok(driver) => driver,
        Err(error) => {
            eprintln!("skipped: {error}");
            return None;
        }
    };
    Some(Session::open(&driver, SessionOptions::new("file://")).await.unwrap())
}

/// Opens a page of the fixtures and brings it to rest.
pub(crate) async fn open(session: &mut Session, name: &str) {
    let url = format!("app:{}", fixture(name).display());
    session.step(&Action { kind: ActionKind::Load { url }, target: None }).await.unwrap();
    capture::prepare(session, Duration::from_secs(3)).await.unwrap();
}
