//! Contrast of text over pictures, by the pixels behind it.

use std::collections::HashMap;
use std::io::Cursor;

use image::RgbImage;
use serde_json::json;
use webeval_browser::Session;
use webeval_evidence::Rect;

use crate::Error;
use crate::checks::undecided;
use crate::color::Color;
use crate::geometry::RectExt as _;
use crate::page::Page;

const BACKDROP: &str = include_str!("js/backdrop.js");
/// Share of the pixels behind a text that may be worse than the figure given: letters touch few of them.
const WORST: f64 = 0.25;
/// Most texts of a page whose pixels are looked at.
const MOST: usize = 60;

/// Contrast ratios of the texts that only their pixels can tell, by element.
pub(crate) async fn contrasts(session: &mut Session, page: &Page) -> Result<HashMap<usize, f64>, Error> {
    let mut wanted = undecided(page);
    wanted.truncate(MOST);
    if wanted.is_empty() {
        return Ok(HashMap::new());
    }
    session.evaluate(BACKDROP, &[json!(true)]).await?;
    let mut found = HashMap::new();
    let mut failure = None;
    for (index, rect) in wanted {
        match session.page_screenshot(Some(rect)).await {
            Ok(png) => {
                found.extend(decode(&png).and_then(|picture| Some((index, ratio(page, index, rect, &picture)?))))
            }
            Err(error) => failure = Some(error),
        }
    }
    session.evaluate(BACKDROP, &[json!(false)]).await?;
    match failure {
        Some(error) if found.is_empty() => Err(error.into()),
        _ => Ok(found),
    }
}

fn decode(png: &[u8]) -> Option<RgbImage> {
    image::ImageReader::with_format(Cursor::new(png), image::ImageFormat::Png)
        .decode()
        .ok()
        .map(|image| image.to_rgb8())
}

/// Contrast with the pixels behind the text, at the point where a quarter of them are worse.
fn ratio(page: &Page, index: usize, rect: Rect, picture: &RgbImage) -> Option<f64> {
    let style = page.style(index);
    // Letters that are cut out of their own background cannot be taken away from before it.
    if style.background_clip.contains("text") {
        return None;
    }
    let ink = style.webkit_text_fill_color.faded(page.node(index).opacity);
    let shadows = if style.text_shadow == "none" { Vec::new() } else { Color::all_in(&style.text_shadow) };
    let mut ratios: Vec<f64> = behind(page, index, rect, picture)
        .map(|behind| {
            let painted = ink.over(behind);
            shadows.iter().map(|shadow| painted.contrast(shadow.over(behind))).fold(painted.contrast(behind), f64::max)
        })
        .collect();
    if is_flat(page, index, rect, picture) {
        return None;
    }
    ratios.sort_by(f64::total_cmp);
    ratios.get((ratios.len() as f64 * WORST) as usize).copied()
}

/// Whether the text should lie on a picture from another host of which nothing is to be seen: one that could not be
/// reached from here is no fault of the page.
fn is_flat(page: &Page, index: usize, rect: Rect, picture: &RgbImage) -> bool {
    let own = host(&page.measurement().url);
    let foreign = |image: &str| image.split("url(\"").skip(1).any(|url| url.starts_with("http") && host(url) != own);
    let layers = page.node(index).text.as_ref().and_then(|text| text.under.clone());
    let awaits = layers.unwrap_or_else(|| page.lineage(index).collect()).into_iter().any(|layer| {
        let generated = page.node(layer).pseudo.iter().any(|pseudo| foreign(&pseudo.image));
        foreign(&page.style(layer).background_image)
            || generated
            || page.node(layer).media.as_ref().is_some_and(|m| m.external)
    });
    let mut pixels = behind(page, index, rect, picture);
    let Some(first) = pixels.next() else { return false };
    awaits && pixels.all(|pixel| pixel.contrast(first) < 1.01)
}

/// Scheme and host of an address.
fn host(url: &str) -> &str {
    let after = url.find("://").map_or(0, |at| at + 3);
    url[after..].find(['/', '?', '#', '"']).map_or(url, |end| &url[..after + end])
}

/// The pixels of the text's lines.
fn behind<'a>(page: &'a Page, index: usize, rect: Rect, picture: &'a RgbImage) -> impl Iterator<Item = Color> + 'a {
    let lines = page.node(index).text.as_ref().map_or(&[][..], |text| &text.lines);
    let scale = f64::from(picture.width()) / rect.width;
    picture.enumerate_pixels().filter_map(move |(x, y, pixel)| {
        let at = Rect { x: rect.x + f64::from(x) / scale, y: rect.y + f64::from(y) / scale, width: 0.1, height: 0.1 };
        let inside = lines.is_empty() || lines.iter().any(|&line| Rect::of(line).contains(&at, 0.0));
        let [r, g, b] = pixel.0;
        inside.then(|| Color::rgb(r, g, b))
    })
}
