//! Sign-flip tests against scipy.

use crate::{close, number, numbers, peer_cases};
use webeval_stats::StatsError;
use webeval_stats::permutation::{Method, paired_permutation};

#[test]
fn exact_p_values_match_scipy() {
    let mut exact = 0;
    for case in peer_cases("permutation") {
        let Some(expected) = case["p_value"].as_f64() else {
            continue;
        };
        let found = paired_permutation(&numbers(&case["differences"]), 1, 0).unwrap();
        assert_eq!(found.method, Method::Exact);
        close(found.p_value, expected, 1e-12);
        exact += 1;
    }
    assert_eq!(exact, 5);
}

#[test]
fn sampled_p_values_come_near_the_normal_limit() {
    let cases = peer_cases("permutation");
    let case = cases.iter().find(|c| c["name"] == "369 tasks").unwrap();
    let differences = numbers(&case["differences"]);
    let rounds = 20_000;
    let found = paired_permutation(&differences, rounds, 3).unwrap();
    assert_eq!((found.method, found.tasks), (Method::Sampled, 369));
    let p = number(&case["p_value_normal"]);
    // Four standard errors of the sampling, and a little for the limit being a limit.
    close(found.p_value, p, 4.0 * (p * (1.0 - p) / rounds as f64).sqrt() + 0.002);
}

#[test]
fn no_difference_is_no_evidence() {
    let found = paired_permutation(&[0.0; 30], 100, 1).unwrap();
    assert_eq!((found.p_value, found.mean_difference), (1.0, 0.0));
    assert!(matches!(paired_permutation(&[], 100, 1), Err(StatsError::TooFew { .. })));
    assert!(paired_permutation(&[f64::NAN], 100, 1).is_err());
    assert!(paired_permutation(&[1.0], 0, 1).is_err());
}

#[test]
fn a_sampled_p_value_is_never_zero() {
    let found = paired_permutation(&[1.0; 100], 999, 5).unwrap();
    close(found.p_value, 0.001, 1e-15);
}
