//! The processor of WebGen-V §3.1.1: a live page into sections on disk.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use base64::Engine as _;
use image::RgbaImage;
use image::codecs::png::{CompressionType, FilterType, PngEncoder};
use serde::{Deserialize, Serialize};
use serde_json::json;
use webeval_browser::Session;
use webeval_evidence::{Rect, Viewport};

use crate::assets::Assets;
use crate::capture::{ask, measure, prepare, set_viewport};
use crate::geometry::RectExt as _;
use crate::measure::{HitTests, Options as MeasureOptions};
use crate::section::{Looks, SectionContent, describe, detect, looks};
use crate::{Error, Page};

const MARKUP: &str = concat!(include_str!("js/find.js"), include_str!("js/markup.js"));
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

impl Options {
    /// Where under `out` the results for each viewport go.
    #[must_use]
    pub fn folders(&self, out: &Path) -> Vec<PathBuf> {
        match self.viewports.as_slice() {
            [] | [_] => vec![out.to_owned()],
            several => several.iter().map(|size| out.join(format!("{}x{}", size.width, size.height))).collect(),
        }
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
    for (&viewport, folder) in options.viewports.iter().zip(options.folders(out)) {
        set_viewport(session, viewport).await?;
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
    let answer = ask(session, MARKUP, &[json!(paths), json!(MAX_HTML)]).await?;
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
    for strip in strips(contents) {
        match strip_pictures(session, contents, &strip).await {
            Ok(pictures) => {
                for (index, png) in pictures {
                    let name = format!("screenshots/element_{:02}.png", contents[index].order);
                    write(&out.join(&name), &png)?;
                    contents[index].screenshot_path = name;
                }
            }
            Err(error) => {
                let orders =
                    strip.iter().map(|&index| contents[index].order.to_string()).collect::<Vec<_>>().join(", ");
                notes.push(format!("sections {orders} were not photographed: {error}"));
            }
        }
    }
    Ok(())
}

/// Sections that are photographed at once, from top to bottom. On a page with thousands of elements a picture costs a
/// second whatever it shows, since the browser lays the page out for it: one a section would take minutes.
fn strips(contents: &[SectionContent]) -> Vec<Vec<usize>> {
    let rect = |index: usize| contents[index].section.rect;
    let mut order: Vec<usize> = (0..contents.len()).collect();
    order.sort_by(|&a, &b| rect(a).y.total_cmp(&rect(b).y));
    let mut strips: Vec<(Vec<usize>, Rect)> = Vec::new();
    for index in order {
        let joined = strips.last().map(|(_, all)| all.union(&rect(index))).filter(|all| all.height <= MAX_PICTURE);
        match (strips.last_mut(), joined) {
            (Some(strip), Some(joined)) => {
                strip.0.push(index);
                strip.1 = joined;
            }
            _ => strips.push((vec![index], rect(index))),
        }
    }
    strips.into_iter().map(|(members, _)| members).collect()
}

/// The pictures of sections that lie in one strip of the page.
async fn strip_pictures(
    session: &mut Session,
    contents: &[SectionContent],
    strip: &[usize],
) -> Result<Vec<(usize, Vec<u8>)>, Error> {
    let rects: Vec<Rect> = strip.iter().map(|&index| contents[index].section.rect).collect();
    let (&[first, ..], &[index, ..]) = (rects.as_slice(), strip) else { return Ok(Vec::new()) };
    if rects.len() == 1 {
        return Ok(vec![(index, picture(session, first).await?)]);
    }
    let all = rects.iter().fold(first, |all, rect| all.union(rect));
    let (left, top) = (all.x.max(0.0).floor(), all.y.max(0.0).floor());
    let area = Rect { x: left, y: top, width: (all.right() - left).ceil(), height: (all.bottom() - top).ceil() };
    let png = shot(session, area).await?;
    let whole = image::load_from_memory_with_format(&png, image::ImageFormat::Png)?;
    let mut pictures = Vec::new();
    for (&index, rect) in strip.iter().zip(rects) {
        let at = |place: f64, from: f64| (place - from).max(0.0).round() as u32;
        let size = |length: f64| (length.round() as u32).max(1);
        let part = whole.crop_imm(at(rect.x, left), at(rect.y, top), size(rect.width), size(rect.height));
        pictures.push((index, packed(&part)?));
    }
    Ok(pictures)
}

/// A picture as PNG, packed for speed rather than size.
fn packed(picture: &image::DynamicImage) -> Result<Vec<u8>, Error> {
    let mut png = Vec::new();
    let encoder = PngEncoder::new_with_quality(&mut png, CompressionType::Fast, FilterType::Sub);
    image::DynamicImage::from(picture.to_rgb8()).write_with_encoder(encoder)?;
    Ok(png)
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
    packed(&whole.into())
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
