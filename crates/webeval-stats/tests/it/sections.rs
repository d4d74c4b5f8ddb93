//! Head-to-head outcomes and low scores.

use crate::close;
use webeval_stats::sections::{HeadToHead, LowScores, error_reduction, section_score};

#[test]
fn outcomes_are_counted_input_by_input() {
    let outcome = HeadToHead::of(&[4.0, 3.0, 5.0, 2.0], &[3.0, 3.0, 5.5, 4.0], 0.5).unwrap();
    assert_eq!((outcome.wins, outcome.ties, outcome.losses), (1, 2, 1));
    assert_eq!(outcome.shares(), Some([0.25, 0.5, 0.25]));
    assert_eq!(HeadToHead::of(&[], &[], 0.0).unwrap().shares(), None);
    assert!(HeadToHead::of(&[1.0], &[], 0.0).is_err());
    assert!(HeadToHead::of(&[f64::NAN], &[1.0], 0.0).is_err());
    assert!(HeadToHead::of(&[1.0], &[1.0], -0.1).is_err());
}

#[test]
fn both_definitions_of_low_are_counted() {
    // Below 4: 3, 2, 3.5. At or below: two 4s more.
    let pages = [vec![4.0, 3.0, 5.0], vec![2.0, 4.0], vec![3.5, 4.5], vec![]];
    let low = LowScores::of(&pages, LowScores::THRESHOLD).unwrap();
    assert_eq!((low.below, low.at_or_below, low.pages), (3, 5, 4));
    assert_eq!(low.below_per_page(), Some(0.75));
    assert_eq!(low.at_or_below_per_page(), Some(1.25));
    assert_eq!(LowScores::of(&[], 4.0).unwrap().below_per_page(), None);
}

#[test]
fn reductions_are_relative_to_the_start() {
    // Table 3, GPT-5, media placement: 1.49 falls to 0.72.
    close(error_reduction(1.49, 0.72).unwrap(), 0.516_778_523_489_932_9, 1e-15);
    close(error_reduction(0.16, 0.20).unwrap(), -0.25, 1e-12);
    assert!(error_reduction(0.0, 0.0).is_err());
}

#[test]
fn a_section_is_as_good_as_its_worst_metric() {
    assert_eq!(section_score(&[5.0, 3.0, 4.0]).unwrap(), 3.0);
    assert!(section_score(&[]).is_err());
    assert!(section_score(&[5.0, f64::NAN]).is_err());
}
