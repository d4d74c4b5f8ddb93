//! How two ways of cutting up a page agree, and a literal reading of the paper's Algorithm 1 to compare with.

use std::collections::HashMap;

use webeval_evidence::Rect;

use super::MIN_HEIGHT;
use crate::geometry::RectExt as _;
use crate::page::Page;

/// Side of the squares that a page is sampled in, in CSS pixels.
const CELL: f64 = 4.0;

/// Agreement of two segmentations over a page's pixels (B-cubed; Amigó et al. 2009, as used for Webis-WebSeg-20).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BCubed {
    /// Of the pixels that a found section joins with a given one, the share that belong with it.
    pub precision: f64,
    /// Of the pixels that belong with a given one, the share that a found section joins with it.
    pub recall: f64,
}

impl BCubed {
    /// Harmonic mean of the two.
    #[must_use]
    pub fn f(&self) -> f64 {
        2.0 * self.precision * self.recall / (self.precision + self.recall)
    }
}

/// Compares what was found with what is true, over all of a page; what lies in no section is one more section.
#[must_use]
pub fn b_cubed(found: &[Rect], truth: &[Rect], page: Rect) -> BCubed {
    let mut joint: HashMap<(Option<usize>, Option<usize>), f64> = HashMap::new();
    let (columns, rows) = ((page.width / CELL) as u32, (page.height / CELL) as u32);
    for row in 0..rows {
        for column in 0..columns {
            let (x, y) = ((f64::from(column) + 0.5) * CELL, (f64::from(row) + 0.5) * CELL);
            *joint.entry((section_at(found, x, y), section_at(truth, x, y))).or_default() += 1.0;
        }
    }
    let mut sizes: (HashMap<Option<usize>, f64>, HashMap<Option<usize>, f64>) = Default::default();
    for (&(a, b), count) in &joint {
        *sizes.0.entry(a).or_default() += count;
        *sizes.1.entry(b).or_default() += count;
    }
    let total: f64 = joint.values().sum();
    let mean = |size: &dyn Fn(Option<usize>, Option<usize>) -> f64| {
        joint.iter().map(|(&(a, b), count)| count * count / size(a, b)).sum::<f64>() / total
    };
    BCubed { precision: mean(&|a, _| sizes.0[&a]), recall: mean(&|_, b| sizes.1[&b]) }
}

fn section_at(sections: &[Rect], x: f64, y: f64) -> Option<usize> {
    sections.iter().position(|rect| x >= rect.x && x < rect.right() && y >= rect.y && y < rect.bottom())
}

/// WebGen-V's Algorithm 1 to the letter: every `section`, `div`, `header` and `footer` higher than 50 px, and boxes that
/// overlap merged until none do.
#[must_use]
pub fn algorithm_1(page: &Page) -> Vec<Rect> {
    let candidate = |&index: &usize| matches!(page.node(index).tag.as_str(), "section" | "div" | "header" | "footer");
    let tall = |rect: &Rect| rect.height > MIN_HEIGHT && rect.width > 0.0;
    let mut merged: Vec<Rect> = Vec::new();
    for mut rect in page.indices().filter(candidate).map(|index| page.rect(index)).filter(tall) {
        while let Some(at) = merged.iter().position(|other| other.intersection(&rect).is_some()) {
            rect = rect.union(&merged.swap_remove(at));
        }
        merged.push(rect);
    }
    merged.sort_by(|a, b| a.y.total_cmp(&b.y).then(a.x.total_cmp(&b.x)));
    merged
}
