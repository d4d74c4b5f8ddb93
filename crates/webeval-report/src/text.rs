//! Words and numbers as a reader wants them, and text as HTML wants it.

use std::fmt;

use askama::filters::HtmlSafe;

/// HTML that this crate made itself: everything recorded has been escaped on its way in.
#[derive(Clone, Debug, Default)]
pub(crate) struct Markup(pub(crate) String);

impl Markup {
    /// Appends recorded text, escaped.
    pub(crate) fn text(&mut self, text: &str) {
        for c in text.chars() {
            match c {
                '&' => self.0.push_str("&amp;"),
                '<' => self.0.push_str("&lt;"),
                '>' => self.0.push_str("&gt;"),
                '"' => self.0.push_str("&quot;"),
                '\'' => self.0.push_str("&#39;"),
                // Control characters are not allowed in HTML text; a reader should still see that one was there.
                c if c.is_control() && !matches!(c, '\n' | '\t') => self.0.push('\u{fffd}'),
                c => self.0.push(c),
            }
        }
    }

    /// Appends markup of our own.
    pub(crate) fn raw(&mut self, markup: &str) {
        self.0.push_str(markup);
    }
}

impl fmt::Display for Markup {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl HtmlSafe for Markup {}

impl fmt::Write for Markup {
    /// Appends markup of our own, so that `write!` can be used; recorded text goes through [`Markup::text`].
    fn write_str(&mut self, markup: &str) -> fmt::Result {
        self.0.push_str(markup);
        Ok(())
    }
}

/// At most `limit` characters of `text`, with an ellipsis where some were left out.
pub(crate) fn clip(text: &str, limit: usize) -> String {
    match text.char_indices().nth(limit) {
        None => text.to_owned(),
        Some((at, _)) => format!("{}…", text[..at].trim_end()),
    }
}

/// `text` on one line: runs of white space become one space.
pub(crate) fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A number without a tail of zeros: `40`, `12.5`, `0.3`.
pub(crate) fn number(value: f64) -> String {
    let rounded = format!("{value:.1}");
    rounded.strip_suffix(".0").map_or_else(|| rounded.clone(), str::to_owned)
}

/// Milliseconds, with more digits the fewer there are.
pub(crate) fn milliseconds(value: f64) -> String {
    if value >= 10_000.0 {
        format!("{:.1} s", value / 1000.0)
    } else if value >= 100.0 {
        format!("{value:.0} ms")
    } else {
        format!("{value:.1} ms")
    }
}

/// Seconds as people say them.
pub(crate) fn seconds(value: f64) -> String {
    if value < 1.0 {
        return milliseconds(value * 1000.0);
    }
    if value < 60.0 {
        return format!("{value:.1} s");
    }
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a positive number of seconds")]
    let whole = value.round() as u64;
    if whole < 3600 {
        format!("{} min {} s", whole / 60, whole % 60)
    } else {
        format!("{} h {} min", whole / 3600, whole % 3600 / 60)
    }
}

/// `1 state`, `2 states`.
pub(crate) fn plural(count: usize, one: &str) -> String {
    match (count, one.strip_suffix('y')) {
        (1, _) => format!("1 {one}"),
        (_, None) if one.ends_with('x') => format!("{count} {one}es"),
        (_, Some(stem)) if !stem.ends_with(['a', 'e', 'o', 'u']) => format!("{count} {stem}ies"),
        _ => format!("{count} {one}s"),
    }
}

/// `covered` of `total` in percent, rounded *down* to a tenth so that 100 % means all; none when there is nothing.
pub(crate) fn percent(covered: u32, total: u32) -> Option<f64> {
    (total > 0).then(|| (f64::from(covered) * 1000.0 / f64::from(total)).floor() / 10.0)
}

/// A time as `2026-03-01 14:05 UTC`.
pub(crate) fn utc(milliseconds: u64) -> String {
    let minutes = milliseconds / 60_000;
    let (year, month, day) = civil(minutes / 1440);
    format!("{year:04}-{month:02}-{day:02} {:02}:{:02} UTC", minutes / 60 % 24, minutes % 60)
}

/// The Gregorian date of a day counted from 1970-01-01, after Hinnant's `civil_from_days`.
fn civil(days: u64) -> (u64, u64, u64) {
    let shifted = days + 719_468;
    let era = shifted / 146_097;
    let day_of_era = shifted % 146_097;
    let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted_month = (5 * day_of_year + 2) / 153;
    let month = if shifted_month < 10 { shifted_month + 3 } else { shifted_month - 9 };
    (year_of_era + era * 400 + u64::from(month <= 2), month, day_of_year - (153 * shifted_month + 2) / 5 + 1)
}

/// The value below which `share` of `sorted` lies, by the nearest-rank rule.
pub(crate) fn quantile(sorted: &[f64], share: f64) -> f64 {
    if sorted.is_empty() {
        return 0.0;
    }
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        clippy::cast_precision_loss,
        reason = "an index into a slice"
    )]
    let rank = (share * sorted.len() as f64).ceil() as usize;
    sorted[rank.clamp(1, sorted.len()) - 1]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_agree_with_the_calendar() {
        // `date -u -d @951782400`, `… @0`, `… @1709251199`, `… @4102444800`
        for (seconds, expected) in [
            (951_782_400, "2000-02-29 00:00 UTC"),
            (0, "1970-01-01 00:00 UTC"),
            (1_709_251_199, "2024-02-29 23:59 UTC"),
            (4_102_444_800, "2100-01-01 00:00 UTC"),
        ] {
            assert_eq!(utc(seconds * 1000), expected);
        }
    }

    #[test]
    fn a_share_is_never_rounded_up_to_all() {
        assert_eq!(percent(1999, 2000), Some(99.9));
        assert_eq!(percent(3, 3), Some(100.0));
        assert_eq!(percent(0, 0), None);
    }

    #[test]
    fn quantiles_follow_the_nearest_rank() {
        // The worked example of the nearest-rank method: ordinal ranks 1, 2, 2, 3, 5 of five values.
        let values = [15.0, 20.0, 35.0, 40.0, 50.0];
        let picked: Vec<f64> = [0.05, 0.3, 0.4, 0.5, 1.0].iter().map(|&share| quantile(&values, share)).collect();
        assert_eq!(picked, [15.0, 20.0, 20.0, 35.0, 50.0]);
    }

    #[test]
    fn recorded_text_cannot_open_a_tag_or_leave_an_attribute() {
        let mut markup = Markup::default();
        markup.text("\"'><script>&\u{0}");
        assert_eq!(markup.0, "&quot;&#39;&gt;&lt;script&gt;&amp;\u{fffd}");
    }
}
