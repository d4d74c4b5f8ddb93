//! Text that is cut off or leaves its box, and pages wider than the screen.

use webeval_evidence::{Rect, Severity};

use super::{Fault, Sink, quote};
use crate::finding::Rule;
use crate::geometry::RectExt as _;
use crate::page::Page;

/// Pixels by which text may leave a box unnoticed: side bearings and rounding.
const SLACK: f64 = 3.0;
/// Share of a line's height that must be missing before the cut shows through the letters.
const CUT_LINE: f64 = 0.3;

pub(super) fn check(sink: &mut Sink<'_>) {
    let page = sink.page;
    for index in page.indices() {
        let Some(visible) = page.visible_text(index) else { continue };
        if !clipped(sink, index, visible) {
            escaped(sink, index);
        }
    }
    wide_page(sink);
}

/// Text cut by the overflow of something that cannot be scrolled and has not said that it may be cut.
fn clipped(sink: &mut Sink<'_>, index: usize, visible: Rect) -> bool {
    let page = sink.page;
    let Some(text) = &page.node(index).text else { return false };
    let Some(clipper) = clipper_of(page, index) else { return false };
    let full = Rect::of(text.bounds);
    let across = (full.right() - visible.right()).max(visible.x - full.x);
    let line_height = text.lines.first().map_or(full.height, |line| line[3]);
    let down = cut_line(text.lines.as_slice(), &visible, line_height);
    if across <= SLACK && down.is_none() || may_be_cut(page, index, clipper) {
        return false;
    }
    let value = if across > SLACK { across } else { down.unwrap_or(0.0) };
    sink.report(Fault {
        node: index,
        rule: Rule::ClippedText,
        severity: Severity::Major,
        visible: true,
        rect: visible,
        value,
        limit: SLACK,
        message: format!("{} is cut off by {value:.0} px", quote(page, index)),
    });
    true
}

/// The nearest ancestor-or-self whose overflow hides, if it is the first to clip at all.
fn clipper_of(page: &Page, index: usize) -> Option<usize> {
    let clips = |at: &usize| {
        let style = page.style(*at);
        style.overflow_x != "visible" || style.overflow_y != "visible"
    };
    let at = page.lineage(index).find(clips)?;
    let style = page.style(at);
    let hides = |overflow: &str| matches!(overflow, "hidden" | "clip");
    let root = matches!(page.node(at).tag.as_str(), "html" | "body");
    (hides(&style.overflow_x) && hides(&style.overflow_y) && !root).then_some(at)
}

/// How many pixels of a line are missing, where a line is cut through its letters.
fn cut_line(lines: &[[f64; 4]], visible: &Rect, line_height: f64) -> Option<f64> {
    lines.iter().find_map(|&line| {
        let line = Rect::of(line);
        let missing = (line.bottom() - visible.bottom()).max(visible.y - line.y);
        (missing > line_height * CUT_LINE && missing < line_height * 0.9).then_some(missing)
    })
}

fn may_be_cut(page: &Page, index: usize, clipper: usize) -> bool {
    let between = || page.lineage(index).take_while(|&at| at != clipper).chain([clipper]);
    between().any(|at| {
        let style = page.style(at);
        style.text_overflow == "ellipsis"
            || !matches!(style.webkit_line_clamp.as_str(), "none" | "")
            || (at != clipper && (style.transform != "none" || style.position == "absolute"))
            || style.white_space.starts_with("nowrap") && at != index && style.display.contains("flex")
    }) || page.rect(clipper).height < 2.0
        || page.rect(clipper).width < 2.0
}

/// Text that sticks out of the nearest box that is painted around it.
fn escaped(sink: &mut Sink<'_>, index: usize) {
    let page = sink.page;
    let Some(text) = &page.node(index).text else { return };
    let full = Rect::of(text.bounds);
    let Some(container) = container_of(page, index) else { return };
    let outer = page.rect(container);
    if outer.width < 4.0 || outer.height < 4.0 {
        return;
    }
    let across = (full.right() - outer.right()).max(outer.x - full.x);
    // A content area is taller than its letters; half of what a tight line height leaves over is not ink.
    let bearing = page.style(index).font_size * 0.3;
    let down = (full.bottom() - outer.bottom()).max(outer.y - full.y) - bearing;
    let value = across.max(down);
    if value <= SLACK || full.intersection(&outer).is_none() {
        return;
    }
    sink.report(Fault {
        node: index,
        rule: Rule::TextOverflow,
        severity: if value > 12.0 { Severity::Major } else { Severity::Minor },
        visible: value > 6.0,
        rect: full,
        value,
        limit: SLACK,
        message: format!("{} leaves the box of {} by {value:.0} px", quote(page, index), page.selector(container)),
    });
}

/// The nearest painted box in flow around the text; none where something on the way is lifted, moved or scrolled.
fn container_of(page: &Page, index: usize) -> Option<usize> {
    for at in page.lineage(index) {
        let style = page.style(at);
        if matches!(page.node(at).tag.as_str(), "html" | "body") {
            return None;
        }
        let block = style.display != "inline" && style.display != "contents";
        if block && page.has_painted_box(at) {
            return (style.overflow_x == "visible").then_some(at);
        }
        let moved = matches!(style.position.as_str(), "absolute" | "fixed") || style.transform != "none";
        if moved || style.overflow_x != "visible" || style.float != "none" {
            return None;
        }
    }
    None
}

/// A page that must be scrolled sideways.
pub(super) fn wide_page(sink: &mut Sink<'_>) {
    let page = sink.page;
    let measured = page.measurement();
    let [width, height] = measured.client;
    let excess = measured.extent[0] - width;
    if excess <= SLACK || !measured.scrollable_x || measured.nodes.is_empty() {
        return;
    }
    let culprit = widest(page, width).unwrap_or(0);
    let visible = excess > 8.0;
    sink.report(Fault {
        node: culprit,
        rule: Rule::HorizontalScroll,
        severity: if excess > 40.0 { Severity::Major } else { Severity::Minor },
        visible,
        rect: Rect { x: 0.0, y: 0.0, width: measured.extent[0], height },
        value: excess,
        limit: SLACK,
        message: format!(
            "page is {excess:.0} px wider than the {width:.0} px viewport because of {}",
            page.selector(culprit)
        ),
    });
}

/// The outermost element that reaches furthest beyond the right edge.
fn widest(page: &Page, edge: f64) -> Option<usize> {
    let reach = |index: &usize| page.clipped(*index, page.rect(*index)).map_or(0.0, |rect| rect.right());
    let beyond = page.indices().filter(|index| page.is_visible(*index) && reach(index) > edge + SLACK);
    let mut best: Option<usize> = None;
    for index in beyond {
        if best.is_none_or(|best| reach(&index) > reach(&best) + 0.5) {
            best = Some(index);
        }
    }
    best
}
