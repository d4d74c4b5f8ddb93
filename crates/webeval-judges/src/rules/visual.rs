//! Visual faults, from the measurements that exploration took of each new state.

use std::collections::BTreeMap;

use serde::Deserialize;
use webeval_evidence::{BlobRef, DimensionScore, Finding, FindingPlace, Rect, Severity};

use super::Verdict;
use crate::Error;
use crate::dossier::Dossier;

/// A probe as `webeval-sections` writes it; what else it holds is not needed here.
#[derive(Debug, Deserialize)]
struct Probe {
    #[serde(default)]
    findings: Vec<Measured>,
}

#[derive(Debug, Deserialize)]
struct Measured {
    rule: String,
    severity: Severity,
    message: String,
    #[serde(default)]
    selector: Option<String>,
    #[serde(default)]
    rect: Option<Rect>,
    #[serde(default = "one")]
    count: u32,
}

fn one() -> u32 {
    1
}

pub(super) fn check(dossier: &Dossier) -> Result<Verdict, Error> {
    let mut pages = Vec::new();
    let mut findings: BTreeMap<(String, String), Finding> = BTreeMap::new();
    let mut notes = Vec::new();
    let mut seen: Vec<&BlobRef> = Vec::new();
    for step in &dossier.trace.steps {
        let Some(blob) = &step.probe else { continue };
        if seen.contains(&blob) {
            continue;
        }
        seen.push(blob);
        let probe: Probe = match serde_json::from_slice(&dossier.run.load(blob)?) {
            Ok(probe) => probe,
            Err(error) => {
                notes.push(format!("{blob} could not be read and was left out: {error}"));
                continue;
            }
        };
        pages.push(page_score(&probe));
        for measured in probe.findings {
            let place = FindingPlace {
                step: Some(step.index),
                selector: measured.selector.clone(),
                rect: measured.rect,
                screenshot: step.screenshot.clone(),
            };
            add(&mut findings, measured, place);
        }
    }
    let mut verdict = scored(&pages, findings.into_values().collect());
    verdict.notes = notes;
    Ok(verdict)
}

/// The same fault of the same element on several pages is one finding, seen first where it was seen first.
fn add(findings: &mut BTreeMap<(String, String), Finding>, measured: Measured, place: FindingPlace) {
    let key = (measured.rule.clone(), measured.selector.unwrap_or_default());
    match findings.get_mut(&key) {
        Some(known) => {
            known.count = known.count.max(measured.count);
            known.severity = known.severity.max(measured.severity);
        }
        None => {
            let Measured { rule, severity, message, count, .. } = measured;
            findings.insert(key, Finding { rule, severity, message, place, count });
        }
    }
}

fn page_score(probe: &Probe) -> f64 {
    let mut worst: BTreeMap<&str, Severity> = BTreeMap::new();
    for measured in &probe.findings {
        let known = worst.entry(&measured.rule).or_insert(measured.severity);
        *known = (*known).max(measured.severity);
    }
    (100.0 - worst.into_values().map(deduction).sum::<f64>()).max(0.0)
}

fn deduction(severity: Severity) -> f64 {
    match severity {
        Severity::Note => 0.0,
        Severity::Minor => 4.0,
        Severity::Major => 12.0,
        Severity::Critical => 30.0,
    }
}

fn scored(pages: &[f64], findings: Vec<Finding>) -> Verdict {
    if pages.is_empty() {
        let score = DimensionScore::not_judged("no page was measured");
        return Verdict { score, findings, notes: Vec::new() };
    }
    let mean = pages.iter().sum::<f64>() / pages.len() as f64;
    let worst = pages.iter().copied().fold(100.0, f64::min);
    let grounds = format!(
        "{} measured pages, {} distinct faults; mean of the pages' scores, the worst of them {worst:.0}",
        pages.len(),
        findings.len()
    );
    Verdict::scored(mean, grounds, findings)
}
