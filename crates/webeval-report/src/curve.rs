//! The coverage curve over the steps, as inline SVG.

use std::fmt::Write as _;

use webeval_evidence::{Count, CoverageCounts, Trace};

use crate::text::{Markup, number, percent};

const WIDTH: f64 = 960.0;
const HEIGHT: f64 = 300.0;
const LEFT: f64 = 46.0;
const RIGHT: f64 = 122.0;
const TOP: f64 = 16.0;
const BOTTOM: f64 = 40.0;

/// A measure: its name, and where it is in the counts.
pub(crate) type Measure = (&'static str, fn(&CoverageCounts) -> Count);

/// The four measures, the most important first.
pub(crate) const MEASURES: [Measure; 4] = [
    ("statements", |counts| counts.statements),
    ("branches", |counts| counts.branches),
    ("functions", |counts| counts.functions),
    ("lines", |counts| counts.lines),
];

/// Draws coverage after each step; none when no step has any.
pub(crate) fn coverage(trace: &Trace) -> Option<Markup> {
    let points: Vec<(u32, CoverageCounts)> =
        trace.steps.iter().filter_map(|step| Some((step.index, step.coverage?.after))).collect();
    let last = points.last()?.0.max(1);
    let x = |step: u32| LEFT + (WIDTH - LEFT - RIGHT) * f64::from(step) / f64::from(last);
    let y = |share: f64| TOP + (HEIGHT - TOP - BOTTOM) * (1.0 - share / 100.0);
    let mut svg = Markup::default();
    let _ = write!(
        svg,
        "<svg class=\"curve\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\" aria-label=\"Coverage after each of {} steps; the figures are in the table below\">",
        points.len()
    );
    grid(&mut svg, last, &x, &y);
    for hint in &trace.hints {
        let at = x(hint.after.min(last));
        let _ = write!(
            svg,
            "<g class=\"hint\"><path d=\"M{at:.1} {TOP}V{:.1}\"/><title>Plateau: the advisor gave a hint after step {}</title></g>",
            y(0.0),
            hint.after
        );
    }
    let mut ends: Vec<(f64, &str, f64)> = Vec::new();
    for (name, measure) in MEASURES.iter().rev() {
        let shares = points.iter().map(|(step, counts)| {
            let count = measure(counts);
            percent(count.covered, count.total).map(|share| (x(*step), share))
        });
        let Some(shares) = shares.collect::<Option<Vec<_>>>() else { continue };
        let line = stairs(&shares, &y);
        if *name == "statements" {
            let _ = write!(svg, "<path class=\"area\" d=\"{line}V{:.1}H{:.1}z\"/>", y(0.0), shares[0].0);
        }
        let _ = write!(svg, "<path class=\"line {name}\" d=\"{line}\"/>");
        if let Some((_, share)) = shares.last() {
            ends.push((*share, name, y(*share)));
        }
    }
    end_labels(&mut svg, ends, x(last) + 8.0);
    svg.raw("</svg>");
    Some(svg)
}

fn grid(svg: &mut Markup, last: u32, x: &dyn Fn(u32) -> f64, y: &dyn Fn(f64) -> f64) {
    for share in [0.0, 25.0, 50.0, 75.0, 100.0] {
        let at = y(share);
        let _ = write!(
            svg,
            "<path class=\"grid\" d=\"M{LEFT} {at:.1}H{:.1}\"/><text class=\"tick end\" x=\"{:.1}\" y=\"{:.1}\">{share} %</text>",
            x(last),
            LEFT - 8.0,
            at + 4.0
        );
    }
    let every =
        [1, 2, 5, 10, 20, 25, 50, 100, 250, 500, 1000].into_iter().find(|step| last / step <= 10).unwrap_or(5000);
    for step in (0..=last).step_by(every as usize) {
        let _ = write!(svg, "<text class=\"tick mid\" x=\"{:.1}\" y=\"{:.1}\">{step}</text>", x(step), y(0.0) + 18.0);
    }
    let _ = write!(
        svg,
        "<text class=\"tick mid\" x=\"{:.1}\" y=\"{:.1}\">step</text>",
        x(last) / 2.0 + LEFT / 2.0,
        HEIGHT - 4.0
    );
}

/// A line that keeps its height until the step at which it rises.
fn stairs(shares: &[(f64, f64)], y: &dyn Fn(f64) -> f64) -> String {
    let mut d = format!("M{:.1} {:.1}", shares[0].0, y(shares[0].1));
    for (at, share) in &shares[1..] {
        let _ = write!(d, "H{at:.1}V{:.1}", y(*share));
    }
    d
}

/// The measures' names at the ends of their lines, pushed apart where the lines end close together.
fn end_labels(svg: &mut Markup, mut ends: Vec<(f64, &str, f64)>, x: f64) {
    ends.sort_by(|a, b| a.2.total_cmp(&b.2).then(a.1.cmp(b.1)));
    let mut free = TOP;
    let bottom = HEIGHT - BOTTOM + 4.0;
    let count = ends.len();
    for (index, (share, name, wanted)) in ends.into_iter().enumerate() {
        #[expect(clippy::cast_precision_loss, reason = "four measures")]
        let room_below = (count - 1 - index) as f64 * 14.0;
        let at = (wanted + 4.0).max(free).min(bottom - room_below);
        let _ = write!(svg, "<text class=\"tick {name}\" x=\"{x:.1}\" y=\"{at:.1}\">{name} {} %</text>", number(share));
        free = at + 14.0;
    }
}
