//! Every expected value here was worked by hand, printed in a paper, or computed by another program
//! (`fixtures/stats/peers`, made by `scripts/stats-fixtures.py`).
#![allow(clippy::unwrap_used)]

mod agreement;
mod analysis;
mod bootstrap;
mod compare;
mod correlation;
mod cost;
mod criteria;
mod dedup;
mod detection;
mod leaderboard;
mod pairwise;
mod permutation;
mod power;
mod published;
mod rank;
mod reliability;
mod render;
mod score;
mod sections;
mod standard;
mod votes;

use serde_json::Value;
use std::path::PathBuf;

/// Asserts that two numbers differ by no more than `tolerance`.
#[track_caller]
fn close(found: f64, expected: f64, tolerance: f64) {
    assert!((found - expected).abs() <= tolerance, "{found} is not within {tolerance} of {expected}");
}

fn fixture(path: &str) -> String {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/stats");
    std::fs::read_to_string(root.join(path)).unwrap()
}

/// The cases of a file that another program wrote.
fn peer_cases(name: &str) -> Vec<Value> {
    let file: Value = serde_json::from_str(&fixture(&format!("peers/{name}.json"))).unwrap();
    let cases = file["cases"].as_array().unwrap().clone();
    assert!(!cases.is_empty());
    cases
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("{value} is no number"))
}

fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().unwrap().iter().map(number).collect()
}

/// The rows of a published table, header left out.
fn published(name: &str) -> Vec<Vec<String>> {
    let text = fixture(&format!("published/{name}.csv"));
    let rows: Vec<Vec<String>> =
        text.lines().skip(1).map(|line| line.split(',').map(str::to_owned).collect()).collect();
    assert!(!rows.is_empty());
    rows
}
