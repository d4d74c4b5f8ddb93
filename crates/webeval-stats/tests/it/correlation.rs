//! Coefficients and p-values against scipy.

use crate::{close, number, numbers, peer_cases};
use proptest::prelude::*;
use webeval_stats::StatsError;
use webeval_stats::correlation::{Correlation, kendall, pearson, spearman};

type Test = fn(&[f64], &[f64]) -> Result<Correlation, StatsError>;

#[test]
fn coefficients_and_p_values_match_scipy() {
    for case in peer_cases("correlation") {
        let (x, y) = (numbers(&case["x"]), numbers(&case["y"]));
        let tests: [(&str, Test); 3] = [("pearson", pearson), ("spearman", spearman), ("kendall", kendall)];
        for (name, test) in tests {
            let found = test(&x, &y).unwrap();
            let expected = &case[name];
            close(found.coefficient, number(&expected["coefficient"]), 1e-12);
            let p = number(&expected["p_value"]);
            // Where the coefficient is ±1 up to rounding, scipy's p depends on that rounding.
            let tolerance = if 1.0 - found.coefficient.abs() < 1e-12 && name != "kendall" { 1e-15 } else { 1e-9 * p };
            close(found.p_value.unwrap(), p, tolerance);
            assert_eq!(found.n, x.len());
        }
    }
}

#[test]
fn two_pairs_have_a_coefficient_and_no_p_value() {
    for test in [pearson as Test, spearman, kendall] {
        let found = test(&[1.0, 2.0], &[5.0, 3.0]).unwrap();
        close(found.coefficient, -1.0, 1e-15);
        assert_eq!(found.p_value, None);
    }
}

#[test]
fn a_constant_side_is_an_error() {
    for test in [pearson as Test, spearman, kendall] {
        assert!(matches!(test(&[1.0, 2.0, 3.0], &[0.1, 0.1, 0.1]), Err(StatsError::Undefined { .. })));
        assert!(matches!(test(&[1.0, f64::INFINITY], &[1.0, 2.0]), Err(StatsError::NotFinite { .. })));
        assert!(matches!(test(&[1.0, 2.0], &[1.0, 2.0, 3.0]), Err(StatsError::LengthMismatch { .. })));
    }
}

/// τ-b straight from its definition, over all pairs.
fn kendall_by_pairs(x: &[f64], y: &[f64]) -> Option<f64> {
    let (mut surplus, mut left, mut right) = (0.0, 0.0, 0.0);
    for i in 0..x.len() {
        for j in 0..i {
            let dx = (x[i] > x[j]) as i32 - (x[i] < x[j]) as i32;
            let dy = (y[i] > y[j]) as i32 - (y[i] < y[j]) as i32;
            surplus += f64::from(dx * dy);
            left += f64::from(dx * dx);
            right += f64::from(dy * dy);
        }
    }
    (left > 0.0 && right > 0.0).then(|| surplus / f64::sqrt(left * right))
}

proptest! {
    #[test]
    fn kendall_agrees_with_its_definition(pairs in proptest::collection::vec((0..6i8, 0..6i8), 2..40)) {
        let x: Vec<f64> = pairs.iter().map(|p| f64::from(p.0)).collect();
        let y: Vec<f64> = pairs.iter().map(|p| f64::from(p.1)).collect();
        match kendall_by_pairs(&x, &y) {
            Some(tau) => {
                let found = kendall(&x, &y).unwrap();
                prop_assert!((found.coefficient - tau).abs() < 1e-12);
                prop_assert!(found.p_value.is_none_or(|p| (0.0..=1.0).contains(&p)));
            }
            None => prop_assert!(kendall(&x, &y).is_err()),
        }
    }

    #[test]
    fn any_input_gives_a_coefficient_or_an_error(pairs in proptest::collection::vec((any::<f64>(), any::<f64>()), 0..12)) {
        let x: Vec<f64> = pairs.iter().map(|p| p.0).collect();
        let y: Vec<f64> = pairs.iter().map(|p| p.1).collect();
        for test in [pearson as Test, spearman, kendall] {
            if let Ok(found) = test(&x, &y) {
                prop_assert!((-1.0..=1.0).contains(&found.coefficient));
                prop_assert!(found.p_value.is_none_or(|p| (0.0..=1.0).contains(&p)));
            }
        }
    }
}
