//! The crate's tests against values worked out by hand or by other programs.

mod clocks;
mod diff;
mod dynamic;
mod exact;
mod golden;
mod graph;
mod hostile;
mod levels;
mod properties;
mod similarity;

use webeval_states::{Level, Options, normalize};

/// The exact normal form under default options.
fn exact(html: &str) -> String {
    at(Level::Exact, html)
}

fn at(level: Level, html: &str) -> String {
    normalize(html, level, &Options::default()).expect("page is within limits")
}
