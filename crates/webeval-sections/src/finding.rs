//! What the checks report.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use webeval_evidence::{Rect, Severity};

/// The metrics that a section is rated by (WebGen-V §4.1), and the page-level checks that belong to none of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "UPPERCASE")]
#[non_exhaustive]
pub enum Metric {
    /// Text accuracy; measured only where it is said which words a page has to show.
    Ta,
    /// Text placement; measured by a proxy: heading order, and text that leaves its container.
    Tp,
    /// Text readability.
    Tr,
    /// Text–image association; measured by proxies: text alternatives, and how near a caption is to its picture.
    Tia,
    /// Media positional accuracy.
    Mp,
    /// Media size and aspect.
    Msa,
    /// Media overlap robustness.
    Mor,
    /// Alignment consistency.
    Aln,
    /// Spacing consistency.
    Spc,
    /// The page as a whole: horizontal scrolling, controls too small or covered, empty sections.
    Page,
}

impl Metric {
    /// All of them, in the paper's order.
    pub const ALL: [Self; 10] =
        [Self::Ta, Self::Tp, Self::Tr, Self::Tia, Self::Mp, Self::Msa, Self::Mor, Self::Aln, Self::Spc, Self::Page];
}

/// The rule that a finding says was broken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Rule {
    /// Words that somebody said the page has to show, and that it does not.
    MissingText,
    /// Text against its effective background (WCAG 2.2, 1.4.3).
    Contrast,
    /// Text too small to read.
    TinyText,
    /// Lines or letters so close that they run into each other, or blurred.
    CrampedText,
    /// Text cut off by overflow that cannot be scrolled.
    ClippedText,
    /// Text hidden under something else.
    CoveredText,
    /// Text of two elements printed over each other.
    TextOverlap,
    /// Text that leaves the box it belongs to.
    TextOverflow,
    /// A heading that is no larger than the text it heads, or levels that skip.
    HeadingOrder,
    /// A picture without a text alternative, with its file name for one, or with that of another picture.
    MediaAlt,
    /// A caption far from its picture.
    CaptionDistance,
    /// Media that leaves its container or the page.
    MediaOutside,
    /// A picture or video that failed to load.
    BrokenMedia,
    /// Media whose proportions are not its own.
    StretchedMedia,
    /// A picture shown much larger than it is.
    UpscaledMedia,
    /// Media with no or next to no size, or a size unlike its peers'.
    MediaSize,
    /// Media over other media or over text.
    MediaOverlap,
    /// A sibling out of line.
    Misaligned,
    /// A gap unlike the others.
    UnevenGap,
    /// Boxes of siblings that run into each other.
    SiblingOverlap,
    /// The page is wider than the viewport.
    HorizontalScroll,
    /// A control smaller than 24 × 24 without the room around it that would make up for it (WCAG 2.2, 2.5.8).
    SmallControl,
    /// A control that something else lies over.
    CoveredControl,
    /// A section with nothing in it.
    EmptySection,
}

impl Rule {
    /// The metric it counts towards.
    #[must_use]
    pub fn metric(self) -> Metric {
        match self {
            Self::MissingText => Metric::Ta,
            Self::Contrast | Self::TinyText | Self::CrampedText | Self::ClippedText | Self::CoveredText => Metric::Tr,
            Self::TextOverlap => Metric::Tr,
            Self::TextOverflow | Self::HeadingOrder => Metric::Tp,
            Self::MediaAlt | Self::CaptionDistance => Metric::Tia,
            Self::MediaOutside => Metric::Mp,
            Self::BrokenMedia | Self::StretchedMedia | Self::UpscaledMedia | Self::MediaSize => Metric::Msa,
            Self::MediaOverlap => Metric::Mor,
            Self::Misaligned => Metric::Aln,
            Self::UnevenGap | Self::SiblingOverlap => Metric::Spc,
            Self::HorizontalScroll | Self::SmallControl | Self::CoveredControl | Self::EmptySection => Metric::Page,
        }
    }
}

/// A fault that was measured on a page.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct Finding {
    /// The metric it counts towards.
    pub metric: Metric,
    /// The rule broken.
    pub rule: Rule,
    /// How bad it is.
    pub severity: Severity,
    /// What is wrong, with the value and the limit.
    pub message: String,
    /// CSS path of the first element it was seen on.
    pub selector: String,
    /// That element's box, or its text's, relative to the page's top left corner.
    pub rect: Rect,
    /// What was measured, in the rule's unit.
    pub value: f64,
    /// What the rule asks for.
    pub limit: f64,
    /// Whether a person looking at the page would see it: caps the metric at 3 (WebGen-V §4.1).
    pub visible_error: bool,
    /// On how many like elements it was seen.
    pub count: u32,
    /// Index of the element in the measurement.
    #[serde(skip)]
    pub(crate) node: usize,
}

/// Everything measured on a page.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct Report {
    /// Version of this shape: 1.
    pub format: u32,
    /// The faults, worst first.
    pub findings: Vec<Finding>,
    /// A score of 1 to 5 for each metric that the page gives something to measure of.
    pub scores: BTreeMap<Metric, u8>,
    /// What the findings relate to.
    pub page: PageFacts,
}

impl Report {
    /// Its JSON Schema.
    #[must_use]
    pub fn schema() -> serde_json::Value {
        schemars::schema_for!(Self).to_value()
    }
}

/// What was looked at.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct PageFacts {
    /// Address.
    pub url: String,
    /// Title.
    pub title: String,
    /// Width and height of the viewport.
    pub viewport: [f64; 2],
    /// Width and height of the whole page.
    pub extent: [f64; 2],
    /// Elements rendered.
    pub elements: usize,
    /// Elements with visible text of their own.
    pub texts: usize,
    /// Visible pictures, videos, canvases and frames.
    pub media: usize,
    /// Visible controls.
    pub controls: usize,
    /// What could not be measured.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}
