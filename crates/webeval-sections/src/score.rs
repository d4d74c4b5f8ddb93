//! From findings to a score of 1 to 5 a metric (WebGen-V §4.1).

use std::collections::BTreeMap;

use webeval_evidence::Severity;

use crate::finding::{Finding, Metric, PageFacts};

/// Rates every metric that the page gives something to measure of.
///
/// A metric without a fault gets 5, with minor faults only 4. One with a visible error gets at most 3: 3 for one or
/// two, 2 for three or more elements concerned, 1 where they are more than ten and at least a quarter of what was
/// looked at. Notes take nothing off. Text accuracy (TA) is not rated
/// here unless a required text is missing: whether there was any is the caller's to know.
#[must_use]
pub fn scores(findings: &[Finding], page: &PageFacts) -> BTreeMap<Metric, u8> {
    let measurable = |metric: &Metric| match metric {
        Metric::Ta => false,
        Metric::Tia | Metric::Mp | Metric::Msa | Metric::Mor => page.media > 0,
        Metric::Tp | Metric::Tr => page.texts > 0,
        Metric::Aln | Metric::Spc | Metric::Page => page.elements > 0,
    };
    let rated = |metric: Metric| (metric, score(findings, metric, looked_at(metric, page)));
    let mut scores: BTreeMap<Metric, u8> = Metric::ALL.into_iter().filter(measurable).map(rated).collect();
    for finding in findings.iter().filter(|finding| finding.severity > Severity::Note) {
        let metric = finding.metric;
        scores.entry(metric).or_insert_with(|| score(findings, metric, looked_at(metric, page)));
    }
    scores
}

fn looked_at(metric: Metric, page: &PageFacts) -> usize {
    match metric {
        Metric::Ta | Metric::Tp | Metric::Tr => page.texts,
        Metric::Tia | Metric::Mp | Metric::Msa | Metric::Mor => page.media,
        Metric::Aln | Metric::Spc => page.elements,
        Metric::Page => page.controls,
    }
}

fn score(findings: &[Finding], metric: Metric, looked_at: usize) -> u8 {
    let counted: Vec<&Finding> =
        findings.iter().filter(|finding| finding.metric == metric && finding.severity > Severity::Note).collect();
    let visible: usize = counted.iter().filter(|finding| finding.visible_error).map(|f| f.count as usize).sum();
    match (counted.len(), visible) {
        (0, _) => 5,
        (_, 0) => 4,
        (_, 1 | 2) => 3,
        (_, many) if many > 10 && many * 4 >= looked_at => 1,
        _ => 2,
    }
}
