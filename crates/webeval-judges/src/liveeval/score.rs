//! From verdicts to points (A.3).

use std::collections::BTreeMap;

use webeval_evidence::{DimensionScore, ScoreStatus};
use webeval_stats::criteria::{Verdict, criterion_verdict, verdict_over_runs};

use super::Evaluator;

/// What became of one criterion: for each run, the verdicts on its tasks.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CriterionRuns {
    /// Task verdicts by run; a run without tasks gave no verdict.
    pub runs: Vec<Vec<Verdict>>,
}

impl CriterionRuns {
    /// The verdict that counts: within a run any failed task fails the criterion, over runs the majority decides. None
    /// where there is no majority: unresolved, earning no points.
    #[must_use]
    pub fn verdict(&self) -> Option<Verdict> {
        let runs: Vec<Verdict> = self.runs.iter().filter_map(|tasks| criterion_verdict(tasks)).collect();
        // A run that came to nothing counts as a run: two of three must agree, not two of two.
        let wanted = self.runs.len() / 2 + 1;
        let verdict = verdict_over_runs(&runs)?;
        (runs.iter().filter(|run| **run == verdict).count() >= wanted).then_some(verdict)
    }
}

/// The scores of one evaluator, by criterion id: the points that were earned, scaled to 0 … 100 of the criterion's own.
///
/// `not applicable` and `unable` are kept apart from failures: the first leaves the criterion unjudged, the second too,
/// with the bounds 0 and 100. A criterion without a majority is unresolved and earns nothing, which its grounds say.
#[must_use]
pub fn score(evaluator: &Evaluator, verdicts: &BTreeMap<String, CriterionRuns>) -> BTreeMap<String, DimensionScore> {
    let one = |item: &super::RubricItem| {
        let runs = verdicts.get(&item.id).cloned().unwrap_or_default();
        (item.id.clone(), of_criterion(&runs, item.points))
    };
    evaluator.criteria.iter().map(one).collect()
}

fn of_criterion(runs: &CriterionRuns, points: f64) -> DimensionScore {
    let told = tell(runs);
    let judged = |value: f64, grounds: String| DimensionScore {
        status: ScoreStatus::Judged,
        value: Some(value),
        bounds: None,
        grounds,
    };
    match runs.verdict() {
        Some(Verdict::Passed) => judged(100.0, format!("passed, {points} points ({told})")),
        Some(Verdict::Failed) => judged(0.0, format!("failed, 0 of {points} points ({told})")),
        Some(Verdict::NotApplicable) => DimensionScore::not_applicable(format!("not applicable ({told})")),
        Some(Verdict::Unable) => DimensionScore {
            status: ScoreStatus::Incomplete,
            value: None,
            bounds: Some((0.0, 100.0)),
            grounds: format!("the evaluator was unable to check it ({told})"),
        },
        None if runs.runs.iter().all(Vec::is_empty) => DimensionScore::not_judged("no run gave a verdict"),
        None => judged(0.0, format!("unresolved: no majority, 0 of {points} points ({told})")),
    }
}

fn tell(runs: &CriterionRuns) -> String {
    let word = |tasks: &Vec<Verdict>| match criterion_verdict(tasks) {
        Some(Verdict::Passed) => "passed",
        Some(Verdict::Failed) => "failed",
        Some(Verdict::NotApplicable) => "not applicable",
        Some(Verdict::Unable) => "unable",
        None => "no verdict",
    };
    format!("runs: {}", runs.runs.iter().map(word).collect::<Vec<_>>().join(", "))
}
