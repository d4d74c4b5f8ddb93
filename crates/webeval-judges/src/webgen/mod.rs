//! WebGen-V: pages judged section by section, and refined by what was found.
//!
//! [`SectionPage::capture`] renders a page into a folder: its sections with texts, pictures and screenshots, the faults
//! that were measured on it, and the page as a whole. [`judge`](judge()) rates each section by the paper's nine metrics (§4.1).
//! [`instruct`] makes an instruction from a page, [`generate`](generate()) a page from an instruction, and
//! [`refine`](refine()) puts right what the judge found, turn by turn. [`classify`] says what a page's pictures are for.

mod generate;
mod html;
mod judge;
mod page;
mod ratings;
mod refine;
mod roles;

pub use generate::{Instruction, generate, instruct};
pub use html::Written;
pub use judge::{Judged, judge, undeployable};
pub use page::SectionPage;
pub use ratings::{Metric, Rating, SectionRating, low_scores};
pub use refine::{Comparison, MetricChange, RefineOptions, Refined, Render, RenderFuture, Turn, refine};
pub use roles::{Classified, classify};

use serde::{Deserialize, Serialize};

use crate::Prompts;

/// The name that this method files its scores under, with the standard input.
pub const NAME: &str = "sections";

/// What the judge is shown of a page (WebGen-V G.2, table 5).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Input {
    /// Each section by itself: its screenshot, its text with looks, its pictures.
    #[default]
    Structured,
    /// Each section by itself: its screenshot alone.
    SectionScreenshots,
    /// The page as a whole: its markup and one screenshot. The judge finds the sections itself.
    Page,
    /// The page as a whole: one screenshot alone.
    Screenshot,
    /// The page as a whole: one screenshot, and the text of every section.
    ScreenshotAndText,
}

impl Input {
    /// All of them.
    pub const ALL: [Self; 5] =
        [Self::Structured, Self::SectionScreenshots, Self::Page, Self::Screenshot, Self::ScreenshotAndText];

    /// The method that scores by this input are filed under: `sections`, or `sections.page` and so on.
    #[must_use]
    pub fn method(self) -> &'static str {
        match self {
            Self::Structured => NAME,
            Self::SectionScreenshots => "sections.section-screenshots",
            Self::Page => "sections.page",
            Self::Screenshot => "sections.screenshot",
            Self::ScreenshotAndText => "sections.screenshot-and-text",
        }
    }

    /// Its name on command lines and in files.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.method().strip_prefix("sections.").unwrap_or("structured")
    }

    /// Whether sections are shown one by one.
    fn is_by_section(self) -> bool {
        matches!(self, Self::Structured | Self::SectionScreenshots)
    }
}

/// How to judge.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Options {
    /// Number of the repeat, from 0; repeats stand beside each other in `scores.json`.
    pub repeat: u32,
    /// What the models are told.
    pub prompts: Prompts,
    /// Seed of the models' sampling.
    pub seed: u64,
    /// Whether keys, tokens and e-mail addresses are taken out of page text before it is sent.
    pub redact: bool,
    /// What the judge is shown.
    pub input: Input,
}
