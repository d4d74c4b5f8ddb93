//! Pictures and the words about them: proxies for what belongs together (TIA).

use std::collections::HashMap;

use webeval_evidence::{Rect, Severity};

use super::{Fault, Sink, quote};
use crate::finding::Rule;
use crate::geometry::RectExt as _;
use crate::measure::MediaKind;
use crate::page::Page;

/// Pixels between a picture and its caption beyond which they fall apart.
const CAPTION: f64 = 48.0;
/// Smaller pictures are ornaments.
const ORNAMENT: f64 = 16.0;

pub(super) fn check(sink: &mut Sink<'_>) {
    let page = sink.page;
    for figure in page.indices().filter(|&index| page.node(index).tag == "figure") {
        caption(sink, figure);
    }
    same_words(sink);
}

/// A caption far from the only picture of its figure.
fn caption(sink: &mut Sink<'_>, figure: usize) {
    let page = sink.page;
    let caption = page.children(figure).iter().copied().find(|&child| page.node(child).tag == "figcaption");
    let Some(caption) = caption.filter(|&caption| page.is_visible(caption)) else { return };
    let mut media = page.indices().filter(|&index| {
        page.node(index).media.is_some() && page.is_visible(index) && page.ancestors(index).any(|at| at == figure)
    });
    let (Some(picture), None) = (media.next(), media.next()) else { return };
    let (rect, value) = (page.rect(caption), gap(&page.rect(caption), &page.rect(picture)));
    if value <= CAPTION {
        return;
    }
    sink.report(Fault {
        node: caption,
        rule: Rule::CaptionDistance,
        severity: Severity::Minor,
        visible: false,
        rect,
        value,
        limit: CAPTION,
        message: format!("caption {} stands {value:.0} px from {}", quote(page, caption), page.selector(picture)),
    });
}

fn gap(a: &Rect, b: &Rect) -> f64 {
    let across = (b.x - a.right()).max(a.x - b.right()).max(0.0);
    let down = (b.y - a.bottom()).max(a.y - b.bottom()).max(0.0);
    across.hypot(down)
}

/// Different pictures that the same words are said to describe.
fn same_words(sink: &mut Sink<'_>) {
    let page = sink.page;
    let mut first: HashMap<String, usize> = HashMap::new();
    for index in page.indices().filter(|&index| page.is_visible(index) && is_picture(page, index)) {
        let Some(media) = &page.node(index).media else { continue };
        let Some(alt) = media.alt.as_deref().map(str::trim).filter(|alt| !alt.is_empty()) else { continue };
        let other = *first.entry(alt.to_lowercase()).or_insert(index);
        if page.node(other).media.as_ref().is_none_or(|other| other.src == media.src) {
            continue;
        }
        sink.report(Fault {
            node: index,
            rule: Rule::MediaAlt,
            severity: Severity::Note,
            visible: false,
            rect: page.rect(index),
            value: 0.0,
            limit: 1.0,
            message: format!(
                "{} is another picture than {}, but has the same text alternative “{alt}”",
                page.selector(index),
                page.selector(other)
            ),
        });
    }
}

fn is_picture(page: &Page, index: usize) -> bool {
    let rect = page.rect(index);
    let kind = page.node(index).media.as_ref().map(|media| media.kind);
    kind == Some(MediaKind::Img) && rect.width >= ORNAMENT && rect.height >= ORNAMENT
}
