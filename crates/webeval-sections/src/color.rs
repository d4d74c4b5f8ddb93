//! Colours as CSS computes them, and the contrast between two of them (WCAG 2.2, success criterion 1.4.3).

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// An sRGB colour; channels 0 to 255, alpha 0 to 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Color {
    /// Red.
    pub r: f64,
    /// Green.
    pub g: f64,
    /// Blue.
    pub b: f64,
    /// Opacity.
    pub a: f64,
}

impl Color {
    /// White, the canvas of a light page.
    pub const WHITE: Self = Self { r: 255.0, g: 255.0, b: 255.0, a: 1.0 };
    /// Black.
    pub const BLACK: Self = Self { r: 0.0, g: 0.0, b: 0.0, a: 1.0 };
    /// Nothing at all.
    pub const TRANSPARENT: Self = Self { r: 0.0, g: 0.0, b: 0.0, a: 0.0 };
    /// The canvas that Chromium paints under a page whose `color-scheme` is dark.
    pub const DARK_CANVAS: Self = Self { r: 18.0, g: 18.0, b: 18.0, a: 1.0 };

    /// An opaque colour from its channels.
    #[must_use]
    pub const fn rgb(r: u8, g: u8, b: u8) -> Self {
        Self { r: r as f64, g: g as f64, b: b as f64, a: 1.0 }
    }

    /// Reads `rgb(r, g, b)`, `rgba(r, g, b, a)` and `transparent`, the forms in which browsers give computed colours.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        if text == "transparent" {
            return Some(Self::TRANSPARENT);
        }
        let inner = text.strip_prefix("rgba(").or_else(|| text.strip_prefix("rgb("))?.strip_suffix(')')?;
        let mut parts = inner.split([',', ' ', '/']).filter(|part| !part.is_empty()).map(str::parse::<f64>);
        let mut next = || parts.next()?.ok();
        let (r, g, b) = (next()?, next()?, next()?);
        Some(Self { r, g, b, a: next().unwrap_or(1.0) })
    }

    /// All colours named in a value such as a gradient or a shadow, in order.
    #[must_use]
    pub fn all_in(text: &str) -> Vec<Self> {
        let starts = text.match_indices("rgb").map(|(at, _)| at);
        starts.filter_map(|at| text[at..].find(')').and_then(|end| Self::parse(&text[at..=at + end]))).collect()
    }

    /// The same colour with its opacity multiplied.
    #[must_use]
    pub fn faded(self, opacity: f64) -> Self {
        Self { a: self.a * opacity.clamp(0.0, 1.0), ..self }
    }

    /// This colour painted over an opaque one.
    #[must_use]
    pub fn over(self, below: Self) -> Self {
        let mix = |top: f64, bottom: f64| top * self.a + bottom * (1.0 - self.a);
        Self { r: mix(self.r, below.r), g: mix(self.g, below.g), b: mix(self.b, below.b), a: 1.0 }
    }

    /// Relative luminance, 0 (black) to 1 (white).
    #[must_use]
    pub fn luminance(self) -> f64 {
        let linear = |channel: f64| {
            let c = channel / 255.0;
            if c <= 0.04045 { c / 12.92 } else { ((c + 0.055) / 1.055).powf(2.4) }
        };
        0.2126 * linear(self.r) + 0.7152 * linear(self.g) + 0.0722 * linear(self.b)
    }

    /// Contrast ratio between two opaque colours, 1 to 21.
    #[must_use]
    pub fn contrast(self, other: Self) -> f64 {
        let (a, b) = (self.luminance(), other.luminance());
        (a.max(b) + 0.05) / (a.min(b) + 0.05)
    }

    /// `#rrggbb`, opacity left out.
    #[must_use]
    pub fn hex(self) -> String {
        let byte = |channel: f64| channel.round().clamp(0.0, 255.0) as u8;
        format!("#{:02x}{:02x}{:02x}", byte(self.r), byte(self.g), byte(self.b))
    }
}

impl<'de> Deserialize<'de> for Color {
    /// An unreadable colour is no reason to lose the page: it counts as transparent.
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = std::borrow::Cow::<'de, str>::deserialize(deserializer)?;
        Ok(Self::parse(&text).unwrap_or(Self::TRANSPARENT))
    }
}

impl Serialize for Color {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self { r, g, b, a } = self;
        serializer.collect_str(&format_args!("rgba({r}, {g}, {b}, {a})"))
    }
}
