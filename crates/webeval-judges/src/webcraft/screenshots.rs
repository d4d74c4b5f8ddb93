//! Which screenshots represent the app (WebCraftBench §4.4: at most five, blank and half-loaded frames dropped by
//! foreground and edge density, the rest picked by farthest-point sampling).
//!
//! Everything is measured on the picture scaled to 160 pixels of width, where text still makes edges and noise does
//! not. The same screenshots give the same choice.

use image::imageops::FilterType;
use image::{GenericImageView, RgbImage};
use webeval_evidence::BlobRef;

use crate::Error;
use crate::dossier::Dossier;

/// Most screenshots that are judged.
pub(super) const MOST: usize = 5;

/// Width that pictures are measured at.
const WIDTH: u32 = 160;

/// A page whose foreground covers less than this share is blank: one line of small text on 1280 × 800 covers about 0.4 %.
const LEAST_FOREGROUND: f64 = 0.003;

/// … and so is one with fewer edge pixels: the same line of text gives about 0.4 % too, a plain gradient none.
const LEAST_EDGES: f64 = 0.002;

/// A frame is half loaded when it has less than this share of both densities of the fullest frame of its address.
const HALF_LOADED: f64 = 0.25;

/// A colour differs from another when a channel differs by more: less is dithering and compression.
const COLOUR_STEP: i32 = 24;

/// Brightness differences above this are edges.
const EDGE_STEP: i32 = 20;

/// Cells of the descriptor's grid, in each direction.
const CELLS: u32 = 16;

/// Pictures nearer to a chosen one than this (mean difference of the cells' channels, 0 to 255) show nothing new.
const SAME: f64 = 1.0;

/// A screenshot that was chosen.
#[derive(Clone, Debug)]
pub(super) struct Chosen {
    pub(super) blob: BlobRef,
    pub(super) bytes: Vec<u8>,
}

/// What was chosen, and what there is to say about it.
#[derive(Debug, Default)]
pub(super) struct Choice {
    pub(super) chosen: Vec<Chosen>,
    pub(super) notes: Vec<String>,
}

#[derive(Debug)]
struct Frame {
    blob: BlobRef,
    url: String,
    bytes: Vec<u8>,
    foreground: f64,
    edges: f64,
    descriptor: Vec<f64>,
}

pub(super) fn choose(dossier: &Dossier) -> Result<Choice, Error> {
    let mut choice = Choice::default();
    let mut frames: Vec<Frame> = Vec::new();
    for step in &dossier.trace.steps {
        let Some(blob) = &step.screenshot else { continue };
        if frames.iter().any(|frame| frame.blob == *blob) {
            continue;
        }
        let bytes = dossier.run.load(blob)?;
        let picture = image::load_from_memory(&bytes)
            .map_err(|source| Error::Screenshot { screenshot: blob.clone(), source: Box::new(source) })?;
        frames.push(measure(blob.clone(), step.url.clone(), bytes, &picture));
    }
    let all = frames.len();
    let kept = without_empty(frames);
    if kept.dropped > 0 {
        choice.notes.push(format!("{} of {all} different screenshots were blank or half loaded", kept.dropped));
    }
    choice.chosen = spread(kept.frames).into_iter().map(|f| Chosen { blob: f.blob, bytes: f.bytes }).collect();
    Ok(choice)
}

struct Kept {
    frames: Vec<Frame>,
    dropped: usize,
}

/// Drops blank and half-loaded frames; when nothing would be left, the fullest one stays: it is what the app shows.
fn without_empty(mut frames: Vec<Frame>) -> Kept {
    let all = frames.len();
    let fullest =
        |url: &str, of: fn(&Frame) -> f64| frames.iter().filter(|frame| frame.url == url).map(of).fold(0.0, f64::max);
    let is_full: Vec<bool> = frames
        .iter()
        .map(|frame| {
            let blank = frame.foreground < LEAST_FOREGROUND || frame.edges < LEAST_EDGES;
            let half = frame.foreground < HALF_LOADED * fullest(&frame.url, |f| f.foreground)
                && frame.edges < HALF_LOADED * fullest(&frame.url, |f| f.edges);
            !blank && !half
        })
        .collect();
    if is_full.contains(&true) {
        let mut keep = is_full.into_iter();
        frames.retain(|_| keep.next().unwrap_or(true));
    } else if let Some(best) = (0..frames.len()).max_by(|&a, &b| frames[a].edges.total_cmp(&frames[b].edges)) {
        frames = vec![frames.swap_remove(best)];
    }
    Kept { dropped: all - frames.len(), frames }
}

/// Farthest-point sampling from the first frame, in the order of choice sorted back into the order of the session.
fn spread(frames: Vec<Frame>) -> Vec<Frame> {
    if frames.is_empty() {
        return frames;
    }
    let mut chosen = vec![0];
    while chosen.len() < MOST {
        let nearest = |at: usize| chosen.iter().map(|&c| distance(&frames[at], &frames[c])).fold(f64::MAX, f64::min);
        let farthest = (0..frames.len()).map(|at| (at, nearest(at))).fold((0, 0.0), |best: (usize, f64), next| {
            // Strictly farther, so that the earliest of equals is taken.
            if next.1 > best.1 { next } else { best }
        });
        if farthest.1 < SAME {
            break;
        }
        chosen.push(farthest.0);
    }
    chosen.sort_unstable();
    let is_chosen = |at: &usize| chosen.contains(at);
    frames.into_iter().enumerate().filter(|(at, _)| is_chosen(at)).map(|(_, frame)| frame).collect()
}

fn distance(a: &Frame, b: &Frame) -> f64 {
    let sum: f64 = a.descriptor.iter().zip(&b.descriptor).map(|(x, y)| (x - y) * (x - y)).sum();
    (sum / a.descriptor.len() as f64).sqrt()
}

fn measure(blob: BlobRef, url: String, bytes: Vec<u8>, picture: &image::DynamicImage) -> Frame {
    let (width, height) = picture.dimensions();
    let height = (u64::from(height) * u64::from(WIDTH) / u64::from(width.max(1))).clamp(1, 4096);
    let small = picture.resize_exact(WIDTH, height as u32, FilterType::Triangle).to_rgb8();
    let cells = picture.resize_exact(CELLS, CELLS, FilterType::Triangle).to_rgb8();
    let descriptor = cells.as_raw().iter().map(|&channel| f64::from(channel)).collect();
    Frame { blob, url, bytes, foreground: foreground(&small), edges: edges(&small), descriptor }
}

/// Share of pixels that are unlike the background, which is the commonest colour.
fn foreground(picture: &RgbImage) -> f64 {
    let mut counts = std::collections::BTreeMap::<[u8; 3], usize>::new();
    for pixel in picture.pixels() {
        *counts.entry(pixel.0.map(|channel| channel / 16)).or_default() += 1;
    }
    let Some((bucket, _)) = counts.into_iter().max_by_key(|&(bucket, count)| (count, bucket)) else { return 0.0 };
    let background = bucket.map(|channel| i32::from(channel) * 16 + 8);
    let unlike = |pixel: &image::Rgb<u8>| {
        pixel.0.iter().zip(background).any(|(&channel, back)| (i32::from(channel) - back).abs() > COLOUR_STEP)
    };
    picture.pixels().filter(|pixel| unlike(pixel)).count() as f64 / pixels(picture)
}

/// Share of pixels that are much brighter or darker than their right or lower neighbour.
fn edges(picture: &RgbImage) -> f64 {
    let light = |x: u32, y: u32| {
        let [r, g, b] = picture.get_pixel(x, y).0.map(i32::from);
        (299 * r + 587 * g + 114 * b) / 1000
    };
    let (width, height) = picture.dimensions();
    let mut count = 0;
    for y in 0..height {
        for x in 0..width {
            let here = light(x, y);
            let right = x + 1 < width && (light(x + 1, y) - here).abs() > EDGE_STEP;
            let below = y + 1 < height && (light(x, y + 1) - here).abs() > EDGE_STEP;
            count += usize::from(right || below);
        }
    }
    count as f64 / pixels(picture)
}

fn pixels(picture: &RgbImage) -> f64 {
    f64::from(picture.width()) * f64::from(picture.height())
}
