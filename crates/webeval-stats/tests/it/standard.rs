//! z-scores and totals.

use crate::close;
use webeval_stats::{Moments, StatsError, ZComponents, mean, pool_z_scores, population_deviation, sample_deviation};

#[test]
fn z_scores_use_the_population_deviation() {
    // The textbook sample: mean 5, population deviation exactly 2, sample deviation √(32/7).
    let values = [2.0, 4.0, 4.0, 4.0, 5.0, 5.0, 7.0, 9.0];
    let pool = Moments::of_pool(&values).unwrap();
    assert_eq!((pool.mean(), pool.deviation()), (5.0, 2.0));
    assert_eq!(pool_z_scores(&values).unwrap(), [-1.5, -0.5, -0.5, -0.5, 0.0, 0.0, 1.0, 2.0]);
    close(population_deviation(&values).unwrap(), 2.0, 0.0);
    close(sample_deviation(&values).unwrap(), 2.138_089_935_299_395, 1e-14);
}

#[test]
fn fixed_references_standardise_a_single_value() {
    let reference = Moments::new(60.0, 8.0).unwrap();
    assert_eq!(reference.z(72.0).unwrap(), 1.5);
}

#[test]
fn no_spread_is_an_error_even_when_rounding_hides_it() {
    for pool in [&[0.1_f64; 3][..], &[60.0, 60.000_000_000_000_01], &[0.0; 5]] {
        assert!(matches!(pool_z_scores(pool), Err(StatsError::Undefined { .. })));
    }
    assert!(matches!(pool_z_scores(&[3.0]), Err(StatsError::TooFew { .. })));
    assert!(matches!(mean(&[]), Err(StatsError::TooFew { .. })));
    assert!(Moments::new(1.0, 0.0).is_err());
    assert!(serde_json::from_str::<Moments>(r#"{"mean": 1.0, "deviation": -2.0}"#).is_err());
}

#[test]
fn what_is_not_finite_is_refused_also_when_a_sum_overflows() {
    assert!(matches!(pool_z_scores(&[1.0, f64::NAN]), Err(StatsError::NotFinite { .. })));
    assert!(matches!(mean(&[f64::MAX, f64::MAX]), Err(StatsError::NotFinite { .. })));
    assert!(matches!(pool_z_scores(&[f64::MAX, -f64::MAX]), Err(StatsError::NotFinite { .. })));
}

#[test]
fn totals_weigh_the_three_dimensions_equally() {
    let z = ZComponents { aesthetics: 1.0, usability: -0.5, functional: 0.3, content: 0.6, visual: 0.9 };
    close(z.alignment().unwrap(), 0.6, 1e-15);
    close(z.total().unwrap(), 1.1 / 3.0, 1e-15);
}
