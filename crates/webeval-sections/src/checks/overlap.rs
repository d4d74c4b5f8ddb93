//! Text printed over text, and media over media or text.

use webeval_evidence::{Rect, Severity};

use super::text::is_layer;
use super::{Fault, Sink, both, deliberately_stacked, quote};
use crate::finding::Rule;
use crate::geometry::RectExt as _;
use crate::page::Page;

/// Share of the smaller box that must be shared.
const TEXT_SHARE: f64 = 0.2;
const MEDIA_SHARE: f64 = 0.1;

pub(super) fn check(sink: &mut Sink<'_>) {
    let page = sink.page;
    let mut texts: Vec<(usize, Rect)> = page.indices().filter_map(|index| ink(page, index)).collect();
    sweep(&mut texts, |a, b| text_pair(sink, a, b));
    let mut media: Vec<(usize, Rect)> =
        page.indices().filter(|&index| is_picture(page, index)).map(|index| (index, page.rect(index))).collect();
    sweep(&mut media, |a, b| media_pair(sink, a, b));
}

/// The part of a text's box that its letters fill: a content area is taller than they are.
fn ink(page: &Page, index: usize) -> Option<(usize, Rect)> {
    let visible = page.visible_text(index)?;
    let text = page.node(index).text.as_ref()?;
    if !text.text.chars().any(char::is_alphanumeric) || is_layer(page, index) {
        return None;
    }
    let trim = page.style(index).font_size * 0.25;
    let rect = Rect { y: visible.y + trim, height: (visible.height - 2.0 * trim).max(1.0), ..visible };
    Some((index, rect))
}

fn is_picture(page: &Page, index: usize) -> bool {
    let rect = page.rect(index);
    page.node(index).media.is_some()
        && page.is_visible(index)
        && rect.width >= 16.0
        && rect.height >= 16.0
        && !is_layer(page, index)
}

/// Calls `visit` for every pair of boxes that share an area, without comparing all with all.
fn sweep(boxes: &mut [(usize, Rect)], mut visit: impl FnMut((usize, Rect), (usize, Rect))) {
    boxes.sort_by(|a, b| a.1.y.total_cmp(&b.1.y));
    for (at, &first) in boxes.iter().enumerate() {
        for &second in boxes[at + 1..].iter().take_while(|second| second.1.y < first.1.bottom()) {
            if first.1.intersection(&second.1).is_some() {
                visit(first, second);
            }
        }
    }
}

fn text_pair(sink: &mut Sink<'_>, a: (usize, Rect), b: (usize, Rect)) {
    let page = sink.page;
    let value = shared_lines(page, a.0, b.0);
    if value < TEXT_SHARE || hidden_by_other(page, a.0, b.0) {
        return;
    }
    let (index, rect) = if a.0 > b.0 { a } else { b };
    let message = format!("{} and {} are printed over each other", quote(page, a.0), quote(page, b.0));
    let visible = true;
    let rect = both(rect, if a.0 > b.0 { b.1 } else { a.1 });
    sink.report(Fault {
        node: index,
        rule: Rule::TextOverlap,
        severity: Severity::Major,
        visible,
        rect,
        value,
        limit: TEXT_SHARE,
        message,
    });
}

/// Largest share that a line of one has in common with a line of the other.
fn shared_lines(page: &Page, a: usize, b: usize) -> f64 {
    let lines = |index: usize| {
        let trim = page.style(index).font_size * 0.25;
        let lines = page.node(index).text.as_ref().map_or(&[][..], |text| &text.lines);
        lines.iter().filter_map(move |&line| {
            let line = page.clipped_text(index, Rect::of(line))?;
            Some(Rect { y: line.y + trim, height: (line.height - 2.0 * trim).max(1.0), ..line })
        })
    };
    lines(a).flat_map(|first| lines(b).map(move |second| first.overlap(&second))).fold(0.0, f64::max)
}

/// Whether an opaque box lies between the two, or one of them only shows in turn with the other.
fn hidden_by_other(page: &Page, a: usize, b: usize) -> bool {
    let Some(common) = page.common_ancestor(a, b) else { return true };
    if common == a || common == b {
        return false;
    }
    let covers = |from: usize, under: usize| {
        // Where the browser said that nothing lies over the middle of a text, nothing hides it.
        let seen = page.node(under).text.as_ref().is_some_and(|text| text.under.is_some() && text.over.is_empty());
        if seen {
            return false;
        }
        page.lineage(from).take_while(|&at| at != common).any(|at| {
            let style = page.style(at);
            let painted = style.background_color.a * page.node(at).opacity > 0.5 || style.background_image != "none";
            painted && page.rect(at).overlap(&page.rect(under)) > 0.3
        })
    };
    // A label that floats over its empty field, letters of a word set one by one.
    let turning = page.within(a, |_, style| style.transform_style == "preserve-3d");
    covers(a, b) || covers(b, a) || turning
}

fn media_pair(sink: &mut Sink<'_>, a: (usize, Rect), b: (usize, Rect)) {
    let page = sink.page;
    let value = a.1.overlap(&b.1);
    let contained = a.1.contains(&b.1, 1.0) || b.1.contains(&a.1, 1.0);
    if value < MEDIA_SHARE || contained || page.related(a.0, b.0) || intended(page, a.0, b.0) {
        return;
    }
    let (index, _) = if a.0 > b.0 { a } else { b };
    let message = format!("{} and {} overlap by {:.0} %", page.selector(a.0), page.selector(b.0), value * 100.0);
    sink.report(Fault {
        node: index,
        rule: Rule::MediaOverlap,
        severity: Severity::Major,
        visible: true,
        rect: both(a.1, b.1),
        value,
        limit: MEDIA_SHARE,
        message,
    });
}

/// Collages and rows of faces: absolutely placed, turned, or pulled together by the same negative margin.
fn intended(page: &Page, a: usize, b: usize) -> bool {
    let common = page.common_ancestor(a, b);
    let moved = |from: usize| {
        page.lineage(from).take_while(|&at| Some(at) != common).any(|at| {
            let style = page.style(at);
            style.transform != "none"
                || style.z_index != "auto"
                || style.margin_left < -1.0
                || style.margin_right < -1.0
        })
    };
    deliberately_stacked(page, a, b) || moved(a) && moved(b)
}
