//! The figures of a run.

use webeval_evidence::*;
use webeval_report::{RunStatus, summary};

use crate::sample;

#[test]
fn the_figures_of_a_complete_run() {
    let folder = tempfile::tempdir().unwrap();
    let figures = summary(&sample::complete(&folder.path().join("run"))).unwrap();
    assert_eq!(figures.status, RunStatus::Done);
    assert_eq!((figures.steps, figures.budget), (8, 100));
    assert!((figures.wall_seconds - 64.0).abs() < 1e-9);
    // 2 + 3 + … + 10 ms.
    assert!((figures.own_seconds - 0.054).abs() < 1e-9);
    assert_eq!((figures.states, figures.transitions), (Some(4), Some(8)));
    let coverage = figures.coverage.unwrap();
    let parts = [coverage.statements, coverage.functions, coverage.branches, coverage.lines];
    assert_eq!(parts.map(|count| (count.covered, count.total)), [(6, 8), (1, 2), (2, 4), (6, 8)]);
    let seen = figures.failures;
    assert_eq!(
        (seen.page_errors, seen.console_errors, seen.failed_requests, seen.blocked, seen.hangs),
        (1, 1, 1, 1, 0)
    );
    assert_eq!(seen.total(), 4);
    let unjudged: Vec<&str> =
        figures.scores.iter().filter(|score| score.value.is_none()).map(|score| score.dimension.as_str()).collect();
    assert_eq!(unjudged, ["aesthetics", "usability"]);
    let functional = figures.scores.iter().find(|score| score.dimension == "alignment.functional").unwrap();
    assert_eq!((functional.status, functional.bounds), (ScoreStatus::Incomplete, Some((33.3, 66.7))));
}

#[test]
fn a_missing_score_is_null_in_json() {
    let folder = tempfile::tempdir().unwrap();
    let figures = summary(&sample::complete(&folder.path().join("run"))).unwrap();
    let json = serde_json::to_value(&figures).unwrap();
    let aesthetics =
        json["scores"].as_array().unwrap().iter().find(|score| score["dimension"] == "aesthetics").unwrap();
    assert!(aesthetics["value"].is_null() && aesthetics["status"] == "not_judged");
    assert_eq!(serde_json::from_value::<webeval_report::Summary>(json).unwrap(), figures);
}

#[test]
fn the_status_is_the_worst_stage() {
    let folder = tempfile::tempdir().unwrap();
    let cases = [
        (vec![StageStatus::Done, StageStatus::Done], RunStatus::Partial),
        (vec![StageStatus::Done, StageStatus::Running], RunStatus::Running),
        (vec![StageStatus::Done, StageStatus::Interrupted], RunStatus::Interrupted),
        (vec![StageStatus::Failed, StageStatus::Interrupted], RunStatus::Failed),
    ];
    for (number, (stages, expected)) in cases.into_iter().enumerate() {
        let mut record = sample::record();
        record.stages.clear();
        for (stage, status) in [Stage::Deploy, Stage::Explore].into_iter().zip(stages) {
            record.stages.insert(stage, StageRecord { status, started_ms: 0, seconds: 1.0, failure: None });
        }
        let run = RunDir::create(folder.path().join(number.to_string()), &record).unwrap();
        let figures = summary(&run).unwrap();
        assert_eq!((figures.status, figures.states, figures.coverage), (expected, None, None));
    }
}
