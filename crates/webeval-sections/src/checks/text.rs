//! Text too small, cramped or hidden.

use webeval_evidence::{Rect, Severity};

use super::{Fault, Sink, quote};
use crate::finding::Rule;
use crate::geometry::RectExt as _;
use crate::page::Page;

/// Below the first a person complains, below the second they cannot read it, in CSS pixels.
const SMALL: f64 = 9.0;
const UNREADABLE: f64 = 7.0;
/// Shares of the font size: lines closer than this touch, letters closer than this run into each other.
const TIGHT_LINES: f64 = 0.9;
const TIGHT_LETTERS: f64 = -0.09;
/// Letters further apart than this share of the font size fall apart as words.
const LOOSE_LETTERS: f64 = 0.6;

pub(super) fn check(sink: &mut Sink<'_>) {
    let page = sink.page;
    for index in page.indices() {
        let Some(rect) = page.visible_text(index) else { continue };
        if letters(page, index) < 2 {
            continue;
        }
        tiny(sink, index, rect);
        cramped(sink, index, rect);
        covered(sink, index, rect);
    }
}

fn letters(page: &Page, index: usize) -> usize {
    page.node(index).text.as_ref().map_or(0, |text| text.text.chars().filter(|c| c.is_alphanumeric()).count())
}

/// Size at which the text reaches the eye: the font size times what transforms make of it.
fn shown_size(page: &Page, index: usize) -> f64 {
    page.style(index).font_size * page.lineage(index).map(|at| scale_of(&page.style(at).transform)).product::<f64>()
}

fn scale_of(transform: &str) -> f64 {
    let numbers = transform.strip_prefix("matrix(").and_then(|rest| rest.strip_suffix(')'));
    let parsed: Option<Vec<f64>> =
        numbers.and_then(|numbers| numbers.split(',').map(|number| number.trim().parse().ok()).collect());
    match parsed.as_deref() {
        Some([_, _, c, d, ..]) => c.hypot(*d),
        _ => 1.0,
    }
}

fn tiny(sink: &mut Sink<'_>, index: usize, rect: Rect) {
    let page = sink.page;
    let size = shown_size(page, index);
    let raised = page.within(index, |node, _| matches!(node.tag.as_str(), "sup" | "sub" | "rt"));
    let limit = if raised { UNREADABLE } else { SMALL };
    if size >= limit || size <= 0.5 {
        return;
    }
    let severity = if size < UNREADABLE { Severity::Major } else { Severity::Minor };
    let message = format!("{} is {size:.1} px high; under {limit} px is hard to read", quote(page, index));
    sink.report(Fault {
        node: index,
        rule: Rule::TinyText,
        severity,
        visible: true,
        rect,
        value: size,
        limit,
        message,
    });
}

fn cramped(sink: &mut Sink<'_>, index: usize, rect: Rect) {
    let page = sink.page;
    let style = page.style(index);
    let lines = page.node(index).text.as_ref().map_or(0, |text| distinct_lines(&text.lines));
    let fault = |value: f64, limit: f64, what: &str| Fault {
        node: index,
        rule: Rule::CrampedText,
        severity: Severity::Major,
        visible: true,
        rect,
        value,
        limit,
        message: format!("{what} of {} is {value:.2} of the font size, the limit is {limit}", quote(page, index)),
    };
    if let Some(height) = style.line_height.map(|height| height / style.font_size)
        && height < TIGHT_LINES
        && lines > 1
    {
        sink.report(fault(height, TIGHT_LINES, "line height"));
    }
    let blur = page.lineage(index).take(3).map(|at| blur_of(&page.style(at).filter)).fold(0.0, f64::max);
    if blur > 0.9 {
        let message = format!("{} is blurred by {blur} px", quote(page, index));
        sink.report(Fault { message, value: blur, limit: 0.9, ..fault(blur, 0.9, "blur") });
    }
    let Some(spacing) = style.letter_spacing.map(|spacing| spacing / style.font_size) else { return };
    if spacing < TIGHT_LETTERS {
        sink.report(fault(spacing, TIGHT_LETTERS, "letter spacing"));
    } else if spacing > LOOSE_LETTERS && letters(page, index) > 20 {
        sink.report(fault(spacing, LOOSE_LETTERS, "letter spacing"));
    }
}

/// Radius of `blur(…px)` in a filter.
fn blur_of(filter: &str) -> f64 {
    let radius = filter.split("blur(").nth(1).and_then(|rest| rest.split("px").next());
    radius.and_then(|radius| radius.parse().ok()).unwrap_or(0.0)
}

/// Lines whose middles lie apart: a line broken into several boxes is one.
pub(crate) fn distinct_lines(lines: &[[f64; 4]]) -> usize {
    let mut count = 0;
    let mut last = f64::NEG_INFINITY;
    for [_, y, _, height] in lines {
        let middle = y + height / 2.0;
        if (middle - last).abs() > 2.0 {
            count += 1;
        }
        last = middle;
    }
    count
}

/// Text whose middle is under an opaque element that is neither its relative nor a bar, drawer or dialog.
fn covered(sink: &mut Sink<'_>, index: usize, rect: Rect) {
    let page = sink.page;
    let Some(text) = page.node(index).text.as_ref() else { return };
    let Some(&over) = text.over.iter().find(|&&over| hides(page, over, index)) else { return };
    let Some(shared) = rect.intersection(&page.rect(over)) else { return };
    let value = shared.area() / rect.area();
    let message = format!("{} lies under {}", quote(page, index), page.selector(over));
    let visible = true;
    let fault = Fault {
        node: index,
        rule: Rule::CoveredText,
        severity: Severity::Major,
        visible,
        rect,
        value,
        limit: 0.0,
        message,
    };
    sink.report(fault);
}

fn hides(page: &Page, over: usize, text: usize) -> bool {
    let style = page.style(over);
    let opaque = style.background_color.a * page.node(over).opacity > 0.6
        || page.node(over).media.is_some() && page.node(over).opacity > 0.6;
    opaque && page.is_visible(over) && !is_layer(page, over) && !same_stack(page, over, text)
}

/// Bars, drawers, dialogs and other things meant to lie over the page.
pub(super) fn is_layer(page: &Page, index: usize) -> bool {
    page.within(index, |node, style| {
        matches!(style.position.as_str(), "fixed" | "sticky")
            || matches!(node.tag.as_str(), "dialog" | "menu")
            || node.attribute("aria-modal").is_some()
            || matches!(node.attribute("role"), Some("dialog" | "menu" | "tooltip" | "listbox" | "alert" | "status"))
    })
}

/// Faces of a card, slides of a slider, tabs of a panel: boxes laid over each other of which one shows.
fn same_stack(page: &Page, over: usize, text: usize) -> bool {
    let Some(common) = page.common_ancestor(over, text) else { return false };
    let branch = |from: usize| page.lineage(from).take_while(|&at| at != common).last();
    let (Some(a), Some(b)) = (branch(over), branch(text)) else { return false };
    let (ra, rb) = (page.rect(a), page.rect(b));
    let positioned = |at: usize| page.style(at).position == "absolute" || page.style(at).transform != "none";
    let stacked = positioned(a) || positioned(b);
    let like = page.node(a).tag == page.node(b).tag
        && (ra.width - rb.width).abs() < 2.0
        && (ra.height - rb.height).abs() < 2.0;
    stacked && (like || rb.overlap(&ra) > 0.98 && page.style(b).position == "absolute")
}
