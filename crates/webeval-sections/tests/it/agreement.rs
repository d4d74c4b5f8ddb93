//! B-cubed against values worked by hand.

use webeval_evidence::Rect;
use webeval_sections::section::b_cubed;

const PAGE: Rect = Rect { x: 0.0, y: 0.0, width: 400.0, height: 400.0 };

fn strip(y: f64, height: f64) -> Rect {
    Rect { x: 0.0, y, width: 400.0, height }
}

#[test]
fn the_same_cut_agrees_wholly() {
    let halves = [strip(0.0, 200.0), strip(200.0, 200.0)];
    let agreement = b_cubed(&halves, &halves, PAGE);
    assert!((agreement.f() - 1.0).abs() < 1e-12);
}

#[test]
fn one_section_for_two_halves_the_precision() {
    // Every pixel's found section is the page; half of it belongs with that pixel.
    let agreement = b_cubed(&[PAGE], &[strip(0.0, 200.0), strip(200.0, 200.0)], PAGE);
    assert!((agreement.precision - 0.5).abs() < 1e-12);
    assert!((agreement.recall - 1.0).abs() < 1e-12);
}

#[test]
fn four_quarters_of_one_section_quarter_the_recall() {
    let quarters: Vec<Rect> = (0..4).map(|at| strip(f64::from(at) * 100.0, 100.0)).collect();
    let agreement = b_cubed(&quarters, &[PAGE], PAGE);
    assert!((agreement.precision - 1.0).abs() < 1e-12);
    assert!((agreement.recall - 0.25).abs() < 1e-12);
}

#[test]
fn an_unequal_cut() {
    // Found 100 | 300, true 200 | 200: cells 100, 100, 200 of 400.
    // P = (100·100/100 + 100·100/300 + 200·200/300) / 400 = 2/3; R = (100·100 + 100·100 + 200·200) / 200 / 400 = 3/4.
    let agreement = b_cubed(&[strip(0.0, 100.0), strip(100.0, 300.0)], &[strip(0.0, 200.0), strip(200.0, 200.0)], PAGE);
    assert!((agreement.precision - 2.0 / 3.0).abs() < 1e-12);
    assert!((agreement.recall - 0.75).abs() < 1e-12);
}
