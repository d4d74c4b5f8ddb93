//! Clock and date strings, found and replaced by one placeholder.
//!
//! A hand-written matcher, as a regular expression of this size would cost more than the rest of the normal form.
//! It looks where digits start and at the few words that can open a date. Numbers that are data stay: prices,
//! scores, versions, addresses, phone numbers, years, and durations that do not tick ("2h 15m").

mod words;

use std::sync::LazyLock;

use memchr::memmem::Finder;

use super::text::Contents;

/// What stands for a clock or date string.
pub(super) const PLACEHOLDER: &str = "{time}";

static AGO: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new("ago"));
static NOW: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new("ust now"));

/// Replaces the clock strings in `text[start..]`, which is canonical text.
pub(super) fn replace_from(text: &mut String, start: usize, contents: Contents, scratch: &mut String) {
    let bytes = &text.as_bytes()[start..];
    let told = |finder: &Finder<'_>| finder.find(bytes).is_some();
    if !contents.digits && !(contents.words && (told(&AGO) || told(&NOW))) {
        return;
    }
    scratch.clear();
    let scan = Scan { bytes };
    let mut copied = 0;
    let mut at = 0;
    while let Some((from, to)) = scan.find(at) {
        scratch.push_str(&text[start + copied..start + from]);
        scratch.push_str(PLACEHOLDER);
        copied = to;
        at = to;
    }
    if copied > 0 {
        scratch.push_str(&text[start + copied..]);
        text.truncate(start);
        text.push_str(scratch);
    }
}

/// Matchers over one text. Each takes the position where its match starts and gives the one where it ends.
struct Scan<'a> {
    bytes: &'a [u8],
}

/// A duration has at most this many parts: days, hours, minutes, seconds, and the milliseconds after them. Every
/// matcher looks a bounded distance ahead, so that the whole search is linear.
const MAX_PARTS: usize = 5;

/// What may follow or connect: `Some(end)` past what was there.
type Match = Option<usize>;

impl Scan<'_> {
    fn byte(&self, at: usize) -> u8 {
        self.bytes.get(at).copied().unwrap_or(0)
    }

    /// The first clock string at or after `at`.
    fn find(&self, mut at: usize) -> Option<(usize, usize)> {
        while at < self.bytes.len() {
            let byte = self.bytes[at];
            if byte.is_ascii_digit() {
                if let Some(end) = self.number_led(at).filter(|&end| self.ends(end)) {
                    return Some((at, end));
                }
                at = self.skip_number(at);
            } else if byte.is_ascii_alphabetic() {
                if let Some(end) = self.word_led(at).filter(|&end| self.ends(end)) {
                    return Some((at, end));
                }
                // A number glued to a word ("v1.2", "h264") belongs to it.
                while at < self.bytes.len() && self.bytes[at].is_ascii_alphanumeric() {
                    at += 1;
                }
                if self.byte(at) == b'.' && self.byte(at + 1).is_ascii_digit() {
                    at = self.skip_number(at);
                }
            } else {
                at += 1;
            }
        }
        None
    }

    /// Whether a match may end at `at`: not before a letter or digit, nor before a placeholder, which stands for some.
    fn ends(&self, at: usize) -> bool {
        !self.byte(at).is_ascii_alphanumeric() && self.byte(at) != b'{'
    }

    /// Past a number with everything that is written as part of one: `1,234.5`, `10.0.0.1`, `3-4`, `1:2:3:4`.
    fn skip_number(&self, mut at: usize) -> usize {
        while at < self.bytes.len() {
            match self.bytes[at] {
                b if b.is_ascii_alphanumeric() => at += 1,
                b'.' | b',' | b':' | b'/' | b'-' | b'_' | b'+' if self.byte(at + 1).is_ascii_digit() => at += 1,
                _ => break,
            }
        }
        at
    }

    /// Digits at `at`: how many, and their value (saturated).
    fn digits(&self, at: usize) -> (usize, u64) {
        let mut end = at;
        let mut value = 0u64;
        while self.byte(end).is_ascii_digit() {
            value = value.saturating_mul(10).saturating_add(u64::from(self.bytes[end] - b'0'));
            end += 1;
        }
        (end - at, value)
    }

    /// Past one space of any kind, if there is one.
    fn space(&self, at: usize) -> Match {
        let rest = self.bytes.get(at..)?;
        [" ", "&nbsp;", "\u{202f}", "\u{2009}"].iter().find(|s| rest.starts_with(s.as_bytes())).map(|s| at + s.len())
    }

    fn skip_space(&self, at: usize) -> usize {
        self.space(at).unwrap_or(at)
    }

    /// Past `word` in any case, as a whole word.
    fn word(&self, at: usize, word: &str) -> Match {
        let end = at + word.len();
        let found = self.bytes.get(at..end)?.eq_ignore_ascii_case(word.as_bytes());
        (found && !self.byte(end).is_ascii_alphanumeric()).then_some(end)
    }

    /// The letters at `at`, with accents: those of a word that is looked for, or too many.
    fn letters(&self, at: usize) -> &[u8] {
        let rest = self.bytes.get(at..).unwrap_or(&[]);
        let len = rest.iter().take(words::MAX_WORD).take_while(|b| b.is_ascii_alphabetic() || **b >= 0x80).count();
        // White space beyond ASCII starts with this byte, letters of the words with lower ones.
        let len = rest[..len].iter().position(|&b| b >= 0xe2).unwrap_or(len);
        &rest[..len]
    }

    /// A match that starts with a digit.
    fn number_led(&self, at: usize) -> Match {
        let before = if at == 0 { b' ' } else { self.bytes[at - 1] };
        if matches!(before, b'.' | b':' | b'/' | b'_' | b'$' | b'#' | b'@' | b'+' | b'=' | b'-' | b',')
            || before.is_ascii_alphanumeric()
        {
            return self.epoch(at).or_else(|| if before == b'-' { self.moment(at) } else { None });
        }
        self.relative(at).or_else(|| self.moment(at)).or_else(|| self.ticking(at)).or_else(|| self.epoch(at))
    }

    /// Milliseconds since 1970, between 2001 and 2039.
    fn epoch(&self, at: usize) -> Match {
        let (len, value) = self.digits(at);
        let glued = self.byte(at + len) == b'.' && self.byte(at + len + 1).is_ascii_digit();
        (len == 13 && !glued && (1_000_000_000_000..2_200_000_000_000).contains(&value)).then_some(at + len)
    }

    /// A date, a time, or both in either order, with the zone.
    fn moment(&self, at: usize) -> Match {
        let mut end = self.date(at).or_else(|| self.time(at))?;
        // A date and its time, or the other way round; at most four parts: weekday, date, time, year.
        for _ in 0..3 {
            let Some(next) = self.connector(end).and_then(|next| self.date_or_time(next)) else {
                break;
            };
            end = next;
        }
        Some(end)
    }

    fn date_or_time(&self, at: usize) -> Match {
        self.date(at).or_else(|| self.time(at)).filter(|&end| self.ends(end))
    }

    /// What joins a date to its time.
    fn connector(&self, at: usize) -> Match {
        if self.byte(at) == b'T' && self.byte(at + 1).is_ascii_digit() {
            return Some(at + 1);
        }
        let comma = if self.byte(at) == b',' { at + 1 } else { at };
        let space = self.space(comma)?;
        for word in ["at", "um", "à", "a las", "@"] {
            if let Some(end) = self.word(space, word).and_then(|end| self.space(end)) {
                return Some(end);
            }
        }
        Some(space)
    }

    /// A date that starts with a number.
    fn date(&self, at: usize) -> Match {
        let (len, value) = self.digits(at);
        let end = at + len;
        match len {
            8 if self.byte(end) == b'T' => {
                let (time, _) = self.digits(end + 1);
                (time == 6).then(|| self.zone(end + 1 + time, true))
            }
            4 if (1900..2200).contains(&value) => self.year_first(end),
            1 | 2 => self.day_first(at, len, value),
            _ => None,
        }
    }

    /// `-11-30`, `/11/30`, `年11月30日`, `. 11. 30.` after a year.
    fn year_first(&self, at: usize) -> Match {
        let rest = self.bytes.get(at..)?;
        for (first, second, last) in [("年", "月", "日"), ("년 ", "월 ", "일"), (". ", ". ", ".")] {
            if rest.starts_with(first.as_bytes()) {
                let (len, month) = self.digits(at + first.len());
                let next = at + first.len() + len;
                if !(1..=12).contains(&month) || !self.bytes.get(next..)?.starts_with(second.as_bytes()) {
                    return None;
                }
                let (len, day) = self.digits(next + second.len());
                let next = next + second.len() + len;
                let ends = self.bytes.get(next..)?.starts_with(last.as_bytes());
                return ((1..=31).contains(&day) && ends).then_some(next + last.len());
            }
        }
        let separator = self.byte(at);
        if !matches!(separator, b'-' | b'/') {
            return None;
        }
        let (month_len, month) = self.digits(at + 1);
        let next = at + 1 + month_len;
        let (day_len, day) = self.digits(next + 1);
        let end = next + 1 + day_len;
        let valid = (1..=2).contains(&month_len)
            && (1..=2).contains(&day_len)
            && self.byte(next) == separator
            && (1..=12).contains(&month)
            && (1..=31).contains(&day)
            && !(self.byte(end) == separator && self.byte(end + 1).is_ascii_digit());
        valid.then_some(end)
    }

    /// `30/11/2026`, `11/30/26`, `30.11.2026`, `30 Nov 2026`, `30. November`, `30 de noviembre de 2026`.
    fn day_first(&self, at: usize, len: usize, first: u64) -> Match {
        let separator = self.byte(at + len);
        if matches!(separator, b'/' | b'.' | b'-') && self.byte(at + len + 1).is_ascii_digit() {
            let (second_len, second) = self.digits(at + len + 1);
            let next = at + len + 1 + second_len;
            let (year_len, year) = self.digits(next + 1);
            let end = next + 1 + year_len;
            let year_fits = (year_len == 4 && (1900..2200).contains(&year)) || (year_len == 2 && separator == b'/');
            let valid = second_len <= 2
                && self.byte(next) == separator
                && year_fits
                && (1..=31).contains(&first)
                && (1..=31).contains(&second)
                && first.min(second) <= 12
                && !(matches!(self.byte(end), b'.' | b'/' | b'-') && self.byte(end + 1).is_ascii_digit());
            return valid.then_some(end);
        }
        if !(1..=31).contains(&first) {
            return None;
        }
        let ordinal = ["st", "nd", "rd", "th", ".", "er", "º"];
        let rest = self.bytes.get(at + len..)?;
        let after = ordinal.iter().find(|o| rest.starts_with(o.as_bytes())).map_or(at + len, |o| at + len + o.len());
        let month = if self.byte(after) == b'-' { after + 1 } else { self.space(after)? };
        let month =
            self.word(month, "de").or_else(|| self.word(month, "of")).and_then(|m| self.space(m)).unwrap_or(month);
        let name = self.letters(month);
        let end = self.year_after(month + name.len());
        // In lower case many are other words too ("5 may be"), unless a year follows.
        let certain = name.first().is_some_and(u8::is_ascii_uppercase) || end > month + name.len();
        (certain && words::is_month(name)).then_some(end)
    }

    /// Past `, 2026`, ` de 2026`, `-2026` if a year follows.
    fn year_after(&self, at: usize) -> usize {
        let mut next = at;
        if matches!(self.byte(next), b'.' | b',') {
            next += 1;
        }
        next = if self.byte(next) == b'-' { next + 1 } else { self.skip_space(next) };
        next = self.word(next, "de").or_else(|| self.word(next, "del")).and_then(|n| self.space(n)).unwrap_or(next);
        let (len, year) = self.digits(next);
        let is_year = len == 4 && (1900..2200).contains(&year) && next > at && self.byte(next + len) != b':';
        if is_year { next + len } else { at }
    }

    /// `9:05`, `21:05:33`, `9:05 PM`, `9 pm`, `1:23.45`, `100:00:00`, with the zone.
    fn time(&self, at: usize) -> Match {
        let (len, hour) = self.digits(at);
        if !(1..=3).contains(&len) {
            return None;
        }
        let mut end = at + len;
        let minutes = end + 3;
        if self.byte(end) != b':' {
            return if (1..=12).contains(&hour) { self.meridiem(end) } else { None };
        }
        for _ in 0..2 {
            let (len, value) = self.digits(end + 1);
            if self.byte(end) != b':' || len == 0 {
                break;
            }
            if len != 2 || value > 59 {
                return None;
            }
            end += 3;
        }
        if end == at + len || (self.byte(end) == b':' && self.byte(end + 1).is_ascii_digit()) {
            return None;
        }
        if matches!(self.byte(end), b'.' | b',') && self.byte(end + 1).is_ascii_digit() {
            end += 1 + self.digits(end + 1).0;
            if self.byte(end) == b'.' && self.byte(end + 1).is_ascii_digit() {
                return None;
            }
        }
        // After `09:00` a minus is that of a range, not of an offset.
        Some(self.zone(self.meridiem(end).unwrap_or(end), end > minutes))
    }

    /// Past `AM`, `p.m.` and the like.
    fn meridiem(&self, at: usize) -> Match {
        let word = self.skip_space(at);
        if self
            .bytes
            .get(word..word + 4)
            .is_some_and(|w| w.eq_ignore_ascii_case(b"a.m.") || w.eq_ignore_ascii_case(b"p.m."))
        {
            return Some(word + 4);
        }
        self.word(word, "am").or_else(|| self.word(word, "pm"))
    }

    /// Past a time zone, if there is one; `offset` allows one that is only a negative offset.
    fn zone(&self, at: usize, offset: bool) -> usize {
        if self.byte(at) == b'Z' && self.ends(at + 1) {
            return at + 1;
        }
        let mut end = at;
        let word = self.skip_space(at);
        if let Some(name) = words::ZONES.iter().find_map(|zone| {
            let found = self.bytes.get(word..word + zone.len()) == Some(zone.as_bytes());
            (found && !self.byte(word + zone.len()).is_ascii_alphabetic()).then_some(word + zone.len())
        }) {
            end = name;
        }
        let sign = if end == at { word } else { end };
        if self.byte(sign) == b'+' || (self.byte(sign) == b'-' && (offset || end > at)) {
            let (len, _) = self.digits(sign + 1);
            let after = sign + 1 + len;
            if len == 4 || (len == 2 && self.byte(after) != b':') {
                end = after;
            } else if len == 2 && self.digits(after + 1).0 == 2 {
                end = after + 3;
            }
        }
        // The name that `Date.prototype.toString` appends: `(Central European Summer Time)`.
        if end > at && self.bytes.get(end..end + 2) == Some(b" (") {
            let name = self.bytes[end + 2..].iter().take(40).position(|&b| b == b')');
            if let Some(len) = name
                && self.bytes[end + 2..end + 2 + len].iter().all(|b| b.is_ascii_alphabetic() || *b == b' ')
            {
                return end + 3 + len;
            }
        }
        end
    }

    /// `3 minutes ago`, `5m ago`, `2 hours left`, `1h 20m remaining`, `3分前`.
    fn relative(&self, at: usize) -> Match {
        let mut end = self.quantity(at)?;
        for _ in 1..MAX_PARTS {
            let Some(next) = self.joined_quantity(end) else {
                break;
            };
            end = next;
        }
        let rest = self.bytes.get(end..)?;
        if let Some(suffix) = ["前", " 前", "전", " 전"].iter().find(|s| rest.starts_with(s.as_bytes())) {
            return Some(end + suffix.len());
        }
        let word = self.space(end)?;
        words::SUFFIXES.iter().find_map(|suffix| self.word(word, suffix))
    }

    /// Two units or more that end in seconds, or seconds that are the whole text: it ticks.
    fn ticking(&self, at: usize) -> Match {
        let mut end = self.quantity(at)?;
        let mut parts = 1;
        while parts < MAX_PARTS
            && let Some(next) = self.joined_quantity(end)
        {
            end = next;
            parts += 1;
        }
        let unit = self.bytes[at..end].iter().rposition(|b| !b.is_ascii_alphabetic()).map_or(at, |i| at + i + 1);
        let seconds = words::is_seconds(&self.bytes[unit..end]);
        let whole = at == 0 && end == self.bytes.len();
        (seconds && (parts > 1 || whole)).then_some(end)
    }

    fn joined_quantity(&self, at: usize) -> Match {
        let comma = if self.byte(at) == b',' { at + 1 } else { at };
        let next = self.skip_space(comma);
        let next = self.word(next, "and").and_then(|end| self.space(end)).unwrap_or(next);
        self.quantity(next)
    }

    /// A number and a unit of time.
    fn quantity(&self, at: usize) -> Match {
        let (len, _) = self.digits(at);
        if len == 0 || len > 4 {
            return None;
        }
        let mut end = at + len;
        if self.byte(end) == b'.' {
            end += 1 + self.digits(end + 1).0;
        }
        let unit = self.skip_space(end);
        let letters = self.letters(unit);
        if words::is_unit(letters) {
            return Some(unit + letters.len()).filter(|&end| !self.byte(end).is_ascii_alphabetic());
        }
        let rest = self.bytes.get(unit..)?;
        words::EASTERN_UNITS.iter().find(|u| rest.starts_with(u.as_bytes())).map(|u| unit + u.len())
    }

    /// A match that starts with a letter.
    fn word_led(&self, at: usize) -> Match {
        let before = if at == 0 { b' ' } else { self.bytes[at - 1] };
        if before == b'_' || before == b'-' || before == b'&' {
            return None;
        }
        let word = self.letters(at);
        if words::opens_phrase(word)
            && let Some(end) = self.phrase(at)
        {
            return Some(end);
        }
        // Names of days and months stand before a number or another name.
        let next = self.byte(at + word.len());
        if !matches!(next, b' ' | b'.' | b',' | b'&' | 0xe2) {
            return None;
        }
        self.weekday_led(at).or_else(|| self.month_led(at))
    }

    /// `Mon, 30 Nov 2026 …`, `Monday at 5 pm`.
    fn weekday_led(&self, at: usize) -> Match {
        let name = self.letters(at);
        if !words::is_weekday(name) {
            return None;
        }
        let mut end = at + name.len();
        if self.byte(end) == b'.' {
            end += 1;
        }
        let next = self.connector(end)?;
        self.month_led(next).or_else(|| self.moment(next)).filter(|&end| self.ends(end))
    }

    /// `Nov 30`, `November 30th, 2026`, `Nov 2026`, and a time after it.
    fn month_led(&self, at: usize) -> Match {
        let name = self.letters(at);
        if !name.first().is_some_and(u8::is_ascii_uppercase) || !words::is_month(name) {
            return None;
        }
        let mut end = at + name.len();
        if self.byte(end) == b'.' {
            end += 1;
        }
        let day = self.space(end)?;
        let (len, value) = self.digits(day);
        end = day + len;
        if len == 4 && (1900..2200).contains(&value) {
            return Some(end);
        }
        if !(1..=2).contains(&len) || !(1..=31).contains(&value) || self.byte(end) == b':' {
            return None;
        }
        if matches!(self.byte(end), b'.' | b',') && self.byte(end + 1).is_ascii_digit() {
            return None;
        }
        if ["st", "nd", "rd", "th"].iter().any(|o| self.bytes.get(end..end + 2) == Some(o.as_bytes())) {
            end += 2;
        }
        end = self.year_after(end);
        for _ in 0..2 {
            let Some(next) = self.connector(end).and_then(|next| self.date_or_time(next).or_else(|| self.year(next)))
            else {
                break;
            };
            end = next;
        }
        Some(end)
    }

    fn year(&self, at: usize) -> Match {
        let (len, year) = self.digits(at);
        (len == 4 && (1900..2200).contains(&year) && self.ends(at + len)).then_some(at + len)
    }

    /// `just now`, `a minute ago`, `about 3 hours ago`, `in 5 minutes`, `vor 3 Minuten`.
    fn phrase(&self, at: usize) -> Match {
        for whole in ["just now", "moments ago", "a moment ago", "a few moments ago"] {
            if let Some(end) = self.word(at, whole) {
                return Some(end);
            }
        }
        for opening in words::QUALIFIERS {
            if let Some(next) = self.word(at, opening).and_then(|end| self.space(end)) {
                return self.relative(next).or_else(|| self.spelled(next));
            }
        }
        for opening in words::OPENINGS {
            if let Some(next) = self.word(at, opening).and_then(|end| self.space(end)) {
                // "in 5 m" is a length.
                return self
                    .quantity(next)
                    .filter(|&end| self.bytes[end - 3..end].iter().all(|b| !b.is_ascii_digit() && *b != b' '));
            }
        }
        self.spelled(at)
    }

    /// `a minute ago`, `an hour ago`, `a few seconds ago`.
    fn spelled(&self, at: usize) -> Match {
        let number = ["a few", "an", "a", "one", "few"].iter().find_map(|n| self.word(at, n))?;
        let unit = self.space(number)?;
        let letters = self.letters(unit);
        if letters.len() < 3 || !words::is_unit(letters) {
            return None;
        }
        let word = self.space(unit + letters.len())?;
        words::SUFFIXES.iter().find_map(|suffix| self.word(word, suffix))
    }
}
