//! Deliberation and criteria percentages.

use crate::close;
use webeval_stats::{CriteriaTally, JudgePoints, Score, StatsError, deliberation_score, trimmed_mean};

fn points(values: &[f64]) -> Vec<JudgePoints> {
    values.iter().map(|&v| JudgePoints::new(v).unwrap()).collect()
}

#[test]
fn deliberation_drops_one_extreme_on_each_side() {
    // 20 × (3.2 + 3.4 + 3.9) / 3 = 70
    let score = deliberation_score(&points(&[3.9, 0.0, 3.4, 5.0, 3.2])).unwrap();
    close(score.get(), 70.0, 1e-12);
    // Two equal highest: one stays. 20 × (2 + 3 + 5) / 3
    let score = deliberation_score(&points(&[5.0, 5.0, 3.0, 2.0, 1.0])).unwrap();
    close(score.get(), 200.0 / 3.0, 1e-12);
}

#[test]
fn deliberation_stays_on_the_scale() {
    assert_eq!(deliberation_score(&points(&[5.0; 5])).unwrap(), Score::FULL);
    assert_eq!(deliberation_score(&points(&[0.0; 5])).unwrap(), Score::ZERO);
    close(deliberation_score(&points(&[3.7; 5])).unwrap().get(), 74.0, 1e-12);
}

#[test]
fn points_clip_the_sum_and_not_the_way_there() {
    // 4.5 + 1 − 2 = 3.5; clipping after the first step would give 3.
    let sum = JudgePoints::from_base(4.5, &[1.0, -2.0]).unwrap();
    close(sum.get(), 3.5, 1e-12);
    assert_eq!(JudgePoints::from_base(0.5, &[-0.3; 7]).unwrap().get(), 0.0);
    assert_eq!(JudgePoints::from_base(4.0, &[0.5; 7]).unwrap().get(), 5.0);
}

#[test]
fn points_refuse_what_is_not_on_the_scale() {
    assert!(matches!(JudgePoints::from_base(5.5, &[]), Err(StatsError::OutOfRange { .. })));
    assert!(matches!(JudgePoints::from_base(1.0, &[f64::NAN]), Err(StatsError::NotFinite { .. })));
    assert!(matches!(JudgePoints::from_base(1.0, &[f64::MAX, f64::MAX]), Err(StatsError::NotFinite { .. })));
    assert!(serde_json::from_str::<JudgePoints>("-0.1").is_err());
    assert!(serde_json::from_str::<Score>("100.5").is_err());
}

#[test]
fn a_trimmed_mean_needs_something_to_keep() {
    assert!(matches!(trimmed_mean(&[1.0, 2.0]), Err(StatsError::TooFew { needed: 3, found: 2, .. })));
    close(trimmed_mean(&[7.0, 1.0, 100.0]).unwrap(), 7.0, 0.0);
}

#[test]
fn percentages_carry_the_bounds_of_what_is_open() {
    let tally = CriteriaTally::count([Some(true), Some(false), None, Some(true)]);
    let score = tally.percentage().unwrap();
    assert!(!score.is_complete());
    assert_eq!((score.value().get(), score.low().get(), score.high().get()), (50.0, 50.0, 75.0));
    let whole = CriteriaTally::count([Some(true), Some(false), Some(true)]);
    let score = whole.percentage().unwrap();
    assert!(score.is_complete());
    close(score.value().get(), 66.666_666_666_666_67, 1e-12);
    assert_eq!(CriteriaTally::default().percentage(), None);
}
