//! Controls that are hard to hit: too small, or covered.

use webeval_evidence::{Rect, Severity};

use super::text::is_layer;
use super::{Fault, Sink};
use crate::finding::Rule;
use crate::geometry::RectExt as _;
use crate::page::Page;

/// WCAG 2.2, 2.5.8: side of the smallest target, and diameter of the circle that a smaller one must keep free.
const TARGET: f64 = 24.0;

pub(super) fn check(sink: &mut Sink<'_>) {
    let page = sink.page;
    let controls: Vec<(usize, Rect)> = page
        .indices()
        .filter(|&index| page.node(index).control.as_ref().is_some_and(|control| !control.disabled))
        .filter_map(|index| Some((index, page.clipped(index, page.rect(index))?)))
        .filter(|&(index, _)| page.is_visible(index))
        .collect();
    for &(index, rect) in &controls {
        if !covered(sink, index, rect) {
            small(sink, index, rect, &controls);
        }
    }
}

fn covered(sink: &mut Sink<'_>, index: usize, rect: Rect) -> bool {
    let page = sink.page;
    let Some(control) = &page.node(index).control else { return false };
    let Some(by) = control.by else { return false };
    let everywhere = control.asked >= 3 && control.missed == control.asked;
    let let_through = page.style(index).pointer_events == "none";
    let cut = page.node(index).clip.is_some() && rect.area() < page.rect(index).area() * 0.9;
    let root = matches!(page.node(by).tag.as_str(), "html" | "body");
    if !everywhere || let_through || cut || root || is_layer(page, by) || stands_in(page, by, index) {
        return false;
    }
    sink.report(Fault {
        node: index,
        rule: Rule::CoveredControl,
        severity: Severity::Major,
        visible: true,
        rect,
        value: 1.0,
        limit: 0.0,
        message: format!("{} cannot be clicked: {} lies over it", page.selector(index), page.selector(by)),
    });
    true
}

/// A custom control drawn over the native one, or the label, card or overlay link that acts for it.
fn stands_in(page: &Page, by: usize, index: usize) -> bool {
    let native_under_drawing = matches!(page.node(index).tag.as_str(), "input" | "select");
    let siblings = page.parent(by) == page.parent(index) || page.lineage(by).any(|at| Some(at) == page.parent(index));
    let acts = page.within(by, |node, _| node.control.is_some() || node.tag == "label");
    native_under_drawing && siblings || acts
}

/// Smaller than the target size and too near to another control (the exceptions of 2.5.8: spacing, inline, native).
fn small(sink: &mut Sink<'_>, index: usize, rect: Rect, controls: &[(usize, Rect)]) {
    let page = sink.page;
    let node = page.node(index);
    let Some(control) = &node.control else { return };
    let inline =
        page.style(index).display == "inline" || page.parent(index).is_some_and(|p| page.node(p).text.is_some());
    let native = control.plain && matches!(control.kind.as_str(), "checkbox" | "radio" | "range" | "color" | "file");
    let hidden = rect.width < 2.0 || rect.height < 2.0 || page.node(index).opacity < 0.1;
    let side = rect.width.min(rect.height);
    if side >= TARGET || inline || native || hidden || rect.area() < page.rect(index).area() * 0.9 {
        return;
    }
    let center = rect.center();
    let crowded = controls.iter().any(|&(other, theirs)| {
        other != index && !page.related(other, index) && distance(center.x, center.y, &theirs) < TARGET / 2.0
    });
    if !crowded || is_layer(page, index) {
        return;
    }
    sink.report(Fault {
        node: index,
        rule: Rule::SmallControl,
        severity: if side < 16.0 { Severity::Minor } else { Severity::Note },
        visible: false,
        rect,
        value: side,
        limit: TARGET,
        message: format!(
            "{} is {:.0} × {:.0} px and stands close to another control",
            page.selector(index),
            rect.width,
            rect.height
        ),
    });
}

fn distance(x: f64, y: f64, rect: &Rect) -> f64 {
    let dx = (rect.x - x).max(x - rect.right()).max(0.0);
    let dy = (rect.y - y).max(y - rect.bottom()).max(0.0);
    dx.hypot(dy)
}
