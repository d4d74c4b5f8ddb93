//! Precision, recall and F1 against sklearn.

use crate::{close, number, peer_cases};
use serde_json::Value;
use webeval_stats::detection::{DetectionScores, Detections, Undefined, f1_of, macro_average, micro_average};

fn categories(case: &Value, blank: Option<usize>) -> Vec<Detections> {
    let column = |name: &str, c: usize| -> Vec<bool> {
        let rows = case[name].as_array().unwrap();
        rows.iter().map(|row| row[c].as_bool().unwrap() && blank != Some(c)).collect()
    };
    (0..3).map(|c| Detections::count(&column("predicted", c), &column("truth", c)).unwrap()).collect()
}

#[track_caller]
fn matches(found: DetectionScores, expected: &Value) {
    close(found.precision.unwrap(), number(&expected["precision"]), 1e-12);
    close(found.recall.unwrap(), number(&expected["recall"]), 1e-12);
    close(found.f1.unwrap(), number(&expected["f1"]), 1e-12);
}

#[test]
fn categories_and_averages_match_sklearn() {
    let case = &peer_cases("detection")[0];
    let counts = categories(case, None);
    let scores: Vec<DetectionScores> = counts.iter().map(Detections::scores).collect();
    for (found, expected) in scores.iter().zip(case["categories"].as_array().unwrap()) {
        matches(*found, expected);
    }
    matches(micro_average(&counts), &case["micro"]);
    matches(macro_average(&scores, Undefined::Skip), &case["macro"]);
}

#[test]
fn a_category_without_a_case_is_none_and_averaged_as_told() {
    let case = &peer_cases("detection")[0];
    let scores: Vec<DetectionScores> = categories(case, Some(2)).iter().map(Detections::scores).collect();
    assert_eq!((scores[2].precision, scores[2].recall, scores[2].f1), (None, None, None));
    let expected = &case["empty_third"];
    matches(macro_average(&scores, Undefined::Zero), &expected["zero"]);
    matches(macro_average(&scores, Undefined::Skip), &expected["skip"]);
    assert_eq!(macro_average(&[], Undefined::Zero).f1, None);
}

#[test]
fn f1_needs_something_to_average() {
    close(f1_of(0.5, 1.0).unwrap(), 2.0 / 3.0, 1e-15);
    assert!(f1_of(0.0, 0.0).is_err());
    assert!(f1_of(1.2, 0.5).is_err());
}
