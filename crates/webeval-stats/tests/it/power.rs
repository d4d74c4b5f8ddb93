//! Power and sample sizes against statsmodels and a quadrature.

use crate::{close, number, peer_cases};
use webeval_stats::power::{paired_power, tasks_to_separate};

#[test]
fn power_matches_quadrature_and_statsmodels() {
    for case in peer_cases("power")[0]["power"].as_array().unwrap() {
        let n = case["n"].as_u64().unwrap() as usize;
        let found = paired_power(number(&case["effect"]), n, number(&case["alpha"])).unwrap();
        close(found, number(&case["power_by_quadrature"]), 1e-9);
        // Theirs rests on a noncentral t that gives 1 where 0.99999966 is right.
        close(found, number(&case["power"]), 5e-7);
    }
}

#[test]
fn sample_sizes_match_statsmodels() {
    for case in peer_cases("power")[0]["solve"].as_array().unwrap() {
        let found = tasks_to_separate(number(&case["effect"]), number(&case["alpha"]), number(&case["power"])).unwrap();
        // Theirs is a real number; ours the next whole one that suffices.
        assert_eq!(found as f64, number(&case["n"]).ceil(), "{case}");
    }
}

#[test]
fn tiny_effects_come_near_the_normal_formula() {
    // ((1.959964 + 0.841621) / 0.001)² = 7,848,880, and half the square of 1.96 for Student's t.
    let found = tasks_to_separate(0.001, 0.05, 0.8).unwrap();
    // The incomplete beta function keeps some six digits with so many degrees of freedom.
    close(found as f64, 7_848_882.0, 40.0);
}

#[test]
fn an_effect_too_small_to_find_is_an_error_and_a_huge_one_needs_two_tasks() {
    assert!(tasks_to_separate(0.0, 0.05, 0.8).is_err());
    assert!(tasks_to_separate(f64::NAN, 0.05, 0.8).is_err());
    assert!(tasks_to_separate(0.5, 0.0, 0.8).is_err());
    assert!(tasks_to_separate(0.5, 0.05, 1.0).is_err());
    assert_eq!(tasks_to_separate(-1e6, 0.05, 0.8).unwrap(), 2);
}
