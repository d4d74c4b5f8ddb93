//! Every expected value here was worked by hand, printed in a paper, or computed by another program.
#![allow(clippy::unwrap_used)]

mod score;
mod standard;

/// Asserts that two numbers differ by no more than `tolerance`.
#[track_caller]
fn close(found: f64, expected: f64, tolerance: f64) {
    assert!(
        (found - expected).abs() <= tolerance,
        "{found} is not within {tolerance} of {expected}"
    );
}
