//! Canonical text: white space collapsed, character references in one spelling.

/// Bytes that keep a text from being copied as it is.
const SPECIAL: u8 = 1;
/// Digits: only text with digits is searched for clocks.
const DIGIT: u8 = 2;

const CLASS: [u8; 256] = {
    let mut table = [0; 256];
    let special = [b'\n', b'\t', b'\r', 0x0c, b'&', b'<', b'>', b'"', 0, 0xc2];
    let mut i = 0;
    while i < special.len() {
        table[special[i] as usize] = SPECIAL;
        i += 1;
    }
    let mut digit = b'0';
    while digit <= b'9' {
        table[digit as usize] = DIGIT;
        digit += 1;
    }
    table
};

/// What a text contains, as far as later steps care.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Contents {
    pub(super) digits: bool,
    /// It may have `ago` or `now` in it.
    pub(super) words: bool,
}

/// Where a text stands, which decides what has to be escaped and whether white space counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    /// Between tags: white space collapses and is trimmed.
    Flow,
    /// In `pre` or `textarea`: white space counts.
    Preformatted,
    /// In a double-quoted attribute value: white space counts, `"` is escaped.
    Attribute,
}

/// Appends the canonical form of `raw` to `out`.
pub(super) fn canonical(raw: &str, place: Place, out: &mut String) -> Contents {
    let raw = if place == Place::Flow { raw.trim_matches(|c: char| c.is_ascii_whitespace()) } else { raw };
    let mut seen = 0u8;
    let mut spaces = false;
    let mut words = false;
    let mut previous = 0u8;
    for &byte in raw.as_bytes() {
        seen |= CLASS[byte as usize];
        spaces |= (byte == b' ') & (previous == b' ');
        words |= ((byte == b'g') & (previous == b'a')) | ((byte == b'o') & (previous == b'n'));
        previous = byte;
    }
    let contents = Contents { digits: seen & DIGIT != 0, words };
    if seen & SPECIAL == 0 && !(spaces && place == Place::Flow) {
        out.push_str(raw);
    } else {
        rewrite(raw, place, out);
    }
    contents
}

/// Whether the canonical form of an attribute value may differ from it.
pub(super) fn is_special(value: &str) -> bool {
    value.bytes().any(|b| CLASS[b as usize] & SPECIAL != 0)
}

fn rewrite(raw: &str, place: Place, out: &mut String) {
    let start = out.len();
    let flow = place == Place::Flow;
    let bytes = raw.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        // Copy up to the next byte that needs a look; such bytes start characters.
        let rest = &bytes[at..];
        let stop = |b: u8| CLASS[b as usize] & SPECIAL != 0 || (flow && b == b' ');
        let run = rest.iter().position(|&b| stop(b)).unwrap_or(rest.len());
        out.push_str(&raw[at..at + run]);
        at += run;
        let Some(&byte) = bytes.get(at) else { break };
        match byte {
            b' ' | b'\n' | b'\t' | b'\r' | 0x0c if flow => {
                collapse(start, out);
                at += 1;
            }
            b'&' => {
                let (decoded, len) = reference(&raw[at..]);
                match decoded {
                    Some(c) if flow && c.is_ascii_whitespace() => collapse(start, out),
                    Some(c) => escape(c, place, out),
                    None => out.push_str(&raw[at..at + len]),
                }
                at += len;
            }
            // The first byte of a no-break space, and of half of the other letters of Latin 1.
            0xc2 => {
                if let Some(c) = raw[at..].chars().next() {
                    escape(c, place, out);
                    at += c.len_utf8();
                }
            }
            _ => {
                escape(byte as char, place, out);
                at += 1;
            }
        }
    }
    // A reference to white space or a NUL can leave a space at the end.
    if flow && out.len() > start && out.ends_with(' ') {
        out.pop();
    }
}

/// Adds a space unless the text starts here or has one.
fn collapse(start: usize, out: &mut String) {
    if out.len() > start && !out.ends_with(' ') {
        out.push(' ');
    }
}

fn escape(c: char, place: Place, out: &mut String) {
    match c {
        '&' => out.push_str("&amp;"),
        '<' => out.push_str("&lt;"),
        '>' => out.push_str("&gt;"),
        '\u{a0}' => out.push_str("&nbsp;"),
        '"' if place == Place::Attribute => out.push_str("&quot;"),
        '\0' => {}
        c => out.push(c),
    }
}

/// Reads the character reference at the start of `text`: what it stands for and its length. Named references
/// beyond the handful that serialisers write are kept as they are (`None`).
fn reference(text: &str) -> (Option<char>, usize) {
    // No reference read here is longer than `&#x0010ffff;`.
    let window = &text.as_bytes()[..text.len().min(14)];
    let Some(end) = window.iter().position(|&b| b == b';') else {
        return (Some('&'), 1);
    };
    let name = &text[1..end];
    let decoded = match name {
        "amp" => Some('&'),
        "lt" => Some('<'),
        "gt" => Some('>'),
        "quot" => Some('"'),
        "apos" => Some('\''),
        "nbsp" => Some('\u{a0}'),
        _ => match name.strip_prefix('#') {
            Some(number) => match numeric(number) {
                Some(c) => Some(c),
                None => return (Some('&'), 1),
            },
            None if !name.is_empty() && name.bytes().all(|b| b.is_ascii_alphanumeric()) => None,
            None => return (Some('&'), 1),
        },
    };
    (decoded, end + 1)
}

fn numeric(number: &str) -> Option<char> {
    let value = match number.strip_prefix(['x', 'X']) {
        Some(hex) if hex.bytes().all(|b| b.is_ascii_hexdigit()) => u32::from_str_radix(hex, 16),
        None if number.bytes().all(|b| b.is_ascii_digit()) => number.parse(),
        _ => return None,
    };
    char::from_u32(value.ok()?)
}
