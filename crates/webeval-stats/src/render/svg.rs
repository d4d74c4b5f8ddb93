//! Plots as SVG documents that stand alone.

use super::tables::{band_name, total_format};
use super::{clean, rounded};
use crate::leaderboard::Leaderboard;
use crate::pairwise::BandAgreement;
use std::fmt::Write;

const INK: &str = "#222222";
const FAINT: &str = "#dddddd";
const BLUE: &str = "#1f5fa8";
const ORANGE: &str = "#b3500f";

/// The models' totals with their intervals, best at the top.
///
/// Models without a total are left out.
pub fn leaderboard_svg(board: &Leaderboard) -> String {
    let rows: Vec<(String, f64, f64, f64)> = board
        .standings
        .iter()
        .filter_map(|s| {
            let total = s.total?;
            let (low, high) = total.interval.map_or((total.value, total.value), |i| (i.low, i.high));
            Some((s.model.to_string(), total.value, low, high))
        })
        .collect();
    let longest = rows.iter().map(|r| r.0.chars().count()).max().unwrap_or(0);
    // 7 pixels hold a character of this size; long names are cut by no one.
    let left = 30.0 + 7.0 * longest as f64;
    let (row_height, plot_width) = (24.0, 520.0);
    let bottom = 40.0 + row_height * rows.len() as f64;
    let axis = Axis::over(rows.iter().flat_map(|r| [r.1, r.2, r.3]), left, plot_width);
    let title = format!("Leaderboard: {}", board.scheme.name());
    let mut svg = Svg::new(left + plot_width + 90.0, bottom + 50.0, &title);
    svg.text(left, 22.0, "start", &title);
    axis.draw(&mut svg, 34.0, bottom, "total");
    let (decimals, signed) = total_format(board);
    for (i, (model, value, low, high)) in rows.iter().enumerate() {
        let y = 40.0 + row_height * (i as f64 + 0.5);
        svg.text(left - 10.0, y + 4.0, "end", model);
        svg.line((axis.x(*low), y), (axis.x(*high), y), BLUE, 2.0);
        for end in [low, high] {
            svg.line((axis.x(*end), y - 4.0), (axis.x(*end), y + 4.0), BLUE, 2.0);
        }
        svg.dot(axis.x(*value), y, BLUE);
        let label = rounded(*value, decimals, signed);
        svg.text(left + plot_width + 14.0, y + 4.0, "start", &label);
    }
    svg.finish()
}

/// Agreement by band as bars with Wilson intervals of 95 %, cumulative agreement as a line.
pub fn agreement_svg(agreement: &BandAgreement) -> String {
    let (left, top, height, step) = (60.0, 50.0, 260.0, 90.0);
    let width = step * agreement.bands.len() as f64;
    let bottom = top + height;
    let y = |share: f64| bottom - height * share;
    let title = "Agreement by size of the score difference";
    let mut svg = Svg::new(left + width + 30.0, bottom + 70.0, title);
    svg.text(left, 22.0, "start", title);
    svg.text(left, 40.0, "start", "bars: within the band; line: this band and all above");
    for percent in [0, 25, 50, 75, 100] {
        let at = y(f64::from(percent) / 100.0);
        svg.line((left, at), (left + width, at), FAINT, 1.0);
        svg.text(left - 8.0, at + 4.0, "end", &format!("{percent}%"));
    }
    let mut before = None;
    for (i, band) in agreement.bands.iter().enumerate() {
        let middle = left + step * (i as f64 + 0.5);
        if let Some(rate) = band.within.rate() {
            svg.bar(middle - 26.0, y(rate), 52.0, bottom - y(rate));
        }
        if let Ok(Some(interval)) = band.within.interval(0.95) {
            let (low, high) = (y(interval.low), y(interval.high));
            svg.line((middle, low), (middle, high), INK, 1.5);
            for end in [low, high] {
                svg.line((middle - 5.0, end), (middle + 5.0, end), INK, 1.5);
            }
        }
        svg.text(middle, bottom + 18.0, "middle", &band_name(band));
        svg.text(middle, bottom + 36.0, "middle", &format!("n = {}", band.within.n));
        let point = band.cumulative.rate().map(|rate| (middle, y(rate)));
        if let (Some(from), Some(to)) = (before, point) {
            svg.line(from, to, ORANGE, 2.0);
        }
        if let Some((x, y)) = point {
            svg.dot(x, y, ORANGE);
        }
        before = point;
    }
    svg.text(left + width / 2.0, bottom + 58.0, "middle", "difference of the totals");
    svg.finish()
}

/// A horizontal scale with round marks.
struct Axis {
    low: f64,
    high: f64,
    step: f64,
    left: f64,
    width: f64,
}

impl Axis {
    fn over(values: impl Iterator<Item = f64>, left: f64, width: f64) -> Self {
        let (low, high) = values.fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), v| (l.min(v), h.max(v)));
        let span = high - low;
        let (low, high) = if !span.is_finite() {
            // Nothing to show, or more than a number can hold.
            (0.0, 1.0)
        } else if span <= 1e-9 * low.abs().max(high.abs()) {
            // All in one place: a little around it.
            let around = 0.5 * low.abs().max(1.0);
            (low - around, high + around)
        } else {
            (low, high)
        };
        let step = round_step((high - low) / 6.0);
        Axis { low: (low / step).floor() * step, high: (high / step).ceil() * step, step, left, width }
    }

    fn x(&self, value: f64) -> f64 {
        self.left + self.width * (value - self.low) / (self.high - self.low)
    }

    fn draw(&self, svg: &mut Svg, top: f64, bottom: f64, name: &str) {
        let marks = ((self.high - self.low) / self.step).round() as usize;
        let decimals = (-self.step.log10()).ceil().clamp(0.0, 12.0) as usize;
        for i in 0..=marks {
            let value = self.low + self.step * i as f64;
            svg.line((self.x(value), top), (self.x(value), bottom), FAINT, 1.0);
            let label = rounded(value, decimals, false);
            svg.text(self.x(value), bottom + 18.0, "middle", &label);
        }
        svg.text(self.left + self.width / 2.0, bottom + 38.0, "middle", name);
    }
}

/// The next of 1, 2, 5 × a power of ten.
fn round_step(at_least: f64) -> f64 {
    let power = 10f64.powf(at_least.log10().floor());
    [1.0, 2.0, 5.0, 10.0]
        .into_iter()
        .map(|factor| factor * power)
        .find(|&step| step >= at_least)
        .unwrap_or(10.0 * power)
}

/// A document under construction. Writing to a `String` cannot fail.
struct Svg(String);

impl Svg {
    fn new(width: f64, height: f64, title: &str) -> Self {
        let mut out = String::new();
        let _ = write!(
            out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" width=\"{width:.0}\" \
             height=\"{height:.0}\" viewBox=\"0 0 {width:.0} {height:.0}\" \
             font-family=\"system-ui, sans-serif\" font-size=\"12\">\n\
             <title>{}</title>\n<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n",
            escape(title)
        );
        Svg(out)
    }

    fn text(&mut self, x: f64, y: f64, anchor: &str, text: &str) {
        let text = escape(text);
        let _ =
            writeln!(self.0, "<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\" fill=\"{INK}\">{text}</text>");
    }

    fn line(&mut self, from: (f64, f64), to: (f64, f64), colour: &str, width: f64) {
        let _ = writeln!(
            self.0,
            "<line x1=\"{:.1}\" y1=\"{:.1}\" x2=\"{:.1}\" y2=\"{:.1}\" stroke=\"{colour}\" \
             stroke-width=\"{width}\"/>",
            from.0, from.1, to.0, to.1
        );
    }

    fn dot(&mut self, x: f64, y: f64, colour: &str) {
        let _ = writeln!(self.0, "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"4.5\" fill=\"{colour}\"/>");
    }

    fn bar(&mut self, x: f64, y: f64, width: f64, height: f64) {
        let _ = writeln!(
            self.0,
            "<rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{width:.1}\" height=\"{height:.1}\" \
             fill=\"{BLUE}\" fill-opacity=\"0.55\"/>"
        );
    }

    fn finish(mut self) -> String {
        self.0.push_str("</svg>\n");
        self.0
    }
}

/// Text for XML, which knows no control characters at all.
fn escape(text: &str) -> String {
    clean(text).replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
