//! Predictions from a page alone.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use webeval_evidence::Severity;

use super::{Category, Degradation};
use crate::checks;
use crate::finding::{Finding, Metric, Rule};
use crate::geometry::RectExt as _;
use crate::page::Page;
use crate::section::{Layer, Section};

/// Contrast under which any text counts as degraded, whatever its size.
const CONTRAST: f64 = 2.2;

/// Why a pair was called degraded.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Grounds {
    /// The finding.
    #[serde(flatten)]
    pub finding: Finding,
}

/// One section and category: degraded or clean.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Prediction {
    /// Id of the section.
    pub section: String,
    /// The category.
    pub category: Category,
    /// The verdict.
    pub degraded: bool,
    /// What it rests on.
    pub grounds: Vec<Grounds>,
}

/// Predicts for every flow section and category whether it is degraded.
#[must_use]
pub fn detect(page: &Page, sections: &[Section]) -> Vec<Prediction> {
    let all = checks::findings(page);
    let findings: Vec<(Category, &Finding)> =
        all.iter().filter_map(|finding| Some((category_of(page, finding)?, finding))).collect();
    let caused = |category: Category, finding: &Finding| {
        findings.iter().any(|(other, cause)| match (category, other) {
            (Category::Layout, Category::Text | Category::Media) => explains(page, cause, finding),
            (Category::Text, Category::Media) => captions(page, cause, finding),
            _ => false,
        })
    };
    let kept: Vec<(Category, &Finding)> =
        findings.iter().filter(|(category, finding)| !caused(*category, finding)).map(|&(c, f)| (c, f)).collect();
    let flow = sections.iter().filter(|section| section.layer == Layer::Flow);
    flow.flat_map(|section| {
        let kept = &kept;
        Category::ALL.into_iter().map(move |category| {
            let of = kept.iter().filter(|(other, finding)| *other == category && section.holds(page, finding.node));
            let grounds: Vec<Grounds> = of.map(|(_, finding)| Grounds { finding: (*finding).clone() }).collect();
            Prediction { section: section.id.clone(), category, degraded: !grounds.is_empty(), grounds }
        })
    })
    .collect()
}

/// The category that a finding speaks for; none when it is no sign of degradation.
fn category_of(page: &Page, finding: &Finding) -> Option<Category> {
    let plain = finding.severity >= Severity::Major || finding.visible_error;
    match finding.rule {
        // Text that lost its contrast by lying on something foreign has been moved, not recoloured.
        Rule::Contrast if checks::lies_on_another(page, finding.node) => {
            (finding.value < CONTRAST).then_some(Category::Layout)
        }
        Rule::Contrast => (finding.value < CONTRAST).then_some(Category::Text),
        Rule::TinyText | Rule::CrampedText => Some(Category::Text),
        Rule::Misaligned
        | Rule::UnevenGap
        | Rule::SiblingOverlap
        | Rule::TextOverlap
        | Rule::CoveredText
        | Rule::CoveredControl => plain.then_some(Category::Layout),
        Rule::StretchedMedia | Rule::UpscaledMedia | Rule::MediaOutside | Rule::MediaSize => {
            plain.then_some(Category::Media)
        }
        _ => None,
    }
}

/// Whether a text or media fault is what put the layout out of order: it sits in or over the element concerned.
fn explains(page: &Page, cause: &Finding, effect: &Finding) -> bool {
    let resizes = cause.metric != Metric::Tr || matches!(cause.rule, Rule::TinyText | Rule::CrampedText);
    let inside = resizes && page.related(cause.node, effect.node);
    let spills = cause.metric != Metric::Tr || cause.rule == Rule::CrampedText && effect.rule == Rule::TextOverlap;
    inside || spills && page.rect(cause.node).intersection(&effect.rect).is_some()
}

/// Whether a text was laid over a picture that is no longer under it.
fn captions(page: &Page, picture: &Finding, text: &Finding) -> bool {
    let frame =
        |at: &usize| matches!(page.node(*at).tag.as_str(), "html" | "body" | "main" | "section" | "header" | "footer");
    let near = |from: usize| page.lineage(from).take(4).take_while(|at| !frame(at)).collect::<Vec<_>>();
    let around = near(picture.node);
    text.rule == Rule::Contrast && near(text.node).iter().any(|at| around.contains(at))
}

/// How predictions and labels agree, by category.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Tally {
    /// Counts by category.
    pub categories: BTreeMap<Category, Counts>,
}

/// Degraded and said so, clean but said to be degraded, degraded but missed, clean and said so.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counts {
    /// Degraded and found.
    pub true_positive: u32,
    /// Clean but called degraded.
    pub false_positive: u32,
    /// Degraded but missed.
    pub false_negative: u32,
    /// Clean and called so.
    pub true_negative: u32,
}

impl Counts {
    /// Share of what was called degraded that was; not a number when nothing was.
    #[must_use]
    pub fn precision(&self) -> f64 {
        f64::from(self.true_positive) / f64::from(self.true_positive + self.false_positive)
    }

    /// Share of what was degraded that was found; not a number when nothing was.
    #[must_use]
    pub fn recall(&self) -> f64 {
        f64::from(self.true_positive) / f64::from(self.true_positive + self.false_negative)
    }

    /// Harmonic mean of the two.
    #[must_use]
    pub fn f1(&self) -> f64 {
        let errors = self.false_positive + self.false_negative;
        2.0 * f64::from(self.true_positive) / f64::from(2 * self.true_positive + errors)
    }
}

impl Tally {
    /// All categories added up.
    #[must_use]
    pub fn micro(&self) -> Counts {
        self.categories.values().fold(Counts::default(), |sum, counts| Counts {
            true_positive: sum.true_positive + counts.true_positive,
            false_positive: sum.false_positive + counts.false_positive,
            false_negative: sum.false_negative + counts.false_negative,
            true_negative: sum.true_negative + counts.true_negative,
        })
    }

    /// Mean of the categories' F1.
    #[must_use]
    pub fn macro_f1(&self) -> f64 {
        self.categories.values().map(Counts::f1).sum::<f64>() / self.categories.len() as f64
    }

    /// Adds a page: its predictions, its sections as detected on it, and the faults that were put into it.
    pub fn add(&mut self, predictions: &[Prediction], sections: &[Section], labels: &[Degradation]) {
        for prediction in predictions {
            let Some(section) = sections.iter().find(|section| section.id == prediction.section) else { continue };
            let labelled = labels.iter().any(|label| {
                label.category == prediction.category && home(sections, label).is_some_and(|home| home.id == section.id)
            });
            let counts = self.categories.entry(prediction.category).or_default();
            match (labelled, prediction.degraded) {
                (true, true) => counts.true_positive += 1,
                (false, true) => counts.false_positive += 1,
                (true, false) => counts.false_negative += 1,
                (false, false) => counts.true_negative += 1,
            }
        }
    }
}

/// The flow section that most of a label's box lies in.
#[must_use]
pub fn home<'a>(sections: &'a [Section], label: &Degradation) -> Option<&'a Section> {
    let flow = sections.iter().filter(|section| section.layer == Layer::Flow);
    let shared = |section: &Section| section.rect.shared(&label.rect);
    flow.filter(|section| shared(section) > 0.0).max_by(|a, b| shared(a).total_cmp(&shared(b)))
}
