//! Verdicts over tasks and runs, and the points they make.

use crate::close;
use webeval_stats::criteria::{CriteriaWeights, Verdict, criterion_verdict, verdict_over_runs};

use Verdict::{Failed, NotApplicable, Passed, Unable};

#[test]
fn one_failed_task_fails_its_criterion() {
    assert_eq!(criterion_verdict(&[Passed, Failed, Passed]), Some(Failed));
    assert_eq!(criterion_verdict(&[Unable, Failed]), Some(Failed));
    assert_eq!(criterion_verdict(&[Passed, Unable]), Some(Unable));
    assert_eq!(criterion_verdict(&[Passed, NotApplicable]), Some(Passed));
    assert_eq!(criterion_verdict(&[NotApplicable, NotApplicable]), Some(NotApplicable));
    assert_eq!(criterion_verdict(&[]), None);
}

#[test]
fn the_majority_of_the_runs_counts_and_none_is_unresolved() {
    assert_eq!(verdict_over_runs(&[Passed, Failed, Passed]), Some(Passed));
    assert_eq!(verdict_over_runs(&[Unable, Unable, Failed]), Some(Unable));
    assert_eq!(verdict_over_runs(&[Passed, Failed, Unable]), None);
    assert_eq!(verdict_over_runs(&[Passed, Failed]), None);
}

#[test]
fn points_are_shared_over_the_criteria_that_apply() {
    // Weights: passed 3, failed 2, unresolved 1, not applicable 4, unable 4: ten apply.
    let criteria = [
        (Some(Passed), 1.0),
        (Some(Passed), 2.0),
        (Some(Failed), 2.0),
        (None, 1.0),
        (Some(NotApplicable), 4.0),
        (Some(Unable), 4.0),
    ];
    let weights = CriteriaWeights::sum(&criteria).unwrap();
    let points = weights.points(15.0).unwrap().unwrap();
    close(points.earned, 4.5, 1e-12);
    close(points.high, 10.5, 1e-12);
    assert_eq!((weights.unresolved, weights.not_applicable), (1.0, 4.0));
}

#[test]
fn points_need_a_criterion_that_applies() {
    let none = CriteriaWeights::sum(&[(Some(NotApplicable), 1.0)]).unwrap();
    assert_eq!(none.points(15.0).unwrap(), None);
    assert!(CriteriaWeights::sum(&[(Some(Passed), -1.0)]).is_err());
    assert!(CriteriaWeights::sum(&[(None, f64::NAN)]).is_err());
    assert!(none.points(f64::INFINITY).is_err());
}
