//! Text against its effective background.

use std::collections::HashMap;

use webeval_evidence::{Rect, Severity};

use super::{Fault, Sink, quote};
use crate::color::Color;
use crate::finding::Rule;
use crate::geometry::RectExt as _;
use crate::page::Page;

/// WCAG 2.2, 1.4.3: ordinary and large text.
const LIMIT: f64 = 4.5;
const LIMIT_LARGE: f64 = 3.0;
/// Shares of the limit under which a person sees the fault unasked, and under which they agree once shown.
const PLAIN: f64 = 0.55;
const AGREED: f64 = 0.67;
/// A gradient over a gradient multiplies the possible backgrounds; more are not followed.
const MAX_BACKDROPS: usize = 64;

/// What can be behind a text.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Backdrop {
    /// One of these opaque colours: several where it is a gradient.
    Colors(Vec<Color>),
    /// Only its pixels can tell: there is a picture, a filter or a blend.
    Pixels,
}

pub(super) fn check(sink: &mut Sink<'_>) {
    let page = sink.page;
    for index in page.indices() {
        if let Some(rect) = subject(page, index)
            && let Some(fault) = measure(page, index, rect)
        {
            sink.report(fault);
        }
    }
}

/// The box of the text to be read, for elements whose text must be legible (WCAG exempts disabled and decorative text).
fn subject(page: &Page, index: usize) -> Option<Rect> {
    let node = page.node(index);
    let rect = if let Some(text) = &node.text {
        let legible = text.text.chars().filter(|c| c.is_alphanumeric()).count();
        (legible > 0).then(|| page.visible_text(index)).flatten()
    } else {
        let control = node.control.as_ref()?;
        (control.label.is_some() || control.filled && is_field(&control.kind))
            .then(|| page.is_visible(index).then(|| page.rect(index)))
            .flatten()
    }?;
    let exempt = page.within(index, |node, _| {
        node.control.as_ref().is_some_and(|control| control.disabled || is_marked_disabled(node.class()))
            || node.attribute("aria-hidden") == Some("true")
            || matches!(node.tag.as_str(), "fieldset") && node.attribute("disabled").is_some()
    });
    (!exempt).then_some(rect)
}

/// Frameworks disable links and buttons by a class.
fn is_marked_disabled(class: &str) -> bool {
    class.split(' ').any(|name| matches!(name, "disabled" | "is-disabled" | "btn-disabled"))
}

fn is_field(kind: &str) -> bool {
    matches!(kind, "text" | "email" | "number" | "search" | "tel" | "url" | "date" | "time" | "textarea" | "select")
}

/// Reports texts whose contrast was taken from pixels.
pub(super) fn check_pixels(sink: &mut Sink<'_>, contrasts: &HashMap<usize, f64>) {
    let page = sink.page;
    for (index, rect) in undecided(page) {
        if let Some(fault) = contrasts.get(&index).and_then(|&ratio| judge(page, index, rect, ratio)) {
            sink.report(fault);
        }
    }
}

fn measure(page: &Page, index: usize, rect: Rect) -> Option<Fault> {
    judge(page, index, rect, ratio(page, index)?)
}

fn judge(page: &Page, index: usize, rect: Rect, ratio: f64) -> Option<Fault> {
    let style = page.style(index);
    let limit = if is_large(style.font_size, style.font_weight) { LIMIT_LARGE } else { LIMIT };
    if ratio >= limit {
        return None;
    }
    let (severity, visible) = match ratio / limit {
        share if share < PLAIN => (Severity::Major, true),
        share if share < AGREED => (Severity::Minor, false),
        _ => (Severity::Note, false),
    };
    let message = format!("contrast {ratio:.2}:1 of {} is below {limit}:1", quote(page, index));
    Some(Fault { node: index, rule: Rule::Contrast, severity, visible, rect, value: ratio, limit, message })
}

/// Best contrast that the text has with any of the colours that can be behind it; none where only pixels can tell.
pub(crate) fn ratio(page: &Page, index: usize) -> Option<f64> {
    let style = page.style(index);
    if style.webkit_text_stroke_width > 0.0 {
        return None;
    }
    let Backdrop::Colors(backdrops) = backdrop(page, index) else { return None };
    let opacity = page.node(index).opacity;
    // Text that its own background is clipped to is painted in that background.
    let inks = if style.background_clip.contains("text") {
        Color::all_in(&style.background_image)
    } else {
        vec![style.webkit_text_fill_color]
    };
    let shadows: Vec<Color> = if style.text_shadow == "none" { Vec::new() } else { Color::all_in(&style.text_shadow) };
    let mut best: Option<f64> = None;
    for ink in inks {
        for &behind in &backdrops {
            let painted = ink.faded(opacity).over(behind);
            let outlined = shadows.iter().map(|shadow| painted.contrast(shadow.over(behind)));
            let ratio = outlined.fold(painted.contrast(behind), f64::max);
            best = Some(best.map_or(ratio, |best| best.max(ratio)));
        }
    }
    best
}

/// WCAG's large text: 18 pt, or 14 pt and bold.
fn is_large(size: f64, weight: f64) -> bool {
    size >= 24.0 || (size >= 18.66 && weight >= 700.0)
}

/// The colours that can be behind an element's text.
pub(crate) fn backdrop(page: &Page, index: usize) -> Backdrop {
    let asked = page.node(index).text.as_ref().and_then(|text| text.under.clone());
    let layers = asked.unwrap_or_else(|| page.lineage(index).collect());
    let skip_own = page.style(index).background_clip.contains("text");
    let mut visible = Vec::new();
    for &layer in &layers {
        if layer == index && skip_own {
            continue;
        }
        if needs_pixels(page, layer, index) {
            return Backdrop::Pixels;
        }
        visible.push(layer);
        if is_opaque(page, layer) {
            break;
        }
    }
    let blended = page.within(index, |_, style| {
        style.mix_blend_mode != "normal" || style.filter != "none" || style.backdrop_filter != "none"
    });
    if blended {
        return Backdrop::Pixels;
    }
    let Some(canvas) = canvas(page) else { return Backdrop::Pixels };
    let mut colors = vec![canvas];
    for &layer in visible.iter().rev() {
        colors = paint(page, layer, &colors);
        if colors.len() > MAX_BACKDROPS {
            return Backdrop::Pixels;
        }
    }
    Backdrop::Colors(colors)
}

/// What the page is painted on: the root's background, else the body's, which spreads over all of it (CSS
/// Backgrounds 3, §2.11.2); none where that is a picture.
fn canvas(page: &Page) -> Option<Color> {
    let root = page.indices().next()?;
    let blank = if page.style(root).color_scheme == "dark" { Color::DARK_CANVAS } else { Color::WHITE };
    let body = page.children(root).iter().copied().find(|&child| page.node(child).tag == "body");
    let plain =
        |index: usize| page.style(index).background_color.a == 0.0 && page.style(index).background_image == "none";
    let source = if plain(root) { body.filter(|&body| !plain(body)) } else { Some(root) };
    let Some(style) = source.map(|source| page.style(source)) else { return Some(blank) };
    let stops = Color::all_in(&style.background_image);
    match (style.background_image.as_str(), stops.first()) {
        ("none", _) => Some(style.background_color.over(blank)),
        (image, Some(stop)) if !image.contains("url(") => Some(stop.over(blank)),
        _ => None,
    }
}

fn needs_pixels(page: &Page, layer: usize, text: usize) -> bool {
    let (node, style) = (page.node(layer), page.style(layer));
    let media = node.media.is_some() && layer != text;
    let covering = node.pseudo.iter().any(|pseudo| pseudo.painted && pseudo.positioned);
    media || covering || style.background_image.contains("url(") || style.mix_blend_mode != "normal"
}

fn is_opaque(page: &Page, layer: usize) -> bool {
    page.style(layer).background_color.a >= 1.0 && page.node(layer).opacity >= 1.0
}

/// The possible colours after an element's background is painted over the possible colours below it.
fn paint(page: &Page, layer: usize, below: &[Color]) -> Vec<Color> {
    let style = page.style(layer);
    let opacity = page.node(layer).opacity;
    let flat: Vec<Color> = below.iter().map(|&color| style.background_color.faded(opacity).over(color)).collect();
    if style.background_image == "none" || style.background_clip.contains("text") {
        return flat;
    }
    let stops = Color::all_in(&style.background_image);
    if stops.is_empty() {
        return flat;
    }
    let over = |stop: &Color| flat.iter().map(|&color| stop.faded(opacity).over(color)).collect::<Vec<_>>();
    stops.iter().flat_map(over).collect()
}

/// Whether the text lies on something that is not around it in the tree.
pub(crate) fn lies_on_another(page: &Page, index: usize) -> bool {
    let under = page.node(index).text.as_ref().and_then(|text| text.under.as_deref());
    under.is_some_and(|under| under.iter().any(|&layer| !page.related(layer, index)))
}

/// Boxes of elements whose contrast only their pixels can tell.
pub(crate) fn undecided(page: &Page) -> Vec<(usize, Rect)> {
    let pixels = |&(index, _): &(usize, Rect)| backdrop(page, index) == Backdrop::Pixels;
    let subjects = page.indices().filter_map(|index| Some((index, subject(page, index)?)));
    subjects.filter(|(_, rect)| rect.area() > 0.0).filter(pixels).collect()
}
