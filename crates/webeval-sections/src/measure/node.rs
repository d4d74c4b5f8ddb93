//! One element of a measurement.

use std::collections::BTreeMap;

use serde::{Deserialize, Deserializer, Serialize};

use crate::color::Color;

/// A rendered element.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Node {
    /// Index of the parent in the flattened tree; −1 for the root.
    pub parent: i64,
    /// Local name.
    pub tag: String,
    /// Border box: x, y, width, height.
    #[serde(rename = "box")]
    pub bounds: [f64; 4],
    /// Index into the styles.
    pub style: usize,
    /// Which of its parent's children of that tag it is, from 1.
    #[serde(default = "first", skip_serializing_if = "is_first")]
    pub nth: usize,
    /// What its ancestors' overflow leaves visible, where that cuts it: x, y, width, height.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clip: Option<[f64; 4]>,
    /// Product of its own and its ancestors' opacity.
    #[serde(default = "opaque", skip_serializing_if = "is_opaque")]
    pub opacity: f64,
    /// Whether its text can be edited.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub editable: bool,
    /// Whether it hosts an open shadow tree.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub host: bool,
    /// The attributes that matter to sections and checks.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub attributes: BTreeMap<String, String>,
    /// Its own text, without its children's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<Text>,
    /// Set for what a user can operate.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub control: Option<Control>,
    /// Set for pictures, video, canvas and frames.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub media: Option<Media>,
    /// Scroll width and height, client width and height, where its content is larger than itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scroll: Option<[f64; 4]>,
    /// Its generated boxes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub pseudo: Vec<Pseudo>,
}

impl Node {
    /// An attribute's value.
    #[must_use]
    pub fn attribute(&self, name: &str) -> Option<&str> {
        self.attributes.get(name).map(String::as_str)
    }

    /// The class attribute, blanks squeezed.
    #[must_use]
    pub fn class(&self) -> &str {
        self.attribute("class").unwrap_or_default()
    }
}

/// An element's own text.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Text {
    /// The text, blanks squeezed, cut at the option's length.
    pub text: String,
    /// Its full length in UTF-16 units.
    pub length: usize,
    /// Box of all lines.
    #[serde(rename = "box")]
    pub bounds: [f64; 4],
    /// Box of each line, at most twelve.
    pub lines: Vec<[f64; 4]>,
    /// Unrelated elements painted over its middle, topmost first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub over: Vec<usize>,
    /// Itself and what is painted under its middle, topmost first, down to the first opaque one; none where the
    /// browser was not asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub under: Option<Vec<usize>>,
}

/// Something a user can operate.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Control {
    /// `button`, `link`, `text`, `checkbox`, … from the type, role or tag.
    pub kind: String,
    /// Whether it is disabled.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub disabled: bool,
    /// Whether a field has a value.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub filled: bool,
    /// Label of an input that is a button.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// Whether the browser draws it in its own fashion.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub plain: bool,
    /// Points asked for what receives a click there.
    #[serde(default)]
    pub asked: u32,
    /// How many of them belong to something unrelated.
    #[serde(default)]
    pub missed: u32,
    /// Index of what covers it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<usize>,
}

/// What kind of media an element is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum MediaKind {
    /// `img`.
    Img,
    /// `video`.
    Video,
    /// `canvas`.
    Canvas,
    /// Inline `svg`.
    Svg,
    /// `iframe`.
    Iframe,
    /// `embed`.
    Embed,
    /// `object`.
    Object,
}

/// Why a picture or video does not show.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum MediaState {
    /// It has no address.
    Empty,
    /// It had not arrived yet.
    Loading,
    /// It failed.
    Broken,
}

/// A picture, video, canvas or frame.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Media {
    /// Its kind.
    pub kind: MediaKind,
    /// Its address, cut at 300 characters.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub src: String,
    /// Intrinsic width and height; zero where it has none.
    pub natural: [f64; 2],
    /// Text alternative; none where there is no attribute.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub alt: Option<String>,
    /// Poster of a video.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub poster: Option<String>,
    /// Why it does not show; none where it does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub state: Option<MediaState>,
    /// HTTP status of a failed one; 0 where there was no answer or it is not told.
    #[serde(default)]
    pub status: u16,
    /// Whether a failed one lies on another host.
    #[serde(default)]
    pub external: bool,
    /// Whether an SVG asks to be stretched.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub stretch: bool,
}

/// A generated box.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Pseudo {
    /// `::before` or `::after`.
    pub name: String,
    /// Whether it has a background.
    pub painted: bool,
    /// Whether it is positioned, and so may cover its element.
    pub positioned: bool,
    /// Its background image.
    pub image: String,
    /// Its text.
    pub text: String,
}

/// Computed style, under CSS's own property names. Lengths in CSS pixels; what is no number of pixels (`normal`) is
/// absent, or 0 where a number is always meant.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
#[allow(missing_docs, reason = "the fields are CSS's own property names")]
pub struct Style {
    pub display: String,
    pub position: String,
    pub float: String,
    pub z_index: String,
    #[serde(deserialize_with = "number")]
    pub opacity: f64,
    pub visibility: String,
    pub overflow_x: String,
    pub overflow_y: String,
    pub color: Color,
    pub background_color: Color,
    pub background_image: String,
    pub background_clip: String,
    #[serde(deserialize_with = "number")]
    pub font_size: f64,
    #[serde(deserialize_with = "number")]
    pub font_weight: f64,
    pub font_family: String,
    #[serde(deserialize_with = "length")]
    pub line_height: Option<f64>,
    #[serde(deserialize_with = "length")]
    pub letter_spacing: Option<f64>,
    pub text_align: String,
    pub text_shadow: String,
    pub text_overflow: String,
    pub white_space: String,
    pub webkit_line_clamp: String,
    pub webkit_text_fill_color: Color,
    #[serde(deserialize_with = "number")]
    pub webkit_text_stroke_width: f64,
    #[serde(deserialize_with = "number")]
    pub border_top_width: f64,
    #[serde(deserialize_with = "number")]
    pub border_right_width: f64,
    #[serde(deserialize_with = "number")]
    pub border_bottom_width: f64,
    #[serde(deserialize_with = "number")]
    pub border_left_width: f64,
    pub border_top_color: Color,
    #[serde(deserialize_with = "number")]
    pub border_top_left_radius: f64,
    pub box_shadow: String,
    pub transform: String,
    pub filter: String,
    pub backdrop_filter: String,
    pub mix_blend_mode: String,
    pub pointer_events: String,
    pub object_fit: String,
    pub image_rendering: String,
    pub direction: String,
    pub writing_mode: String,
    pub clip_path: String,
    pub backface_visibility: String,
    pub transform_style: String,
    pub flex_direction: String,
    pub flex_wrap: String,
    pub align_items: String,
    #[serde(deserialize_with = "number")]
    pub margin_top: f64,
    #[serde(deserialize_with = "number")]
    pub margin_right: f64,
    #[serde(deserialize_with = "number")]
    pub margin_bottom: f64,
    #[serde(deserialize_with = "number")]
    pub margin_left: f64,
    pub color_scheme: String,
    #[serde(deserialize_with = "number")]
    pub padding_top: f64,
    #[serde(deserialize_with = "number")]
    pub padding_right: f64,
    #[serde(deserialize_with = "number")]
    pub padding_bottom: f64,
    #[serde(deserialize_with = "number")]
    pub padding_left: f64,
}

fn length<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<f64>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Length {
        Number(f64),
        Text(String),
        Absent,
    }
    Ok(match Length::deserialize(deserializer)? {
        Length::Number(number) => Some(number),
        Length::Text(text) => leading_number(&text),
        Length::Absent => None,
    })
}

fn number<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
    Ok(length(deserializer)?.unwrap_or(0.0))
}

/// The number that `12.5px`, `400` or `1e-5px` starts with.
fn leading_number(text: &str) -> Option<f64> {
    text.strip_suffix("px").unwrap_or(text).parse().ok()
}

fn first() -> usize {
    1
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_first(nth: &usize) -> bool {
    *nth == 1
}

fn opaque() -> f64 {
    1.0
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_opaque(opacity: &f64) -> bool {
    *opacity >= 1.0
}
