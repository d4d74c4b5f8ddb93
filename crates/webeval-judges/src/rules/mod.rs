//! The rule judge: measures, and says plainly what it cannot judge. No model is asked.
//!
//! Three dimensions of its own, each 0 to 100 by a formula that a reader can redo from the findings:
//!
//! | dimension | formula |
//! | --- | --- |
//! | `rules.visual` | mean over the measured pages of 100 − Σ deductions, not below 0; a broken rule deducts once a page, by its worst severity: minor 4, major 12, critical 30 |
//! | `rules.interaction` | 100 × controls that answered ÷ controls tried; one that did nothing, threw or was covered in every try did not answer; one whose silence proves nothing yet (a `note`) is left out |
//! | `rules.stability` | 100 × steps without a fault ÷ steps, less 10 for each distinct fault (at most 50) and 3 for each distinct console error or failed request (at most 15), not below 0; faults are uncaught errors, unhandled rejections, hangs and crashes |
//!
//! What the machine is to blame for is not counted: requests to other hosts that it has no way to, and errors that follow
//! from the scripts and data that did not come. They are told as notes.
//!
//! Where the app leads is told in findings without a score: `dead-end`, a state in which at least three different actions
//! changed nothing; `no-way-back`, a page of its own address from which no tried action led back to the
//! first page.
//!
//! `aesthetics` and `usability` need a judge's eye and `alignment.*` a reader of the criteria: they stay
//! [`NotJudged`](webeval_evidence::ScoreStatus::NotJudged).

mod interaction;
mod network;
mod reach;
mod stability;
mod visual;

use std::cmp::Reverse;
use std::collections::BTreeMap;

use webeval_evidence::{DimensionScore, Finding, RunDir, ScoreEntry, ScoreStatus, TokenUsage};

use crate::Error;
use crate::dossier::Dossier;
use crate::webcraft::DIMENSIONS;

/// The name that the rule judge files its scores under, as method and as judge.
pub const NAME: &str = "rules";

/// Measures a run and files the result in its `scores.json`.
///
/// The same evidence gives the same entry. An app that could not be brought up scores 0 in every rule dimension.
///
/// # Errors
/// [`Error::NoEvidence`] before anything was explored, or when deployment failed and not by the app's fault;
/// [`Error::Evidence`] when the run directory cannot be read or written.
pub fn judge(run: &RunDir) -> Result<ScoreEntry, Error> {
    let entry = match Dossier::undeployable(run)? {
        Some(zero) => undeployable(&zero),
        None => measure(&Dossier::open(run)?)?,
    };
    let mut scores = run.scores()?;
    scores.insert(entry.clone());
    run.write_scores(&scores)?;
    Ok(entry)
}

/// What one group of rules makes of a run.
#[derive(Debug)]
struct Verdict {
    score: DimensionScore,
    findings: Vec<Finding>,
    notes: Vec<String>,
}

impl Verdict {
    fn scored(value: f64, grounds: String, findings: Vec<Finding>) -> Self {
        let value = Some(value.clamp(0.0, 100.0));
        let score = DimensionScore { status: ScoreStatus::Judged, value, bounds: None, grounds };
        Self { score, findings, notes: Vec::new() }
    }
}

fn measure(dossier: &Dossier) -> Result<ScoreEntry, Error> {
    let mut entry = empty();
    for (name, verdict) in [
        ("rules.visual", visual::check(dossier)?),
        ("rules.interaction", interaction::check(dossier)),
        ("rules.stability", stability::check(dossier)),
    ] {
        entry.dimensions.insert(name.to_owned(), verdict.score);
        entry.findings.extend(verdict.findings);
        entry.notes.extend(verdict.notes);
    }
    entry.findings.extend(reach::check(dossier));
    entry.notes.extend(reach::coverage(dossier));
    entry.findings.sort_by_key(|finding| (Reverse(finding.severity), finding.place.step));
    Ok(entry)
}

fn undeployable(zero: &DimensionScore) -> ScoreEntry {
    let mut entry = empty();
    for name in ["rules.visual", "rules.interaction", "rules.stability"] {
        entry.dimensions.insert(name.to_owned(), zero.clone());
    }
    entry
}

/// An entry in which nothing is judged yet.
fn empty() -> ScoreEntry {
    let unjudged = |name: &&str| {
        let why = if name.starts_with("alignment.") {
            "no model judged; acceptance criteria are never guessed"
        } else {
            "no model judged; rules measure faults, not quality"
        };
        ((*name).to_owned(), DimensionScore::not_judged(why))
    };
    ScoreEntry {
        method: NAME.to_owned(),
        judge: NAME.to_owned(),
        repeat: 0,
        dimensions: DIMENSIONS.iter().map(unjudged).collect::<BTreeMap<_, _>>(),
        findings: Vec::new(),
        criteria: Vec::new(),
        notes: vec![format!(
            "No model judged this run. The rules.* scores are measured by fixed rules; {} are left unscored.",
            DIMENSIONS.join(", ")
        )],
        usage: TokenUsage::default(),
    }
}
