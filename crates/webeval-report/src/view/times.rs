//! Where the steps' time went.

use webeval_evidence::{Timings, Trace};

use crate::text::{milliseconds, quantile};

/// A line of the table.
pub(crate) struct Row {
    pub(crate) what: &'static str,
    pub(crate) median: String,
    pub(crate) p90: String,
    pub(crate) longest: String,
    pub(crate) sum: String,
    pub(crate) strong: bool,
}

/// A part of a step: its name, and where it is in the timings.
type Part = (&'static str, fn(&Timings) -> f64);

const PARTS: [Part; 7] = [
    ("Carrying out the action", |t| t.act),
    ("Waiting for the page to settle", |t| t.settle),
    ("Observing the page", |t| t.observe),
    ("Taking the screenshot", |t| t.screenshot),
    ("Waiting for a model", |t| t.model),
    ("webeval’s own work", |t| t.own),
    ("Whole step", |t| t.total),
];

/// One row for each part that took any time; the first load is not a step. Empty when there are no steps.
pub(crate) fn rows(trace: &Trace) -> Vec<Row> {
    let timings: Vec<Timings> = trace.steps.iter().filter(|step| step.index > 0).map(|step| step.timings).collect();
    let row = |(what, part): Part| {
        let mut values: Vec<f64> = timings.iter().map(part).collect();
        values.sort_by(f64::total_cmp);
        let longest = *values.last()?;
        let own = what.starts_with("webeval");
        (longest > 0.0 || own).then(|| Row {
            what,
            median: milliseconds(quantile(&values, 0.5)),
            p90: milliseconds(quantile(&values, 0.9)),
            longest: milliseconds(longest),
            sum: milliseconds(values.iter().sum()),
            strong: own || what.starts_with("Whole"),
        })
    };
    PARTS.into_iter().filter_map(row).collect()
}
