//! Canonical text: white space collapsed, character references in one spelling.

/// Bytes that keep a text from being copied as it is.
const SPECIAL: [bool; 256] = {
    let mut table = [false; 256];
    let special = [b'\n', b'\t', b'\r', 0x0c, b'&', b'<', b'>', b'"', 0, 0xc2];
    let mut i = 0;
    while i < special.len() {
        table[special[i] as usize] = true;
        i += 1;
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
    let seen = scan(raw.as_bytes());
    if seen.special || (seen.spaces && place == Place::Flow) {
        rewrite(raw, place, out);
    } else {
        out.push_str(raw);
    }
    seen.contents
}

/// What a look at every byte finds.
struct Seen {
    /// Something that keeps the text from being copied as it is; control characters are taken for that too.
    special: bool,
    /// Two spaces in a row.
    spaces: bool,
    contents: Contents,
}

/// Bytes looked at together: what compilers turn into one vector operation on every processor.
const LANES: usize = 16;

fn scan(bytes: &[u8]) -> Seen {
    let mut found = Found::default();
    let mut at = 0;
    // Each block is compared with the bytes one further on, of which it needs one more than its length.
    while let Some(block) = bytes.get(at..).and_then(|rest| rest.first_chunk::<{ LANES + 1 }>()) {
        found.look(block);
        at += LANES;
    }
    let rest = &bytes[at..];
    if !rest.is_empty() {
        // The padding is a letter that nothing is made of.
        let mut block = [b'x'; LANES + 1];
        block[..rest.len()].copy_from_slice(rest);
        found.look(&block);
    }
    let any = |lanes: [u8; LANES]| u128::from_ne_bytes(lanes) != 0;
    Seen {
        special: any(found.special),
        spaces: any(found.spaces),
        contents: Contents { digits: any(found.digits), words: any(found.words) },
    }
}

/// What was found so far, by lane: 1 where there was any.
#[derive(Default)]
struct Found {
    special: [u8; LANES],
    digits: [u8; LANES],
    spaces: [u8; LANES],
    words: [u8; LANES],
}

impl Found {
    #[inline]
    fn look(&mut self, block: &[u8; LANES + 1]) {
        for lane in 0..LANES {
            let (byte, next) = (block[lane], block[lane + 1]);
            let marks = (byte == b'&') | (byte == b'<') | (byte == b'>') | (byte == b'"');
            self.special[lane] |= u8::from((byte < b' ') | marks | (byte == 0xc2));
            self.digits[lane] |= u8::from(byte.wrapping_sub(b'0') < 10);
            self.spaces[lane] |= u8::from((byte == b' ') & (next == b' '));
            self.words[lane] |= u8::from(((byte == b'a') & (next == b'g')) | ((byte == b'n') & (next == b'o')));
        }
    }
}

/// Whether the canonical form of an attribute value may differ from it.
pub(super) fn is_special(value: &str) -> bool {
    scan(value.as_bytes()).special
}

fn rewrite(raw: &str, place: Place, out: &mut String) {
    let start = out.len();
    let flow = place == Place::Flow;
    let bytes = raw.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        // Copy up to the next byte that needs a look; such bytes start characters.
        let rest = &bytes[at..];
        let stop = |b: u8| SPECIAL[b as usize] || (flow && b == b' ');
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
