//! Sections with nothing in them.

use webeval_evidence::Severity;

use super::{Fault, Sink};
use crate::finding::Rule;
use crate::page::Page;
use crate::section::MIN_HEIGHT;

/// Pixels from which an empty section is a hole in the page.
const HOLE: f64 = 200.0;

const SECTIONS: [&str; 7] = ["section", "article", "main", "header", "footer", "aside", "nav"];

pub(super) fn check(sink: &mut Sink<'_>) {
    let page = sink.page;
    for index in page.indices().filter(|&index| SECTIONS.contains(&page.node(index).tag.as_str())) {
        let rect = page.rect(index);
        if rect.height < MIN_HEIGHT || rect.width < MIN_HEIGHT || !page.is_visible(index) || has_content(page, index) {
            continue;
        }
        // What a script may fill later is empty on purpose until then.
        let awaits = page.indices().any(|at| {
            page.lineage(at).any(|up| up == index)
                && ["id", "aria-live", "role"].iter().any(|name| page.node(at).attribute(name).is_some())
        });
        let hole = rect.height >= HOLE && !awaits;
        sink.report(Fault {
            node: index,
            rule: Rule::EmptySection,
            severity: if hole { Severity::Minor } else { Severity::Note },
            visible: false,
            rect,
            value: rect.height,
            limit: HOLE,
            message: format!("{} is {:.0} px high and has nothing in it", page.selector(index), rect.height),
        });
    }
}

/// Whether there are words (also such as do not show yet), pictures, controls or painted boxes in an element.
fn has_content(page: &Page, section: usize) -> bool {
    let pictured = |at: usize| page.style(at).background_image != "none";
    let own = |at: usize| {
        let node = page.node(at);
        node.text.is_some()
            || node.media.is_some()
            || node.control.is_some()
            || node.host
            || node.pseudo.iter().any(|pseudo| pseudo.painted || pseudo.image != "none" || !pseudo.text.is_empty())
    };
    let inner = |at: &usize| page.ancestors(*at).any(|up| up == section);
    pictured(section) || own(section) || page.indices().filter(inner).any(|at| own(at) || page.has_painted_box(at))
}
