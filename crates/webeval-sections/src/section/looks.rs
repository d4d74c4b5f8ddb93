//! Colours and fonts of a page (the metadata `M` of WebGen-V §3.1.1).

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::geometry::RectExt as _;
use crate::page::Page;
use crate::process::ranked;

/// Colours and fonts that are told.
const MOST: usize = 12;

/// Colours and fonts, most used first.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Looks {
    /// Colours.
    pub palette: Vec<Swatch>,
    /// Fonts.
    pub typography: Vec<Font>,
}

/// A colour and how much it is used.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Swatch {
    /// `#rrggbb`.
    pub color: String,
    /// `background` or `text`.
    pub used_for: String,
    /// Painted area in square pixels, or letters of text.
    pub amount: f64,
}

/// A font and how much it is used.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Font {
    /// First family.
    pub family: String,
    /// Size in CSS pixels.
    pub size: f64,
    /// Weight, 100 to 900.
    pub weight: f64,
    /// Letters set in it.
    pub letters: f64,
}

/// Collects a page's colours and fonts.
#[must_use]
pub fn looks(page: &Page) -> Looks {
    let mut backgrounds: BTreeMap<String, f64> = BTreeMap::new();
    let mut inks: BTreeMap<String, f64> = BTreeMap::new();
    let mut fonts: BTreeMap<(String, u64, u64), f64> = BTreeMap::new();
    for index in page.indices() {
        let style = page.style(index);
        if style.background_color.a > 0.05 && page.is_visible(index) {
            let area = page.clipped(index, page.rect(index)).map_or(0.0, |rect| rect.area());
            *backgrounds.entry(style.background_color.hex()).or_default() += area;
        }
        if let (Some(_), Some(text)) = (page.visible_text(index), &page.node(index).text) {
            let letters = text.length as f64;
            *inks.entry(style.webkit_text_fill_color.hex()).or_default() += letters;
            let family = style.font_family.split(',').next().unwrap_or_default().trim().trim_matches('"').to_owned();
            // Hundredths of a pixel make an exact key.
            let key = (family, (style.font_size * 100.0) as u64, style.font_weight as u64);
            *fonts.entry(key).or_default() += letters;
        }
    }
    let swatch = |used_for: &str| {
        let used_for = used_for.to_owned();
        move |(color, amount): (String, f64)| Swatch { color, used_for: used_for.clone(), amount: amount.round() }
    };
    let behind = ranked(backgrounds).into_iter().take(MOST).map(swatch("background"));
    let front = ranked(inks).into_iter().take(MOST).map(swatch("text"));
    let font = |((family, size, weight), letters): ((String, u64, u64), f64)| Font {
        family,
        size: size as f64 / 100.0,
        weight: weight as f64,
        letters,
    };
    Looks {
        palette: behind.chain(front).collect(),
        typography: ranked(fonts).into_iter().take(MOST).map(font).collect(),
    }
}
