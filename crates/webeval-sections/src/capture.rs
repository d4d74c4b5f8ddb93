//! From a live page to a measured one.

use std::time::Duration;

use serde_json::json;
use webeval_browser::Session;
use webeval_evidence::{Severity, Viewport};

use crate::measure::{HitTests, Measurement, Options, SCRIPT};
use crate::{Error, Finding, Page, Report, checks, pixels};

const PREPARE: &str = include_str!("js/prepare.js");

/// Scripts that answer to a new size do so within a frame or two.
const LAID_OUT: &str = "return new Promise((done) => { const frames = () => \
    requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done, 50))); \
    frames(); setTimeout(done, 500); })";

/// Widths at which a page is asked whether it has to be scrolled sideways, in CSS pixels: phone, tablet, desktop.
pub const WIDTHS: [u32; 3] = [360, 768, 1280];

/// Brings a page to rest: scrolled through once so that lazy content loads, fonts and pictures awaited, animations
/// at their end. Tells what did not come to rest within `limit`.
///
/// # Errors
/// When the page does not answer.
pub async fn prepare(session: &mut Session, limit: Duration) -> Result<Vec<String>, Error> {
    // WebDriver scripts are plain functions: what awaits goes into one of its own.
    let script = format!("return (async function () {{ {PREPARE} }}).apply(null, arguments)");
    let answer = session.evaluate(&script, &[json!(limit.as_millis() as u64)]).await?;
    Ok(serde_json::from_str(answer.as_str().unwrap_or("[]"))?)
}

/// Measures the page as it is.
///
/// # Errors
/// When the page does not answer, or not with a measurement.
pub async fn measure(session: &mut Session, options: Options) -> Result<Page, Error> {
    let answer = session.evaluate(SCRIPT, &[serde_json::to_value(options)?]).await?;
    Ok(Page::new(Measurement::parse(answer.as_str().unwrap_or_default())?))
}

/// Measures the whole page and every rule: text over pictures by its pixels, and sideways scrolling at [`WIDTHS`].
/// The page should be [prepared](prepare); the viewport is left as it was found.
///
/// # Errors
/// When the page does not answer.
pub async fn check(session: &mut Session) -> Result<Report, Error> {
    let page = measure(session, Options { hit: HitTests::Page, ..Options::default() }).await?;
    let contrasts = pixels::contrasts(session, &page).await?;
    let mut findings = checks::with_pixels(&page, &contrasts);
    let found = session.options().viewport;
    for width in WIDTHS.into_iter().filter(|&width| width != found.width) {
        set_viewport(session, Viewport { width, ..found }).await?;
        let narrow = measure(session, Options { hit: HitTests::None, ..Options::default() }).await;
        findings.extend(narrow.map(|narrow| checks::wide_page(&narrow)).unwrap_or_default().into_iter().map(elsewhere));
    }
    set_viewport(session, found).await?;
    Ok(checks::report(&page, findings))
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
