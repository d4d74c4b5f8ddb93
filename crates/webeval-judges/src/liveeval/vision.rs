//! How a picture looks to a colour-blind person: Machado, Oliveira and Fernandes, "A Physiologically-based Model for
//! Simulation of Color Vision Deficiency" (2009).

use image::RgbImage;

use super::{ColourDeficiency, ColourVision};

/// The paper's matrices for complete deficiency, on linear RGB.
const PROTAN: [[f64; 3]; 3] =
    [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]];
const DEUTAN: [[f64; 3]; 3] =
    [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]];
const TRITAN: [[f64; 3]; 3] =
    [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]];

/// The picture as someone with this colour vision sees it.
///
/// Severities between 0 and 1 mix the identity and the matrix of complete deficiency, channel by channel in linear
/// light. (The paper tabulates its model in steps of a tenth; the mixture differs from those tables by a few percent.)
#[must_use]
pub fn simulate(picture: &RgbImage, vision: ColourVision) -> RgbImage {
    let matrix = matrix(vision);
    let linear: Vec<f64> = (0..=255u8).map(to_linear).collect();
    let mut seen = picture.clone();
    for pixel in seen.pixels_mut() {
        let light = pixel.0.map(|channel| linear[usize::from(channel)]);
        for (channel, row) in pixel.0.iter_mut().zip(&matrix) {
            *channel = to_srgb(row[0] * light[0] + row[1] * light[1] + row[2] * light[2]);
        }
    }
    seen
}

fn matrix(vision: ColourVision) -> [[f64; 3]; 3] {
    let full = match vision.kind {
        ColourDeficiency::Protan => PROTAN,
        ColourDeficiency::Deutan => DEUTAN,
        ColourDeficiency::Tritan => TRITAN,
    };
    let severity = vision.severity.clamp(0.0, 1.0);
    let mut mixed = full;
    for (row, values) in mixed.iter_mut().enumerate() {
        for (column, value) in values.iter_mut().enumerate() {
            let identity = f64::from(u8::from(row == column));
            *value = severity * *value + (1.0 - severity) * identity;
        }
    }
    mixed
}

/// IEC 61966-2-1.
fn to_linear(channel: u8) -> f64 {
    let value = f64::from(channel) / 255.0;
    if value <= 0.04045 { value / 12.92 } else { ((value + 0.055) / 1.055).powf(2.4) }
}

fn to_srgb(light: f64) -> u8 {
    let light = light.clamp(0.0, 1.0);
    let value = if light <= 0.003_130_8 { light * 12.92 } else { 1.055 * light.powf(1.0 / 2.4) - 0.055 };
    (value * 255.0).round() as u8
}
