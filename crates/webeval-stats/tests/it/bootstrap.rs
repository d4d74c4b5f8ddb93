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
    close(interval.low, 49.5 - 5.658, 0.2);
    close(interval.high, 49.5 + 5.658, 0.2);
}

#[test]
fn the_number_of_threads_changes_nothing() {
    let values: Vec<f64> = (0..50).map(|i| f64::from(i * i % 17)).collect();
    let run = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
        pool.unwrap().install(|| {
            Bootstrap::new(11)
                .interval(50, |drawn| Some(drawn.iter().map(|&i| values[i]).sum()))
                .unwrap()
        })
    };
    let one = run(1);
    assert_eq!(one, run(2));
    assert_eq!(one, run(5));
}

#[test]
fn rarely_undefined_is_left_out_and_often_undefined_has_no_interval() {
    // Undefined when observation 0 is not drawn: (1 − 1/n)ⁿ, a third of the resamples.
    let needs_first = |drawn: &[usize]| drawn.contains(&0).then_some(1.0);
    let bootstrap = Bootstrap::new(1);
    assert!(matches!(
        bootstrap.interval(20, needs_first),
        Err(StatsError::Undefined { .. })
    ));
    assert_eq!(bootstrap.estimate(20, needs_first).unwrap().interval, None);
    // All five different draws are rarer than one in twenty (4 %): those resamples are left out.
    let all_different = |drawn: &[usize]| {
        let mut sorted = drawn.to_vec();
        sorted.sort_unstable();
        sorted.dedup();
        (sorted.len() < 5).then_some(sorted.len() as f64)
    };
    let interval = bootstrap.interval(5, all_different).unwrap();
    assert_eq!((interval.low, interval.high), (2.0, 4.0));
    assert!(bootstrap.estimate(5, all_different).is_err());
}

#[test]
fn settings_out_of_range_are_refused() {
    assert!(Bootstrap::new(0).with_resamples(5).is_err());
    assert!(Bootstrap::new(0).with_level(1.0).is_err());
    assert!(Bootstrap::new(0).with_level(f64::NAN).is_err());
    assert!(Bootstrap::new(0).interval(0, |_| Some(1.0)).is_err());
}
