//! Pictures in formats that models do not take, drawn as PNG by the browser that shows them.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::Serialize;
use serde_json::json;
use webeval_browser::Session;

use crate::Error;
use crate::capture::ask;

const RASTER: &str = concat!(include_str!("js/find.js"), include_str!("js/raster.js"));

/// Longest edge of a drawn picture, in pixels.
const MOST_EDGE: u32 = 1024;
/// Pictures, and bytes of their sources, that are drawn by one script.
const MOST_AT_ONCE: usize = 32;
const MOST_BYTES: usize = 4_000_000;

/// A picture that is to be drawn.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Drawing {
    /// Name of the saved file that it is of.
    #[serde(skip)]
    pub(crate) file: String,
    /// CSS path, for inline SVG: its looks depend on the page around it.
    path: Option<String>,
    /// Data URI, for everything else.
    data: Option<String>,
    /// Width and height of the box it is shown in, in CSS pixels; none to draw it at its own size.
    size: Option<[f64; 2]>,
}

impl Drawing {
    /// Of inline SVG.
    pub(crate) fn inline(file: String, path: String, size: [f64; 2]) -> Self {
        Self { file, path: Some(path), data: None, size: Some(size) }
    }

    /// Of a file's content; none where it need not or cannot be drawn: PNG and JPEG, and what is no picture.
    pub(crate) fn content(file: &str, bytes: &[u8], size: Option<[f64; 2]>) -> Option<Self> {
        let kind = match file.rsplit('.').next()? {
            "svg" => "svg+xml",
            kind @ ("gif" | "webp" | "avif") => kind,
            "ico" => "x-icon",
            _ => return None,
        };
        let data = format!("data:image/{kind};base64,{}", STANDARD.encode(bytes));
        Some(Self { file: file.to_owned(), path: None, data: Some(data), size })
    }
}

/// Draws pictures at the size they are shown at, with their transparency; none for each that the browser does not draw
/// (a broken file, or a page whose content security policy keeps data URIs out).
///
/// # Errors
/// When the browser is lost.
pub(crate) async fn draw(session: &mut Session, drawings: &[Drawing]) -> Result<Vec<Option<Vec<u8>>>, Error> {
    let script = format!("return (async function () {{ {RASTER} }}).apply(null, arguments)");
    let mut drawn = Vec::new();
    for batch in batches(drawings) {
        let answer = match ask(session, &script, &[json!(batch), json!(MOST_EDGE)]).await {
            Err(error) if error.is_fatal() => return Err(error),
            answer => answer.unwrap_or_default(),
        };
        let texts: Vec<Option<String>> = serde_json::from_str(answer.as_str().unwrap_or_default()).unwrap_or_default();
        let mut pictures = texts.into_iter().map(|text| STANDARD.decode(text?).ok());
        drawn.extend(batch.iter().map(|_| pictures.next().flatten()));
    }
    Ok(drawn)
}

fn batches(drawings: &[Drawing]) -> Vec<&[Drawing]> {
    let mut batches = Vec::new();
    let (mut start, mut bytes) = (0, 0);
    for (at, drawing) in drawings.iter().enumerate() {
        let own = drawing.data.as_ref().map_or(0, String::len);
        if at > start && (at - start == MOST_AT_ONCE || bytes + own > MOST_BYTES) {
            batches.push(&drawings[start..at]);
            (start, bytes) = (at, 0);
        }
        bytes += own;
    }
    if start < drawings.len() {
        batches.push(&drawings[start..]);
    }
    batches
}
