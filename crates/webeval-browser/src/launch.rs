//! What a session is opened with, and how its browser is started.

use std::path::PathBuf;
use std::time::Duration;

use serde_json::{Map, json};
use webeval_evidence::Viewport;

use crate::Driver;
use crate::error::Error;
use crate::wire::Wire;

const BOOTSTRAP: &str = include_str!("page/bootstrap.js");
const LOOK: &str = include_str!("page/look.js");
const CLOCK: &str = include_str!("page/clock.js");

/// What is done about dialogs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum DialogPolicy {
    /// Answered at once: accepted the first time that a text is seen, dismissed the second, and so on in turn.
    Alternate,
    /// Left open for the tester to answer.
    Leave,
}

/// How a session behaves.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct SessionOptions {
    /// Size of the page, exactly.
    pub viewport: Viewport,
    /// Where the app is served, such as `http://127.0.0.1:4711`; what leads elsewhere is brought back.
    pub origin: String,
    /// Expression that gives the increments of coverage since its last reading as a JSON string, or nothing.
    pub collect: Option<String>,
    /// Whether V8 counts what the app's scripts run, for an app without counters. Needs the DevTools protocol.
    pub v8: bool,
    /// Longest time that one command may take.
    pub limit: Duration,
    /// Longest time to wait for a page to settle.
    pub settle: Duration,
    /// What is done about dialogs.
    pub dialogs: DialogPolicy,
    /// Most elements of a simplified tree.
    pub nodes: u32,
    /// Most times that a lost browser is started anew.
    pub restores: u32,
    /// Whether everything outside the app's host is refused by the browser's resolver.
    pub offline: bool,
    /// The determinism kit, by its seed: chance is seeded, each document begins on 15 June 2024 at 12:00 UTC, and from
    /// there its time (dates, timers, frames, animations) moves only by what actions and looks give it. The time zone is
    /// UTC, the language American English, motion is reduced and the colour scheme light.
    pub deterministic: Option<u64>,
    /// Further switches for the browser.
    pub args: Vec<String>,
}

impl SessionOptions {
    /// Options for an app that is served at `origin`.
    #[must_use]
    pub fn new(origin: impl Into<String>) -> Self {
        Self {
            viewport: Viewport::default(),
            origin: origin.into().trim_end_matches('/').to_owned(),
            collect: None,
            v8: false,
            limit: Duration::from_secs(15),
            settle: Duration::from_millis(1500),
            dialogs: DialogPolicy::Alternate,
            nodes: 3000,
            restores: 5,
            offline: false,
            deterministic: None,
            args: Vec::new(),
        }
    }
}

/// An event type that no page can guess. It never reaches a trace, so it needs no seed.
pub(crate) fn secret() -> String {
    use std::hash::{BuildHasher, Hasher};
    let word = || std::collections::hash_map::RandomState::new().build_hasher().finish();
    format!("w{:016x}{:016x}", word(), word())
}

/// The script that is installed before those of every page.
pub(crate) fn bootstrap(key: &str, options: &SessionOptions) -> String {
    let kit = options.deterministic.map(|seed| json!({"seed": seed & 0xffff_ffff, "start": 1_718_452_800_000_u64}));
    let clock = if kit.is_some() { CLOCK.trim_end() } else { "null" };
    BOOTSTRAP
        .replace("@LOOK@", LOOK)
        .replace("@CLOCK@", clock)
        .replace("@KEY@", key)
        .replace("@SOON@", "600")
        .replace("@KIT@", &kit.unwrap_or_default().to_string())
        .replace("@COLLECT@", options.collect.as_deref().unwrap_or("null"))
}

/// A browser that has just been started.
#[derive(Debug)]
pub(crate) struct Connected {
    pub(crate) wire: Wire,
    /// Where it puts what it downloads; none where the browser runs elsewhere.
    pub(crate) downloads: Option<PathBuf>,
}

/// Starts a browser on the driver.
pub(crate) async fn connect(driver: &Driver, options: &SessionOptions) -> Result<Connected, Error> {
    let mut args: Vec<String> = [
        "--headless=new",
        "--no-sandbox",
        "--disable-gpu",
        "--disable-dev-shm-usage",
        "--disable-quic",
        "--no-first-run",
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
        "--disable-popup-blocking",
        "--mute-audio",
        "--hide-scrollbars",
    ]
    .map(str::to_owned)
    .into();
    // A page that comes back from a cache has run on unseen, and the browser repeats what it once logged.
    let mut features = "--disable-features=BackForwardCache,Translate,MediaRouter".to_owned();
    if options.v8 {
        // A frame that is made anew for each document begins to count anew too, and loses what the last one counted.
        features.push_str(",RenderDocument");
    }
    args.push(features);
    args.push(format!("--window-size={},{}", options.viewport.width, options.viewport.height));
    let profile = driver.folder().await.map(|folder| profile(&folder)).transpose()?;
    let downloads = profile.as_ref().map(|profile| profile.join("downloads"));
    if let Some(profile) = &profile {
        args.push(format!("--user-data-dir={}", profile.display()));
    }
    if options.offline {
        let url = url::Url::parse(&options.origin).ok();
        let host = url.as_ref().and_then(url::Url::host_str).unwrap_or("localhost");
        args.push(format!(
            "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost, EXCLUDE {host}"
        ));
    }
    if options.deterministic.is_some() {
        // What is drawn anew in a part of a tile depends, by a unit of colour at soft edges, on what changed in one frame.
        args.extend(["--disable-smooth-scrolling", "--disable-partial-raster"].map(str::to_owned));
        // Moving pictures (GIF, WebP, APNG) go by the browser's own time: they stay at the first of theirs.
        args.push("--blink-settings=imageAnimationPolicy=2".to_owned());
    }
    args.extend(options.args.iter().cloned());
    let mut chrome = json!({"args": args});
    if let Some(browser) = driver.browser() {
        chrome["binary"] = json!(browser);
    }
    if let Some(downloads) = &downloads {
        chrome["prefs"] = json!({
            "download.default_directory": downloads,
            "download.prompt_for_download": false,
            "profile.default_content_setting_values.automatic_downloads": 1,
            // Distributions let a first window open the page of a search engine.
            "session.restore_on_startup": 4,
            "session.startup_urls": ["about:blank"],
        });
    }
    let mut capabilities = Map::new();
    capabilities.insert("browserName".to_owned(), json!("chrome"));
    capabilities.insert("pageLoadStrategy".to_owned(), json!("eager"));
    capabilities.insert("unhandledPromptBehavior".to_owned(), json!("ignore"));
    capabilities.insert("goog:loggingPrefs".to_owned(), json!({"browser": "ALL"}));
    capabilities.insert("goog:chromeOptions".to_owned(), chrome);
    let wire = Wire::open(&driver.url().await, capabilities, options.limit).await?;
    Ok(Connected { wire, downloads })
}

/// A folder for a fresh profile.
fn profile(folder: &std::path::Path) -> Result<PathBuf, Error> {
    let made = tempfile::Builder::new().prefix("profile-").tempdir_in(folder).map_err(Error::io("make a profile"))?;
    Ok(made.keep())
}
