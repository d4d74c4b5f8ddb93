//! The processor of WebGen-V §3.1.1: a live page into sections on disk.

use std::collections::BTreeMap;
use std::io::Cursor;
use std::path::{Path, PathBuf};
use std::time::Duration;

use base64::Engine as _;
use image::RgbaImage;
use serde::{Deserialize, Serialize};
use serde_json::json;
use webeval_browser::Session;
use webeval_evidence::{Rect, Viewport};

use crate::assets::Assets;
use crate::capture::{measure, prepare, set_viewport};
use crate::measure::{HitTests, Options as MeasureOptions};
use crate::section::{Looks, SectionContent, describe, detect, looks};
use crate::{Error, Page};

const MARKUP: &str = include_str!("js/markup.js");
/// Characters kept of a section's markup.
const MAX_HTML: usize = 200_000;
/// Pixels that the browser paints in one picture; taller ones come in pieces.
const MAX_PICTURE: f64 = 8_000.0;

/// How a page is processed.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Options {
    /// Sizes to render it at, each into a folder of its own where there are several; the session's own when empty.
    pub viewports: Vec<Viewport>,
    /// Longest wait for the page to come to rest.
    pub rest: Duration,
    /// Whether sections are photographed.
    pub screenshots: bool,
    /// Whether pictures are saved.
    pub images: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self { viewports: Vec::new(), rest: Duration::from_secs(5), screenshots: true, images: true }
    }
}

/// `sections.json`: a page in WebGen-V's structured form.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[non_exhaustive]
pub struct SectionsFile {
    /// Version of this shape: 1.
    pub format: u32,
    /// Address of the page.
    pub url: String,
    /// Its title.
    pub title: String,
    /// Its language, as declared.
    pub lang: String,
    /// Width and height of the viewport.
    pub viewport: [f64; 2],
    /// Width and height of the whole page.
    pub extent: [f64; 2],
    /// Its colours and fonts.
    #[serde(flatten)]
    pub looks: Looks,
    /// Its sections: those in flow in the order of reading, then the overlays.
    pub sections: Vec<SectionContent>,
    /// What could not be done.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

impl SectionsFile {
    /// Its JSON Schema.
    #[must_use]
    pub fn schema() -> serde_json::Value {
        schemars::schema_for!(Self).to_value()
    }
}

/// Processes the session's page into `out`: `sections.json`, `screenshots/` and `images/`.
///
/// # Errors
/// When the page does not answer or the disk refuses. Pictures that cannot be had are noted instead.
pub async fn process(session: &mut Session, out: &Path, options: &Options) -> Result<Vec<SectionsFile>, Error> {
    let found = session.options().viewport;
    if options.viewports.is_empty() {
        return Ok(vec![at_rest(session, out, options).await?]);
    }
    let mut files = Vec::new();
    for &viewport in &options.viewports {
        set_viewport(session, viewport).await?;
        let folder = match options.viewports.len() {
            1 => out.to_owned(),
            _ => out.join(format!("{}x{}", viewport.width, viewport.height)),
        };
        files.push(at_rest(session, &folder, options).await?);
    }
    set_viewport(session, found).await?;
    Ok(files)
}

async fn at_rest(session: &mut Session, out: &Path, options: &Options) -> Result<SectionsFile, Error> {
    let mut notes = prepare(session, options.rest).await?;
    let page = whole(session, &mut notes).await?;
    notes.extend(page.measurement().notes.iter().cloned());
    let sections = detect(&page);
    let mut contents: Vec<SectionContent> =
        (1..).zip(&sections).map(|(order, section)| describe(&page, section, order)).collect();
    mark_up(session, &mut contents).await?;
    create(out)?;
    if options.screenshots {
        photograph(session, out, &mut contents, &mut notes).await?;
    }
    if options.images {
        Assets::new(session, out).await?.save(&page, &mut contents, &mut notes).await?;
    }
    let file = assemble(&page, contents, notes);
    write(&out.join("sections.json"), &serde_json::to_vec_pretty(&file)?)?;
    Ok(file)
}

/// Measures everything; where the page is too slow for that, its boxes without their paint order.
async fn whole(session: &mut Session, notes: &mut Vec<String>) -> Result<Page, Error> {
    let asked = MeasureOptions { hit: HitTests::Page, max_text: 20_000, ..MeasureOptions::default() };
    match measure(session, asked).await {
        Err(Error::Browser { source }) if !source.is_fatal() => {
            notes.push(format!("paint order was not measured: {source}"));
            measure(session, MeasureOptions { hit: HitTests::None, ..asked }).await
        }
        measured => measured,
    }
}

fn assemble(page: &Page, sections: Vec<SectionContent>, notes: Vec<String>) -> SectionsFile {
    let measured = page.measurement();
    SectionsFile {
        format: 1,
        url: measured.url.clone(),
        title: measured.title.clone(),
        lang: measured.lang.clone(),
        viewport: measured.viewport,
        extent: measured.extent,
        looks: looks(page),
        sections,
        notes,
    }
}

async fn mark_up(session: &mut Session, contents: &mut [SectionContent]) -> Result<(), Error> {
    let paths: Vec<&[String]> = contents.iter().map(|content| content.section.selectors.as_slice()).collect();
    let answer = session.evaluate(MARKUP, &[json!(paths), json!(MAX_HTML)]).await?;
    let markup: Vec<String> = serde_json::from_str(answer.as_str().unwrap_or("[]"))?;
    for (content, html) in contents.iter_mut().zip(markup) {
        content.html = html;
    }
    Ok(())
}

async fn photograph(
    session: &mut Session,
    out: &Path,
    contents: &mut [SectionContent],
    notes: &mut Vec<String>,
) -> Result<(), Error> {
    create(&out.join("screenshots"))?;
    for content in contents {
        let name = format!("screenshots/element_{:02}.png", content.order);
        match picture(session, content.section.rect).await {
            Ok(png) => {
                write(&out.join(&name), &png)?;
                content.screenshot_path = name;
            }
            Err(error) => notes.push(format!("section {} was not photographed: {error}", content.order)),
        }
    }
    Ok(())
}

/// A part of the page as PNG, in pieces where the browser could not paint it at once.
///
/// # Errors
/// When the browser refuses, or its pictures cannot be read.
pub async fn picture(session: &mut Session, area: Rect) -> Result<Vec<u8>, Error> {
    let area = Rect { width: area.width.max(1.0), height: area.height.max(1.0), ..area };
    if area.height <= MAX_PICTURE {
        return shot(session, area).await;
    }
    let mut whole = RgbaImage::new(area.width.ceil() as u32, area.height.ceil() as u32);
    let mut top = 0.0;
    while top < area.height {
        let height = MAX_PICTURE.min(area.height - top);
        let png = shot(session, Rect { y: area.y + top, height, ..area }).await?;
        let piece = image::load_from_memory_with_format(&png, image::ImageFormat::Png)?;
        image::imageops::replace(&mut whole, &piece.to_rgba8(), 0, top as i64);
        top += height;
    }
    let mut png = Vec::new();
    whole.write_to(&mut Cursor::new(&mut png), image::ImageFormat::Png)?;
    Ok(png)
}

/// As the session's own page picture, but packed for speed rather than size: half the time is compression.
async fn shot(session: &mut Session, area: Rect) -> Result<Vec<u8>, Error> {
    let clip = json!({"x": area.x, "y": area.y, "width": area.width, "height": area.height, "scale": 1});
    let params = json!({"format": "png", "captureBeyondViewport": true, "optimizeForSpeed": true, "clip": clip});
    match session.cdp("Page.captureScreenshot", params).await {
        Ok(answer) => decode(&answer["data"])
            .ok_or_else(|| Error::from(image::ImageError::from(std::io::Error::other("no picture came")))),
        // Another driver than chromedriver: whatever it can do.
        Err(_) => Ok(session.page_screenshot(Some(area)).await?),
    }
}

fn decode(data: &serde_json::Value) -> Option<Vec<u8>> {
    base64::engine::general_purpose::STANDARD.decode(data.as_str()?).ok()
}

pub(crate) fn create(folder: &Path) -> Result<(), Error> {
    std::fs::create_dir_all(folder).map_err(|source| Error::Write { path: folder.to_owned(), source })
}

pub(crate) fn write(path: &Path, content: &[u8]) -> Result<(), Error> {
    let partial = PathBuf::from(format!("{}.partial", path.display()));
    let written = std::fs::write(&partial, content).and_then(|()| std::fs::rename(&partial, path));
    written.map_err(|source| Error::Write { path: path.to_owned(), source })
}

/// Counts by key, the largest first.
pub(crate) fn ranked<K: Ord>(counts: BTreeMap<K, f64>) -> Vec<(K, f64)> {
    let mut ranked: Vec<(K, f64)> = counts.into_iter().collect();
    ranked.sort_by(|a, b| b.1.total_cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    ranked
}
