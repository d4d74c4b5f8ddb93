//! The degradation experiment (WebGen-V §4.3): known faults put into a page, and predictions of where they are.
//!
//! [`plan`] chooses faults by seed for a measured page; [`stylesheet`] turns them into CSS that is added to a copy of
//! it; [`confirm`] keeps those whose effect can be measured on the changed page. [`detect`] predicts from a page alone,
//! without its clean original, which of its sections are degraded in which category; [`Tally`] compares.
//!
//! A detector may look at the rendered result only. It never reads where a declaration came from.

mod apply;
mod detect;
mod live;
mod magnitude;
mod random;
mod targets;

pub use apply::{confirm, stylesheet};
pub use detect::{Counts, Grounds, Prediction, Tally, detect, home};
pub use live::{Degraded, degrade, page_with};
pub use magnitude::Grade;

use serde::{Deserialize, Serialize};
use webeval_evidence::Rect;

use crate::page::Page;
use crate::section::{Layer, Section};
use random::Random;

/// The three kinds of degradation (WebGen-V §4.3).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Category {
    /// Font size, colour, readability.
    Text,
    /// Spacing, alignment, position.
    Layout,
    /// Size and aspect of pictures and videos.
    Media,
}

impl Category {
    /// All three, in the paper's order.
    pub const ALL: [Self; 3] = [Self::Text, Self::Layout, Self::Media];
}

/// What is done to an element.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum FaultKind {
    /// Text made smaller; magnitude: the font size left, in px (as a share of the old one when barely visible).
    TextSize,
    /// Text colour drawn towards its background; magnitude: the contrast ratio left.
    TextColor,
    /// Letters pushed together; magnitude: letter spacing in em.
    LetterSpacing,
    /// Lines pushed together; magnitude: line height as a share of the font size.
    LineHeight,
    /// Text blurred; magnitude: radius in px.
    Blur,
    /// A gap among repeated siblings changed; magnitude: by how many px.
    Spacing,
    /// A repeated sibling put out of line; magnitude: by how many px.
    Alignment,
    /// An element moved onto its neighbour; magnitude: by how many px.
    Position,
    /// A picture or video enlarged or shrunk in proportion; magnitude: the factor.
    Resize,
    /// A picture or video stretched; magnitude: the factor by which its proportion changes.
    Aspect,
}

impl FaultKind {
    /// The category it belongs to.
    #[must_use]
    pub fn category(self) -> Category {
        match self {
            Self::TextSize | Self::TextColor | Self::LetterSpacing | Self::LineHeight | Self::Blur => Category::Text,
            Self::Spacing | Self::Alignment | Self::Position => Category::Layout,
            Self::Resize | Self::Aspect => Category::Media,
        }
    }
}

/// A fault put into a page.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Degradation {
    /// CSS path of the element.
    pub selector: String,
    /// Id of its section on the clean page.
    pub section: String,
    /// Its category.
    pub category: Category,
    /// What was done.
    pub kind: FaultKind,
    /// How bad it is.
    pub grade: Grade,
    /// By how much, in the unit of the kind.
    pub magnitude: f64,
    /// Declarations that do it.
    pub css: Vec<(String, String)>,
    /// The element's box on the degraded page: labels are matched by it, since sections may move.
    pub rect: Rect,
    /// Another element whose measure the effect is taken by: the sibling before a gap.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub beside: Option<String>,
}

/// How a page is degraded.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Options {
    /// Seed of every choice.
    pub seed: u64,
    /// Share of the section–category pairs with something to degrade that get a fault.
    pub prevalence: f64,
    /// Severities that are drawn from, each as likely.
    pub grades: Vec<Grade>,
}

impl Default for Options {
    fn default() -> Self {
        Self { seed: 1, prevalence: 0.4, grades: vec![Grade::Plain, Grade::Gross] }
    }
}

impl Options {
    /// The defaults with a seed.
    #[must_use]
    pub fn with_seed(seed: u64) -> Self {
        Self { seed, ..Self::default() }
    }
}

/// Chooses faults for a page, at most one a section and category.
#[must_use]
pub fn plan(page: &Page, sections: &[Section], options: &Options) -> Vec<Degradation> {
    let mut random = Random::new(options.seed);
    let mut planned: Vec<Degradation> = Vec::new();
    for section in sections.iter().filter(|section| section.layer == Layer::Flow) {
        for category in Category::ALL {
            let mut targets = targets::of(page, section, category);
            targets.retain(|target| !planned.iter().any(|fault| touches(page, target.element, &fault.selector)));
            let hit = random.unit() < options.prevalence;
            let grade = random.pick(&options.grades).copied();
            // One kind first, so that a page full of paragraphs is not all text sizes.
            let mut kinds: Vec<FaultKind> = targets.iter().map(|target| target.kind).collect();
            kinds.sort_unstable();
            kinds.dedup();
            let kind = random.pick(&kinds).copied();
            targets.retain(|target| Some(target.kind) == kind);
            let (Some(grade), Some(target), true) = (grade, random.pick(&targets), hit) else { continue };
            planned.extend(magnitude::draw(page, target, grade, &section.id, &mut random));
        }
    }
    planned
}

/// Whether an element has a fault already, or lies in or around one that has.
fn touches(page: &Page, element: usize, selector: &str) -> bool {
    let inside = page.lineage(element).any(|at| page.selector(at) == selector);
    let own = page.selector(element);
    inside || selector.starts_with(&own)
}
