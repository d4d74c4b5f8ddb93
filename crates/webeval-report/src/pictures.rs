//! Screenshots, shrunk and embedded once each.
//!
//! A picture becomes one CSS rule with a data URI; every place that shows it carries the rule's class. So a hundred
//! thumbnails of one page cost its bytes once.

use std::collections::HashMap;
use std::fmt::Write as _;

use base64::Engine as _;
use image::codecs::jpeg::JpegEncoder;
use image::imageops::FilterType;
use image::{DynamicImage, ImageFormat};
use webeval_evidence::{BlobRef, RunDir};

/// Bytes that all pictures of a report may take together, as base64. With the rest of the page a long run's report
/// stays under 8 MB.
const BUDGET: usize = 6_000_000;
/// Tallest picture kept, as a multiple of its width; what is below is cut off.
const TALLEST: u32 = 3;
/// Widths in pixels and JPEG qualities, from the best to what is used when a run has very many pictures.
const LADDER: [(u32, u8); 5] = [(900, 82), (800, 74), (640, 66), (480, 58), (360, 50)];

/// An embedded picture.
#[derive(Clone, Debug)]
pub(crate) struct Picture {
    /// Number within the report: class `p{id}`, viewer `picture-{id}`.
    pub(crate) id: usize,
    /// Size of the original in pixels.
    pub(crate) width: u32,
    /// Size of the original in pixels, as far as it is shown.
    pub(crate) height: u32,
}

/// All pictures of a report.
#[derive(Debug, Default)]
pub(crate) struct Pictures {
    by_reference: HashMap<String, Picture>,
    encoded: Vec<String>,
    /// References to pictures that could not be read.
    pub(crate) unreadable: Vec<String>,
}

impl Pictures {
    /// Reads and shrinks the pictures, in the order given; the same reference twice is one picture.
    pub(crate) fn load<'a>(run: &RunDir, references: impl IntoIterator<Item = &'a BlobRef>) -> Self {
        let mut pictures = Self::default();
        let mut originals = Vec::new();
        let mut seen = std::collections::HashSet::new();
        for reference in references {
            if !seen.insert(reference.as_str()) {
                continue;
            }
            let bytes = run.load(reference).ok();
            let Some((bytes, (width, height))) = bytes.and_then(|bytes| size_of(&bytes).map(|size| (bytes, size)))
            else {
                pictures.unreadable.push(reference.as_str().to_owned());
                continue;
            };
            let picture = Picture { id: originals.len(), width, height: height.min(width * TALLEST) };
            pictures.by_reference.insert(reference.as_str().to_owned(), picture);
            originals.push(bytes);
        }
        pictures.encoded = encode_all(&originals);
        pictures
    }

    /// The picture that `reference` was embedded as.
    pub(crate) fn get(&self, reference: &BlobRef) -> Option<&Picture> {
        self.by_name(reference.as_str())
    }

    /// As [`Pictures::get`], for a reference given as text: the whole path, its file name or its stem.
    pub(crate) fn by_name(&self, name: &str) -> Option<&Picture> {
        self.by_reference.get(name).or_else(|| {
            let stem =
                name.rsplit('/').next().and_then(|file| file.split('.').next()).filter(|stem| !stem.is_empty())?;
            self.by_reference.get(&format!("screenshots/{stem}.png"))
        })
    }

    /// How many there are.
    pub(crate) fn len(&self) -> usize {
        self.encoded.len()
    }

    /// The CSS rules that hold them.
    pub(crate) fn css(&self) -> String {
        let mut css = String::with_capacity(self.encoded.iter().map(|uri| uri.len() + 40).sum());
        for (id, uri) in self.encoded.iter().enumerate() {
            let _ = writeln!(css, ".p{id}{{background-image:url({uri})}}");
        }
        css
    }
}

fn size_of(bytes: &[u8]) -> Option<(u32, u32)> {
    let reader = image::ImageReader::new(std::io::Cursor::new(bytes)).with_guessed_format().ok()?;
    reader.into_dimensions().ok().filter(|&(width, height)| width > 0 && height > 0)
}

/// Encodes at the best rung of the ladder at which all pictures keep to the budget. The first picture of every
/// few is tried to skip rungs that cannot do.
fn encode_all(originals: &[Vec<u8>]) -> Vec<String> {
    let every = originals.len().div_ceil(8).max(1);
    let fits = |rung: &(u32, u8)| {
        let sample: usize = originals.iter().step_by(every).map(|bytes| encode(bytes, *rung).len()).sum();
        sample * every <= BUDGET
    };
    let first =
        if originals.len() * 200_000 <= BUDGET { 0 } else { LADDER.iter().position(fits).unwrap_or(LADDER.len() - 1) };
    let mut encoded = Vec::new();
    for rung in &LADDER[first..] {
        encoded = encode_in_parallel(originals, *rung);
        if encoded.iter().map(String::len).sum::<usize>() <= BUDGET {
            break;
        }
    }
    encoded
}

fn encode_in_parallel(originals: &[Vec<u8>], rung: (u32, u8)) -> Vec<String> {
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let share = originals.len().div_ceil(threads).max(1);
    std::thread::scope(|scope| {
        let spawn = |part: &'_ [Vec<u8>]| -> Vec<String> { part.iter().map(|bytes| encode(bytes, rung)).collect() };
        let workers: Vec<_> = originals.chunks(share).map(|part| scope.spawn(move || spawn(part))).collect();
        workers.into_iter().flat_map(|worker| worker.join().unwrap_or_default()).collect()
    })
}

/// The picture as a data URI: the original where it is narrow enough and smaller than a JPEG of it, else that JPEG.
fn encode(bytes: &[u8], (widest, quality): (u32, u8)) -> String {
    let uri = |kind: &str, data: &[u8]| {
        format!("data:image/{kind};base64,{}", base64::engine::general_purpose::STANDARD.encode(data))
    };
    let Ok(picture) = image::load_from_memory(bytes) else { return "data:,".to_owned() };
    let jpeg = shrink(&picture, widest, quality);
    let is_png = image::guess_format(bytes).is_ok_and(|format| format == ImageFormat::Png);
    let keeps = is_png && picture.width() <= widest && picture.height() <= picture.width() * TALLEST;
    if keeps && bytes.len() <= jpeg.len() { uri("png", bytes) } else { uri("jpeg", &jpeg) }
}

fn shrink(picture: &DynamicImage, widest: u32, quality: u8) -> Vec<u8> {
    let (width, height) = (picture.width(), picture.height());
    let cut = picture.crop_imm(0, 0, width, height.min(width * TALLEST));
    let sized = if width > widest {
        let scaled = u64::from(cut.height()) * u64::from(widest) / u64::from(width);
        cut.resize_exact(widest, u32::try_from(scaled).unwrap_or(1).max(1), FilterType::Triangle)
    } else {
        cut
    };
    let mut jpeg = Vec::new();
    // JPEG has no transparency; a page without a background is white.
    let flat = flatten(&sized);
    let written = JpegEncoder::new_with_quality(&mut jpeg, quality).encode_image(&flat);
    if written.is_ok() { jpeg } else { Vec::new() }
}

fn flatten(picture: &DynamicImage) -> image::RgbImage {
    if !picture.color().has_alpha() {
        return picture.to_rgb8();
    }
    let source = picture.to_rgba8();
    image::RgbImage::from_fn(source.width(), source.height(), |x, y| {
        let [r, g, b, alpha] = source.get_pixel(x, y).0;
        let over = |channel: u8| {
            let blended = (u32::from(channel) * u32::from(alpha) + 255 * (255 - u32::from(alpha))) / 255;
            u8::try_from(blended).unwrap_or(u8::MAX)
        };
        image::Rgb([over(r), over(g), over(b)])
    })
}
