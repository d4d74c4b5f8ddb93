//! The experiment on a live page.

use std::time::Duration;

use serde_json::json;
use webeval_browser::Session;

use super::{Degradation, Options, confirm, plan, stylesheet};
use crate::capture::{measure, prepare};
use crate::measure::{HitTests, Options as MeasureOptions};
use crate::section::{Section, detect};
use crate::{Error, Page};

const SHEET: &str = include_str!("../js/sheet.js");
/// Longest wait for the page to come to rest.
const REST: Duration = Duration::from_secs(5);
/// Faults that undo each other are dropped until the rest holds, at most this often.
const ROUNDS: u32 = 4;

/// A page before and after.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Degraded {
    /// The page as it was.
    pub clean: Page,
    /// Its sections.
    pub clean_sections: Vec<Section>,
    /// The page with the faults.
    pub page: Page,
    /// Its sections: they may differ from the clean page's.
    pub sections: Vec<Section>,
    /// The faults that took, with their boxes on the degraded page.
    pub faults: Vec<Degradation>,
}

/// Puts faults into the session's page, measures what they did, and takes them out again.
///
/// # Errors
/// When the page does not answer.
pub async fn degrade(session: &mut Session, options: &Options) -> Result<Degraded, Error> {
    prepare(session, REST).await?;
    let clean = whole(session).await?;
    let clean_sections = detect(&clean);
    let mut faults = plan(&clean, &clean_sections, options);
    let mut page = clean.clone();
    for _ in 0..ROUNDS {
        let planned = faults.len();
        session.evaluate(SHEET, &[json!(stylesheet(&faults))]).await?;
        page = whole(session).await?;
        faults = confirm(&clean, &page, faults);
        if faults.len() == planned {
            break;
        }
    }
    session.evaluate(SHEET, &[json!("")]).await?;
    let sections = detect(&page);
    Ok(Degraded { clean, clean_sections, page, sections, faults })
}

async fn whole(session: &mut Session) -> Result<Page, Error> {
    measure(session, MeasureOptions { hit: HitTests::Page, ..MeasureOptions::default() }).await
}

/// The page's source with the faults in a style sheet at its end. `base` is the address that its relative references
/// are resolved against, for a copy that lies elsewhere.
#[must_use]
pub fn page_with(source: &str, base: &str, faults: &[Degradation]) -> String {
    let style = format!("<style>\n{}</style>\n", stylesheet(faults));
    let lower = source.to_ascii_lowercase();
    let end = lower.rfind("</body").or_else(|| lower.rfind("</html")).unwrap_or(source.len());
    let mut page = format!("{}{style}{}", &source[..end], &source[end..]);
    if !lower.contains("<base") && !base.is_empty() {
        let head = lower.find("<head").and_then(|head| lower[head..].find('>').map(|close| head + close + 1));
        let escaped = base.replace('&', "&amp;").replace('"', "&quot;");
        page.insert_str(head.unwrap_or(0), &format!("<base href=\"{escaped}\">"));
    }
    page
}
