//! Results as text tables, CSV, JSON, Markdown and SVG plots. Pure functions: string out.
//!
//! A [`Grid`] is made from a result (`Grid::leaderboard(&board)`) and written in one of three ways.
//! Text and Markdown are for reading, so they round; CSV holds every figure in full, with the ends
//! of its interval in columns of their own; [`json`] holds everything.

mod svg;
mod tables;

use crate::bootstrap::Estimate;
use crate::error::StatsError;
use crate::leaderboard::Rank;
use serde::Serialize;
use std::fmt::Write;

pub use svg::{agreement_svg, leaderboard_svg};

/// What a field of a [`Grid`] holds.
#[non_exhaustive]
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    /// A name.
    Text(String),
    /// A whole number.
    Count(usize),
    /// A figure, rounded to so many decimals for reading.
    Number(f64, usize),
    /// A figure with its sign.
    Signed(f64, usize),
    /// A figure with its interval, which only CSV shows.
    Estimate(Estimate, usize),
    /// A figure with its sign and interval, which only CSV shows.
    SignedEstimate(Estimate, usize),
    /// A share from 0 to 1, read as a percentage of one decimal.
    Share(f64),
    /// A p-value, read to four decimals.
    PValue(f64),
    /// A place on a leaderboard with its interval, which only CSV shows.
    Place(Rank),
    /// What CSV has in other columns already and therefore leaves out.
    Reading(String),
    /// No value.
    Empty,
}

/// A table that can be written as text, Markdown or CSV.
#[derive(Debug, Clone, PartialEq)]
pub struct Grid {
    columns: Vec<String>,
    rows: Vec<Vec<Value>>,
    notes: Vec<String>,
}

impl Grid {
    /// An empty table with these columns.
    pub fn new(columns: impl IntoIterator<Item = impl Into<String>>) -> Self {
        Grid { columns: columns.into_iter().map(Into::into).collect(), rows: Vec::new(), notes: Vec::new() }
    }

    /// Adds a row; fields beyond the columns are dropped, missing ones are empty.
    pub fn push(&mut self, row: impl IntoIterator<Item = Value>) {
        let mut row: Vec<Value> = row.into_iter().collect();
        row.resize(self.columns.len(), Value::Empty);
        self.rows.push(row);
    }

    /// Adds a remark below the table, which CSV leaves out.
    pub fn note(&mut self, note: impl Into<String>) {
        self.notes.push(note.into());
    }

    /// Columns padded with spaces, numbers to the right, remarks below.
    pub fn text(&self) -> String {
        let fields = self.fields(clean);
        let widths: Vec<usize> =
            (0..self.columns.len()).map(|c| fields.iter().map(|row| width(&row[c])).max().unwrap_or(0)).collect();
        let mut out = String::new();
        for (r, row) in fields.iter().enumerate() {
            let mut line = String::new();
            for (c, field) in row.iter().enumerate() {
                let gap = " ".repeat(widths[c] - width(field));
                let (before, after) = if self.is_name(c) { ("", &*gap) } else { (&*gap, "") };
                let _ = write!(line, "{before}{field}{after}  ");
            }
            out.push_str(line.trim_end());
            out.push('\n');
            if r == 0 {
                let total = widths.iter().sum::<usize>() + 2 * widths.len().saturating_sub(1);
                out.push_str(&"-".repeat(total));
                out.push('\n');
            }
        }
        self.push_notes(&mut out, "", clean);
        out
    }

    /// A Markdown table, remarks in a list below.
    pub fn markdown(&self) -> String {
        let mut out = String::new();
        for (r, row) in self.fields(escape_markdown).iter().enumerate() {
            let _ = writeln!(out, "| {} |", row.join(" | "));
            if r == 0 {
                let rules: Vec<&str> =
                    (0..self.columns.len()).map(|c| if self.is_name(c) { "---" } else { "---:" }).collect();
                let _ = writeln!(out, "| {} |", rules.join(" | "));
            }
        }
        self.push_notes(&mut out, "- ", escape_markdown);
        out
    }

    /// RFC 4180 with one header line; figures in full, shares from 0 to 1, no value as an empty
    /// field. A column of figures with intervals is followed by `…_low` and `…_high`; a column that
    /// only repeats others for the reader is left out.
    pub fn csv(&self) -> String {
        let shown: Vec<(usize, bool)> = (0..self.columns.len())
            .filter(|&c| !self.any(c, |value| matches!(value, Value::Reading(_))))
            .map(|c| (c, self.any(c, Value::has_interval)))
            .collect();
        let mut out = String::new();
        let header = shown.iter().flat_map(|&(c, wide)| {
            let name = &self.columns[c];
            let ends = [format!("{name}_low"), format!("{name}_high")];
            std::iter::once(name.clone()).chain(ends.into_iter().filter(move |_| wide))
        });
        push_csv_line(&mut out, header);
        for row in &self.rows {
            let fields = shown.iter().flat_map(|&(c, wide)| {
                let count = if wide { 3 } else { 1 };
                row[c].full().into_iter().take(count)
            });
            push_csv_line(&mut out, fields);
        }
        out
    }

    /// Header and rows as they are read, each field passed through `escape`.
    fn fields(&self, escape: fn(&str) -> String) -> Vec<Vec<String>> {
        let header = self.columns.iter().map(|c| escape(c)).collect();
        let rows = self.rows.iter().map(|row| row.iter().map(|value| escape(&value.short())).collect());
        std::iter::once(header).chain(rows).collect()
    }

    fn push_notes(&self, out: &mut String, bullet: &str, escape: fn(&str) -> String) {
        if !self.notes.is_empty() {
            out.push('\n');
        }
        for note in &self.notes {
            let _ = writeln!(out, "{bullet}{}", escape(note));
        }
    }

    /// Whether a column holds names rather than numbers.
    fn is_name(&self, column: usize) -> bool {
        self.any(column, |value| matches!(value, Value::Text(_) | Value::Reading(_)))
    }

    fn any(&self, column: usize, holds: impl Fn(&Value) -> bool) -> bool {
        self.rows.iter().any(|row| holds(&row[column]))
    }
}

impl Value {
    /// An optional estimate.
    pub(crate) fn estimate(estimate: Option<Estimate>, decimals: usize, signed: bool) -> Self {
        match (estimate, signed) {
            (Some(estimate), true) => Value::SignedEstimate(estimate, decimals),
            (Some(estimate), false) => Value::Estimate(estimate, decimals),
            (None, _) => Value::Empty,
        }
    }

    /// An optional share.
    pub(crate) fn share(share: Option<f64>) -> Self {
        share.map_or(Value::Empty, Value::Share)
    }

    fn has_interval(&self) -> bool {
        match self {
            Value::Estimate(estimate, _) | Value::SignedEstimate(estimate, _) => estimate.interval.is_some(),
            Value::Place(rank) => rank.interval.is_some(),
            _ => false,
        }
    }

    /// For reading.
    fn short(&self) -> String {
        match self {
            Value::Text(text) | Value::Reading(text) => text.clone(),
            Value::PValue(p) if *p < 1e-4 => "<0.0001".to_owned(),
            Value::PValue(p) => rounded(*p, 4, false),
            Value::Place(rank) => rank.place.to_string(),
            Value::Count(count) => count.to_string(),
            Value::Number(value, decimals) => rounded(*value, *decimals, false),
            Value::Signed(value, decimals) => rounded(*value, *decimals, true),
            Value::Estimate(estimate, decimals) => rounded(estimate.value, *decimals, false),
            Value::SignedEstimate(estimate, decimals) => rounded(estimate.value, *decimals, true),
            Value::Share(share) => format!("{:.1}%", 100.0 * share),
            Value::Empty => "–".to_owned(),
        }
    }

    /// For computing: the figure and the ends of its interval.
    fn full(&self) -> [String; 3] {
        let none = String::new;
        match self {
            Value::Text(text) | Value::Reading(text) => [text.clone(), none(), none()],
            Value::Count(count) => [count.to_string(), none(), none()],
            Value::Number(value, _) | Value::Signed(value, _) | Value::Share(value) | Value::PValue(value) => {
                [value.to_string(), none(), none()]
            }
            Value::Place(rank) => {
                let [low, high] = rank
                    .interval
                    .map_or_else(|| [none(), none()], |(best, worst)| [best.to_string(), worst.to_string()]);
                [rank.place.to_string(), low, high]
            }
            Value::Estimate(estimate, _) | Value::SignedEstimate(estimate, _) => {
                let end = |pick: fn(&crate::Interval) -> f64| {
                    estimate.interval.as_ref().map_or_else(none, |i| pick(i).to_string())
                };
                [estimate.value.to_string(), end(|i| i.low), end(|i| i.high)]
            }
            Value::Empty => [none(), none(), none()],
        }
    }
}

/// Any result as indented JSON with a final line feed.
///
/// # Errors
/// [`StatsError::Json`] for a value that JSON cannot hold, such as a map with keys that are no
/// strings; none of this crate's results is.
pub fn json<T: Serialize>(result: &T) -> Result<String, StatsError> {
    let mut text =
        serde_json::to_string_pretty(result).map_err(|source| StatsError::Json { what: "a result", source })?;
    text.push('\n');
    Ok(text)
}

/// A number of fixed decimals; what rounds to nothing has no sign.
pub(crate) fn rounded(value: f64, decimals: usize, signed: bool) -> String {
    let plain = format!("{value:.decimals$}");
    let zero = plain.bytes().all(|b| matches!(b, b'-' | b'0' | b'.'));
    match (zero, signed) {
        (true, _) => plain.trim_start_matches('-').to_owned(),
        (false, true) => format!("{value:+.decimals$}"),
        (false, false) => plain,
    }
}

/// Control characters, which could move a terminal's cursor or break a line, made visible.
pub(crate) fn clean(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { '\u{FFFD}' } else { c }).collect()
}

/// Characters, which is what a terminal's columns are for all but wide scripts.
fn width(text: &str) -> usize {
    text.chars().count()
}

fn escape_markdown(text: &str) -> String {
    let mut out = String::new();
    for c in clean(text).chars() {
        match c {
            '|' | '\\' | '*' | '_' | '`' | '[' | ']' | '#' | '~' => {
                out.push('\\');
                out.push(c);
            }
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '&' => out.push_str("&amp;"),
            _ => out.push(c),
        }
    }
    out
}

fn push_csv_line(out: &mut String, fields: impl Iterator<Item = String>) {
    for (i, field) in fields.enumerate() {
        if i > 0 {
            out.push(',');
        }
        if field.contains(['"', ',', '\n', '\r']) {
            let _ = write!(out, "\"{}\"", field.replace('"', "\"\""));
        } else {
            out.push_str(&field);
        }
    }
    out.push_str("\r\n");
}
