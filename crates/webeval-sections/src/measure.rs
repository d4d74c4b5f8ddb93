//! The in-page measuring script and what it answers.
//!
//! One call of [`SCRIPT`] collects boxes, computed styles, text lines, media, controls and paint order of the whole
//! page; everything else in this crate is arithmetic over its answer. The script is a function body: it reads its
//! options from `arguments[0]` and returns a JSON string. It leaves the document as it was, makes no request and
//! triggers no mutation observer.

mod node;

pub use node::{Control, Media, MediaKind, MediaState, Node, Pseudo, Style, Text};

use serde::{Deserialize, Serialize};

use crate::Error;

/// Version of the measurement's format.
pub const FORMAT: u32 = 1;

/// The measuring script: a function body that takes [`Options`] as `arguments[0]` and returns a [`Measurement`] as
/// JSON text. It runs in any evaluator that gives it `arguments`, such as WebDriver's `execute/sync`.
pub const SCRIPT: &str = concat!(
    include_str!("js/style.js"),
    include_str!("js/walk.js"),
    include_str!("js/hit.js"),
    include_str!("js/answer.js")
);

/// How far the script asks the browser what lies over and under texts and controls.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum HitTests {
    /// Not at all.
    None,
    /// Only what is in the viewport: the page is not scrolled.
    #[default]
    Viewport,
    /// The whole page, which is scrolled through and back.
    Page,
}

/// Options of the measuring script.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Options {
    /// Elements measured at most; a note says so when there are more.
    pub max_nodes: usize,
    /// Characters kept of each text.
    pub max_text: usize,
    /// Where paint order is asked for.
    pub hit: HitTests,
}

impl Default for Options {
    fn default() -> Self {
        Self { max_nodes: 20_000, max_text: 400, hit: HitTests::Viewport }
    }
}

/// The script's answer. Lengths are CSS pixels, places are relative to the top left corner of the page.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Measurement {
    /// [`FORMAT`].
    pub format: u32,
    /// Address of the page.
    pub url: String,
    /// Its title.
    pub title: String,
    /// `text/html`, `application/pdf`, …
    pub content_type: String,
    /// Whether it renders in quirks mode.
    pub quirks: bool,
    /// Whether it is a frameset.
    pub frameset: bool,
    /// Its `lang`.
    pub lang: String,
    /// Width and height of the viewport.
    pub viewport: [f64; 2],
    /// Device pixels a CSS pixel.
    pub pixel_ratio: f64,
    /// How far it was scrolled.
    pub scroll: [f64; 2],
    /// The viewport less its scroll bars.
    pub client: [f64; 2],
    /// The page's scrollable extent.
    pub extent: [f64; 2],
    /// Whether an overflow to the right can be scrolled to at all.
    pub scrollable_x: bool,
    /// Content of the viewport meta element.
    pub meta_viewport: String,
    /// Computed styles, each once.
    pub styles: Vec<Style>,
    /// Elements that are rendered, in document order, parents first.
    pub nodes: Vec<Node>,
    /// What the script could not do.
    pub notes: Vec<String>,
}

impl Measurement {
    /// Reads the script's answer.
    ///
    /// # Errors
    /// When it is no measurement of a format that this version reads, or its references lead nowhere.
    pub fn parse(answer: &str) -> Result<Self, Error> {
        let measurement: Self = serde_json::from_str(answer)?;
        if measurement.format != FORMAT {
            return Err(Error::Format { found: measurement.format });
        }
        measurement.check_references()?;
        Ok(measurement)
    }

    fn check_references(&self) -> Result<(), Error> {
        let broken = |what: &str, index: usize| {
            let message = format!("{what} of element {index} is out of range");
            Error::Answer { source: <serde_json::Error as serde::de::Error>::custom(message) }
        };
        for (index, node) in self.nodes.iter().enumerate() {
            if node.style >= self.styles.len() {
                return Err(broken("style", index));
            }
            let parent_is_earlier = usize::try_from(node.parent).map_or(node.parent == -1, |parent| parent < index);
            if !parent_is_earlier {
                return Err(broken("parent", index));
            }
            let text = node.text.iter().flat_map(|text| text.over.iter().chain(text.under.iter().flatten()));
            let control = node.control.iter().filter_map(|control| control.by.as_ref());
            if text.chain(control).any(|&other| other >= self.nodes.len()) {
                return Err(broken("paint order", index));
            }
        }
        Ok(())
    }
}
