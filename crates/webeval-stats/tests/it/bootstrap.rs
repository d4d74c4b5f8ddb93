//! Bootstrap intervals: coverage where theory gives it, and the same on any number of threads.

use crate::close;
use webeval_stats::{Bootstrap, StatsError};

#[test]
fn intervals_of_a_mean_come_near_theory() {
    // 0..=99: population deviation √((100² − 1) / 12) = 28.866, so the mean's standard error is
    // 2.8866 and the normal 95 % interval 49.5 ± 5.658.
    let values: Vec<f64> = (0..100).map(f64::from).collect();
    let mean = |drawn: &[usize]| Some(drawn.iter().map(|&i| values[i]).sum::<f64>() / 100.0);
    let bootstrap = Bootstrap::new(1).with_resamples(20_000).unwrap();
    let estimate = bootstrap.estimate(100, mean).unwrap();
    close(estimate.value, 49.5, 1e-12);
    let interval = estimate.interval.unwrap();
    // Sampling 20,000 times leaves a standard error of about 0.08 in either end.
    close(interval.low, 49.5 - 5.658, 0.3);
    close(interval.high, 49.5 + 5.658, 0.3);
}

#[test]
fn the_number_of_threads_changes_nothing() {
    let values: Vec<f64> = (0..50).map(|i| f64::from(i * i % 17)).collect();
    let run = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
        pool.unwrap().install(|| {
            Bootstrap::new(11).estimate(50, |drawn| Some(drawn.iter().map(|&i| values[i]).sum())).unwrap().interval
        })
    };
    let one = run(1);
    assert_eq!(one, run(2));
    assert_eq!(one, run(5));
}

#[test]
fn rarely_undefined_is_left_out_and_often_undefined_has_no_interval() {
    let bootstrap = Bootstrap::new(1);
    // Undefined when observation 0 is not drawn: (1 − 1/n)ⁿ, a third of the resamples.
    let needs_first = |drawn: &[usize]| drawn.contains(&0).then_some(1.0);
    assert_eq!(bootstrap.estimate(20, needs_first).unwrap().interval, None);
    // Undefined when one observation is drawn every time: 5 / 5⁵, fewer than one in twenty.
    let distinct = |drawn: &[usize]| {
        let mut sorted = drawn.to_vec();
        sorted.sort_unstable();
        sorted.dedup();
        (sorted.len() > 1).then_some(sorted.len() as f64)
    };
    assert!(bootstrap.estimate(5, distinct).unwrap().interval.is_some());
    assert_eq!(bootstrap.estimate(1, |_| Some(2.0)).unwrap().interval, None);
    assert!(matches!(bootstrap.estimate(5, |_| None), Err(StatsError::Undefined { .. })));
}

#[test]
fn intervals_are_corrected_for_bias() {
    // The population variance of a resample is (1 − 1/n) of the sample's on average, so resampled
    // values lie low, and the corrected interval lies above their middle part.
    let values: Vec<f64> = (0..20).map(|i| f64::from(i) - 9.5).collect();
    let variance = |drawn: &[usize]| {
        let mean = drawn.iter().map(|&i| values[i]).sum::<f64>() / 20.0;
        let squares = drawn.iter().map(|&i| (values[i] - mean).powi(2));
        Some(squares.sum::<f64>() / 20.0)
    };
    let estimate = Bootstrap::new(2).estimate(20, variance).unwrap();
    // Σ (i − 9.5)² / 20 over 0..=19 is (20² − 1) / 12.
    close(estimate.value, 33.25, 1e-12);
    let interval = estimate.interval.unwrap();
    // Standard error of a variance: √((m₄ − m₂²) / n) = √(879.6 / 20) = 6.63, expectation of the
    // resampled one 31.59. A plain interval is about 31.6 ± 13; shifted twice by the bias of 1.66
    // it is about 34.9 ± 13.
    close((interval.low + interval.high) / 2.0, 34.9, 1.5);
    close(interval.high - interval.low, 26.0, 4.0);
}

#[test]
fn settings_out_of_range_are_refused() {
    assert!(Bootstrap::new(0).with_resamples(5).is_err());
    assert!(Bootstrap::new(0).with_level(1.0).is_err());
    assert!(Bootstrap::new(0).with_level(f64::NAN).is_err());
    assert!(Bootstrap::new(0).estimate(0, |_| Some(1.0)).is_err());
}
