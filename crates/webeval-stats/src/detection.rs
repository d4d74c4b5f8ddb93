//! Precision, recall and F1 of a detector, per category and averaged (WebGen-V table 2).

use crate::error::{StatsError, same_length};
use serde::{Deserialize, Serialize};

/// Detections of one category against the truth.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Detections {
    /// There and detected.
    pub true_positives: u64,
    /// Detected and not there.
    pub false_positives: u64,
    /// There and not detected.
    pub false_negatives: u64,
}

impl Detections {
    /// Counts predictions against the truth, item by item.
    ///
    /// # Errors
    /// Lengths that differ.
    pub fn count(predicted: &[bool], truth: &[bool]) -> Result<Self, StatsError> {
        same_length("predictions and truth", predicted.len(), truth.len())?;
        let mut counts = Detections::default();
        for pair in predicted.iter().zip(truth) {
            match pair {
                (true, true) => counts.true_positives += 1,
                (true, false) => counts.false_positives += 1,
                (false, true) => counts.false_negatives += 1,
                (false, false) => {}
            }
        }
        Ok(counts)
    }

    /// Precision, recall and F1, each `None` where it divides by zero.
    pub fn scores(&self) -> DetectionScores {
        let hits = self.true_positives;
        DetectionScores {
            precision: ratio(hits, hits + self.false_positives),
            recall: ratio(hits, hits + self.false_negatives),
            f1: ratio(2 * hits, 2 * hits + self.false_positives + self.false_negatives),
        }
    }
}

fn ratio(part: u64, whole: u64) -> Option<f64> {
    (whole > 0).then(|| part as f64 / whole as f64)
}

/// Precision, recall and their harmonic mean, from 0 to 1.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct DetectionScores {
    /// Share of the detections that are right; `None` without a detection.
    pub precision: Option<f64>,
    /// Share of what is there that was detected; `None` when nothing is there.
    pub recall: Option<f64>,
    /// `2PR / (P + R)`, that is `2TP / (2TP + FP + FN)`; `None` when there is neither.
    pub f1: Option<f64>,
}

/// What a macro average makes of a category without a figure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Undefined {
    /// It counts as 0.
    Zero,
    /// It is left out of the average.
    Skip,
}

/// The scores over the summed counts of all categories.
pub fn micro_average(categories: &[Detections]) -> DetectionScores {
    let sum = categories.iter().fold(Detections::default(), |sum, c| Detections {
        true_positives: sum.true_positives + c.true_positives,
        false_positives: sum.false_positives + c.false_positives,
        false_negatives: sum.false_negatives + c.false_negatives,
    });
    sum.scores()
}

/// The plain mean of each score over the categories; F1 is the mean of the F1s.
pub fn macro_average(categories: &[DetectionScores], undefined: Undefined) -> DetectionScores {
    let average = |pick: fn(&DetectionScores) -> Option<f64>| {
        let values: Vec<f64> = categories
            .iter()
            .map(pick)
            .filter_map(|value| match undefined {
                Undefined::Zero => Some(value.unwrap_or(0.0)),
                Undefined::Skip => value,
            })
            .collect();
        crate::standard::mean(&values).ok()
    };
    DetectionScores { precision: average(|c| c.precision), recall: average(|c| c.recall), f1: average(|c| c.f1) }
}

/// F1 of a given precision and recall, `2PR / (P + R)`.
///
/// # Errors
/// A value outside [0, 1], or both 0.
pub fn f1_of(precision: f64, recall: f64) -> Result<f64, StatsError> {
    let p = crate::error::in_range("a precision", precision, 0.0, 1.0)?;
    let r = crate::error::in_range("a recall", recall, 0.0, 1.0)?;
    if p + r == 0.0 {
        return Err(StatsError::Undefined { what: "F1", why: "precision and recall are both 0" });
    }
    Ok(2.0 * p * r / (p + r))
}
