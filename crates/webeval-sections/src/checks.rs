//! Rules that turn measurements into findings.
//!
//! A rule fires only where a person shown the place would agree that something is wrong; what is merely below a
//! guideline is a [`Severity::Note`]. Everything a rule cannot be sure of (text over a picture, a turned card, a
//! carousel's track) is passed over.

mod association;
mod contrast;
mod controls;
mod empty;
mod headings;
mod media;
mod overflow;
mod overlap;
mod peers;
mod required;
mod siblings;
mod text;

pub(crate) use contrast::{Backdrop, backdrop, lies_on_another, ratio as contrast_ratio, undecided};
pub(crate) use headings::level as heading_level;
pub(crate) use media::has_like_media;
pub(crate) use peers::{Peers, groups as peer_groups, in_flow};
pub(crate) use required::missing;
pub(crate) use text::distinct_lines;

use std::collections::HashMap;

use webeval_evidence::{Rect, Severity};

use crate::finding::{Finding, PageFacts, Report, Rule};
use crate::geometry::RectExt as _;
use crate::page::Page;
use crate::score;

/// Measures every rule on a page, from its measurement alone.
#[must_use]
pub fn check(page: &Page) -> Report {
    report(page, collect(Sink::new(page)))
}

/// As [`check`], knowing the contrast of some texts from their pixels; findings only.
pub(crate) fn with_pixels(page: &Page, contrasts: &HashMap<usize, f64>) -> Vec<Finding> {
    let mut sink = Sink::new(page);
    contrast::check_pixels(&mut sink, contrasts);
    collect(sink)
}

/// Every finding on its own, like ones not merged.
pub(crate) fn findings(page: &Page) -> Vec<Finding> {
    collect(Sink { merge: false, ..Sink::new(page) })
}

/// Only whether the page must be scrolled sideways.
pub(crate) fn wide_page(page: &Page) -> Vec<Finding> {
    let mut sink = Sink::new(page);
    overflow::wide_page(&mut sink);
    sink.into_findings()
}

/// A report of findings, worst first.
pub(crate) fn report(page: &Page, mut findings: Vec<Finding>) -> Report {
    sort(&mut findings);
    let page = facts(page);
    Report { format: 1, scores: score::scores(&findings, &page), findings, page }
}

fn collect(mut sink: Sink<'_>) -> Vec<Finding> {
    for rule in [
        contrast::check,
        text::check,
        overflow::check,
        overlap::check,
        headings::check,
        media::check,
        association::check,
        siblings::check,
        controls::check,
        empty::check,
    ] {
        rule(&mut sink);
    }
    sink.into_findings()
}

fn sort(findings: &mut [Finding]) {
    findings.sort_by(|a, b| {
        let weight = |finding: &Finding| (finding.visible_error, finding.severity);
        weight(b).cmp(&weight(a)).then(a.rect.y.total_cmp(&b.rect.y)).then(a.rect.x.total_cmp(&b.rect.x))
    });
}

fn facts(page: &Page) -> PageFacts {
    let measured = page.measurement();
    let count = |wanted: &dyn Fn(usize) -> bool| page.indices().filter(|&index| wanted(index)).count();
    PageFacts {
        url: measured.url.clone(),
        title: measured.title.clone(),
        viewport: measured.viewport,
        extent: measured.extent,
        elements: measured.nodes.len(),
        texts: count(&|index| page.visible_text(index).is_some()),
        media: count(&|index| page.node(index).media.is_some() && page.is_visible(index)),
        controls: count(&|index| page.node(index).control.is_some() && page.is_visible(index)),
        notes: measured.notes.clone(),
    }
}

/// A fault about to be reported.
struct Fault {
    node: usize,
    rule: Rule,
    severity: Severity,
    /// Whether a person looking at the page would see it.
    visible: bool,
    rect: Rect,
    value: f64,
    limit: f64,
    message: String,
}

/// Collects faults; like elements with the same fault become one finding with a count.
struct Sink<'a> {
    page: &'a Page,
    findings: Vec<Finding>,
    seen: HashMap<(Rule, String, Severity), usize>,
    /// Whether like faults become one.
    merge: bool,
}

impl<'a> Sink<'a> {
    fn new(page: &'a Page) -> Self {
        Self { page, findings: Vec::new(), seen: HashMap::new(), merge: true }
    }

    fn report(&mut self, fault: Fault) {
        let key = (fault.rule, self.kind_of(fault.node), fault.severity);
        if let (true, Some(&at)) = (self.merge, self.seen.get(&key)) {
            self.findings[at].count += 1;
            return;
        }
        self.seen.insert(key, self.findings.len());
        self.findings.push(Finding {
            metric: fault.rule.metric(),
            rule: fault.rule,
            severity: fault.severity,
            message: fault.message,
            selector: self.page.selector(fault.node),
            rect: fault.rect,
            value: (fault.value * 100.0).round() / 100.0,
            limit: fault.limit,
            visible_error: fault.visible,
            count: 1,
            node: fault.node,
        });
    }

    /// Elements are alike when their tags, classes and computed styles are; one with an id is like no other.
    fn kind_of(&self, index: usize) -> String {
        let node = self.page.node(index);
        format!("{}.{} {} {}", node.tag, node.class(), node.style, node.attribute("id").unwrap_or_default())
    }

    fn into_findings(mut self) -> Vec<Finding> {
        sort(&mut self.findings);
        self.findings
    }
}

/// A short quotation of an element's text for messages.
fn quote(page: &Page, index: usize) -> String {
    let text = page.node(index).text.as_ref().map_or("", |text| text.text.as_str());
    let mut short: String = text.chars().take(40).collect();
    if short.len() < text.len() {
        short.push('…');
    }
    format!("“{short}”")
}

/// Whether an element may overlap others on purpose: it or what it lies in is lifted out of the flow, transformed,
/// or the two share a box that stacks its children.
fn deliberately_stacked(page: &Page, a: usize, b: usize) -> bool {
    let common = page.common_ancestor(a, b);
    let lifts = |from: usize| {
        page.lineage(from).take_while(|&at| Some(at) != common).any(|at| {
            let style = page.style(at);
            matches!(style.position.as_str(), "absolute" | "fixed" | "sticky")
        })
    };
    lifts(a) || lifts(b)
}

/// The page's parts that can be compared: union of boxes, for messages.
fn both(a: Rect, b: Rect) -> Rect {
    a.intersection(&b).unwrap_or_else(|| a.union(&b))
}
