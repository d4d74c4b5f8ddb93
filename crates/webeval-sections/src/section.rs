//! Section detection: which parts of a page a person would name.
//!
//! WebGen-V's Algorithm 1 takes the top-level containers taller than 50 px and merges those that overlap. On real
//! pages one wrapper holds everything, and that merge leaves one section. So ancestors and descendants are decided
//! between first, from the top down ([`detect`] tells the rule), and only peers are merged.

mod agreement;
mod describe;
mod looks;
mod name;
mod split;

pub use agreement::{BCubed, algorithm_1, b_cubed};
pub use describe::{BY_RULE, Link, MediaItem, Role, SectionContent, TextRun, describe};
pub use looks::{Font, Looks, Swatch, looks};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use webeval_evidence::Rect;

use crate::geometry::RectExt as _;
use crate::page::Page;

/// Smallest height of a section, in CSS pixels (WebGen-V §3.1.1).
pub const MIN_HEIGHT: f64 = 50.0;

/// Where a section lies in the order of painting.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Layer {
    /// On the page.
    Flow,
    /// Over it: a sticky or fixed bar, a drawer, a dialog.
    Overlay,
}

/// A part of a page.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct Section {
    /// Stable name for machines: from the element's id or heading, unique on the page.
    pub id: String,
    /// Name for people: `Hero`, `Pricing`, `Footer`, …
    pub name: String,
    /// Where it lies.
    pub layer: Layer,
    /// Its box, relative to the page's top left corner.
    pub rect: Rect,
    /// CSS paths of the sibling elements it is made of, in order.
    pub selectors: Vec<String>,
    /// Their tag where there is one, `group` where there are several.
    #[serde(rename = "type")]
    pub kind: String,
    /// Their indices in the measurement.
    #[serde(skip)]
    pub(crate) roots: Vec<usize>,
}

impl Section {
    /// Whether the element belongs to the section.
    pub(crate) fn holds(&self, page: &Page, index: usize) -> bool {
        page.lineage(index).any(|at| self.roots.contains(&at))
    }
}

/// Splits a page into sections: those in flow, from top to bottom and left to right, then the overlays.
///
/// From the body down, an element is split into its children when
/// - it is a mere wrapper of one visible child, or
/// - its children are separate things: two of them are landmarks or `section`s, carry headings of their own, or have
///   different backgrounds, or the element is taller than one and a half screens;
///
/// but what its author declared a `section`, `header`, `nav`, `aside` or `footer` only when there are landmarks in it, and
/// repeated siblings (same tag and classes) are kept together as one grid, with the heading above them. What is no
/// container itself (headings, paragraphs, lists) joins the container that it stands before, or the run of its like.
/// Peers that overlap by more than a tenth of the smaller are merged; less is cut off, so that flow sections never
/// overlap. Every visible text belongs to exactly one section.
#[must_use]
pub fn detect(page: &Page) -> Vec<Section> {
    let overlays = split::overlays(page);
    let groups = split::flow(page, &overlays);
    let mut flow: Vec<(Vec<usize>, Rect)> = groups
        .into_iter()
        .filter_map(|roots| Some((split::extent(page, &roots, &overlays)?, roots)).map(|(r, g)| (g, r)))
        .collect();
    merge_overlapping(&mut flow);
    flow.sort_by(|a, b| reading_order(&a.1, &b.1));
    trim(&mut flow);
    let above = overlays.iter().filter_map(|&root| Some((vec![root], split::extent(page, &[root], &[])?)));
    let all: Vec<(Vec<usize>, Rect, Layer)> = flow
        .into_iter()
        .map(|(roots, rect)| (roots, rect, Layer::Flow))
        .chain(above.map(|(roots, rect)| (roots, rect, Layer::Overlay)))
        .collect();
    name::label(page, all)
}

/// Top to bottom; side by side from left to right.
fn reading_order(a: &Rect, b: &Rect) -> std::cmp::Ordering {
    let side_by_side = a.y < b.bottom() - 1.0 && b.y < a.bottom() - 1.0;
    if side_by_side { a.x.total_cmp(&b.x).then(a.y.total_cmp(&b.y)) } else { a.y.total_cmp(&b.y) }
}

fn merge_overlapping(flow: &mut Vec<(Vec<usize>, Rect)>) {
    let mut at = 0;
    while at < flow.len() {
        let hit = (0..flow.len()).find(|&other| other != at && flow[at].1.overlap(&flow[other].1) > 0.1);
        let Some(other) = hit else {
            at += 1;
            continue;
        };
        let (low, high) = (at.min(other), at.max(other));
        let (mut roots, rect) = flow.remove(high);
        flow[low].1 = flow[low].1.union(&rect);
        flow[low].0.append(&mut roots);
        flow[low].0.sort_unstable();
        at = 0;
    }
}

/// Cuts what little overlap is left off the later section.
fn trim(flow: &mut [(Vec<usize>, Rect)]) {
    for at in 0..flow.len() {
        for other in at + 1..flow.len() {
            let (a, b) = (flow[at].1, flow[other].1);
            let Some(both) = a.intersection(&b) else { continue };
            let rect = &mut flow[other].1;
            if both.width >= both.height {
                if b.y >= a.y {
                    *rect = Rect { y: b.y + both.height, height: b.height - both.height, ..b };
                } else {
                    rect.height -= both.height;
                }
            } else if b.x >= a.x {
                *rect = Rect { x: b.x + both.width, width: b.width - both.width, ..b };
            } else {
                rect.width -= both.width;
            }
        }
    }
}
