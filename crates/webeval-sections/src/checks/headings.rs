//! Headings: proxies for text in its intended place (TP).

use webeval_evidence::Severity;

use super::{Fault, Sink, quote};
use crate::finding::Rule;
use crate::page::Page;

/// A heading smaller than this share of the text below it no longer heads it.
const SMALLER: f64 = 0.85;

pub(super) fn check(sink: &mut Sink<'_>) {
    let page = sink.page;
    let headings: Vec<(usize, u8)> = page.indices().filter_map(|index| Some((index, level(page, index)?))).collect();
    let mut last = 0;
    for &(index, level) in &headings {
        let Some(rect) = page.visible_text(index) else { continue };
        if last > 0 && level > last + 1 {
            sink.report(Fault {
                node: index,
                rule: Rule::HeadingOrder,
                severity: Severity::Note,
                visible: false,
                rect,
                value: f64::from(level),
                limit: f64::from(last + 1),
                message: format!("{} is of level {level} after one of level {last}", quote(page, index)),
            });
        }
        last = level;
        if let Some(size) = body_size_below(page, index) {
            let own = page.style(index).font_size;
            if own < size * SMALLER {
                sink.report(Fault {
                    node: index,
                    rule: Rule::HeadingOrder,
                    severity: Severity::Minor,
                    visible: own < size * 0.7,
                    rect,
                    value: own,
                    limit: size,
                    message: format!("heading {} is {own:.0} px, the text under it {size:.0} px", quote(page, index)),
                });
            }
        }
    }
}

/// A heading's level, 1 to 6.
pub(crate) fn level(page: &Page, index: usize) -> Option<u8> {
    let level = page.node(index).tag.strip_prefix('h')?.parse().ok()?;
    (1..=6).contains(&level).then_some(level)
}

/// Font size of the first paragraph that follows among the heading's siblings.
fn body_size_below(page: &Page, index: usize) -> Option<f64> {
    let parent = page.parent(index)?;
    let after = page.children(parent).iter().skip_while(|&&child| child != index).skip(1);
    let paragraph = after.copied().find(|&child| page.node(child).tag == "p" && page.visible_text(child).is_some())?;
    let long = page.node(paragraph).text.as_ref().is_some_and(|text| text.length > 60);
    long.then(|| page.style(paragraph).font_size)
}
