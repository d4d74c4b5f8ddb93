//! From a live page to a measured one.

use std::time::Duration;

use serde_json::{Value, json};
use webeval_browser::Session;
use webeval_evidence::{Severity, Viewport};

use crate::measure::{HitTests, Measurement, Options, SCRIPT};
use crate::{Error, Finding, Metric, Page, Report, checks, pixels};

const PREPARE: &str = include_str!("js/prepare.js");
const WORDS: &str = include_str!("js/words.js");

/// Scripts that answer to a new size do so within a frame or two.
const LAID_OUT: &str = "return new Promise((done) => { const frames = () => \
    requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done, 50))); \
    frames(); setTimeout(done, 500); })";

/// Widths at which a page is asked whether it has to be scrolled sideways, in CSS pixels: phone, tablet, desktop.
pub const WIDTHS: [u32; 3] = [360, 768, 1280];

/// Most times that a script is begun again because the page went away under it.
const ATTEMPTS: u32 = 4;

/// Runs a script in the page, again where the page reloaded itself meanwhile.
pub(crate) async fn ask(session: &mut Session, script: &str, arguments: &[Value]) -> Result<Value, Error> {
    let mut attempts = 1;
    loop {
        match session.evaluate(script, arguments).await {
            Err(error) if !error.is_fatal() && attempts < ATTEMPTS => {
                tracing::debug!(%error, "the script is begun again");
                attempts += 1;
                tokio::time::sleep(Duration::from_millis(50)).await;
            }
            answer => return Ok(answer?),
        }
    }
}

/// Brings a page to rest: scrolled through once so that lazy content loads, fonts and pictures awaited, animations
/// at their end. Tells what did not come to rest within `limit`; a page that goes on reloading itself is one of those.
///
/// # Errors
/// When the browser is lost.
pub async fn prepare(session: &mut Session, limit: Duration) -> Result<Vec<String>, Error> {
    // WebDriver scripts are plain functions: what awaits goes into one of its own.
    let script = format!("return (async function () {{ {PREPARE} }}).apply(null, arguments)");
    match ask(session, &script, &[json!(limit.as_millis() as u64)]).await {
        Ok(answer) => Ok(serde_json::from_str(answer.as_str().unwrap_or("[]"))?),
        Err(Error::Browser { source }) if !source.is_fatal() => {
            Ok(vec![format!("the page did not come to rest, it is taken as it was: {source}")])
        }
        Err(error) => Err(error),
    }
}

/// Measures the page as it is.
///
/// # Errors
/// When the page does not answer, or not with a measurement; when it is no page but a PDF.
pub async fn measure(session: &mut Session, options: Options) -> Result<Page, Error> {
    let answer = ask(session, SCRIPT, &[serde_json::to_value(options)?]).await?;
    let measurement = Measurement::parse(answer.as_str().unwrap_or_default())?;
    if measurement.content_type == "application/pdf" {
        return Err(Error::NotAPage { url: measurement.url, content_type: measurement.content_type });
    }
    Ok(Page::new(measurement))
}

/// Measures the whole page and every rule: text over pictures by its pixels, and sideways scrolling at [`WIDTHS`].
/// The page should be [prepared](prepare); the viewport is left as it was found.
///
/// # Errors
/// When the page does not answer.
pub async fn check(session: &mut Session) -> Result<Report, Error> {
    check_for(session, &[]).await
}

/// As [`check`], and whether the page shows every text of `required`, word for word: metric TA, which is rated only where
/// something is required. Case counts; blanks do not; what a style sheet shows in capitals may be required either way.
///
/// # Errors
/// When the page does not answer.
pub async fn check_for(session: &mut Session, required: &[String]) -> Result<Report, Error> {
    let page = measure(session, Options { hit: HitTests::Page, ..Options::default() }).await?;
    let contrasts = pixels::contrasts(session, &page).await?;
    let mut findings = checks::with_pixels(&page, &contrasts);
    if !required.is_empty() {
        let words = ask(session, WORDS, &[]).await?;
        let words: Vec<String> = serde_json::from_str(words.as_str().unwrap_or("[]"))?;
        findings.extend(checks::missing(&page, required, &words));
    }
    let found = session.options().viewport;
    for width in WIDTHS.into_iter().filter(|&width| width != found.width) {
        set_viewport(session, Viewport { width, ..found }).await?;
        let narrow = measure(session, Options { hit: HitTests::None, ..Options::default() }).await;
        findings.extend(narrow.map(|narrow| checks::wide_page(&narrow)).unwrap_or_default().into_iter().map(elsewhere));
    }
    set_viewport(session, found).await?;
    let mut report = checks::report(&page, findings);
    if !required.is_empty() {
        report.scores.entry(Metric::Ta).or_insert(5);
    }
    Ok(report)
}

/// What would go wrong at a width that nobody is looking at is less than what does go wrong at this one.
fn elsewhere(finding: Finding) -> Finding {
    Finding { severity: finding.severity.min(Severity::Minor), visible_error: false, ..finding }
}

/// Sets the size of the page's viewport, and lets the page lay itself out again.
///
/// # Errors
/// When the browser does not answer.
pub async fn set_viewport(session: &mut Session, size: Viewport) -> Result<(), Error> {
    let params = json!({"width": size.width, "height": size.height, "deviceScaleFactor": 1, "mobile": false});
    session.cdp("Emulation.setDeviceMetricsOverride", params).await?;
    session.evaluate(LAID_OUT, &[]).await?;
    Ok(())
}
