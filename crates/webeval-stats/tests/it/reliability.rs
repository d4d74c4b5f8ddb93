//! Spread of repeated runs, and pool z-scores, against numpy and scipy.

use crate::{close, number, numbers, peer_cases};
use webeval_stats::pool_z_scores;
use webeval_stats::reliability::{Deviation, run_spread};

#[test]
fn spread_matches_numpy() {
    let case = &peer_cases("spread")[0];
    let runs: Vec<Vec<f64>> = case["runs"].as_array().unwrap().iter().map(numbers).collect();
    for (kind, name) in [(Deviation::Sample, "sample"), (Deviation::Population, "population")] {
        let found = run_spread(&runs, kind).unwrap();
        let expected = &case[name];
        for (query, deviation) in found.queries.iter().zip(numbers(&expected["deviations"])) {
            close(query.deviation, deviation, 1e-12);
        }
        close(found.mean_deviation, number(&expected["mean_deviation"]), 1e-12);
        close(found.mean_variation.unwrap(), number(&expected["mean_variation"]), 1e-12);
        // One query scored 0 in all runs: numpy's nanmean skips it as well.
        assert_eq!(found.without_variation, 1);
        assert_eq!(found.queries[4].variation, None);
    }
}

#[test]
fn a_query_run_once_has_no_spread() {
    assert!(run_spread(&[vec![1.0]], Deviation::Population).is_err());
    assert!(run_spread(&[], Deviation::Sample).is_err());
}

#[test]
fn pool_z_scores_match_scipy() {
    let case = &peer_cases("spread")[0];
    let found = pool_z_scores(&numbers(&case["pool"])).unwrap();
    for (z, expected) in found.iter().zip(numbers(&case["pool_z"])) {
        close(*z, expected, 1e-12);
    }
}
