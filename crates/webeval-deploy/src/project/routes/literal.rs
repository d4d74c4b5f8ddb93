//! Just enough of JavaScript's literals to read settings that are written down plainly. What is not a literal stays text.

/// An entry of an object. The key is empty for what has none that can be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Entry<'t> {
    pub(super) key: &'t str,
    pub(super) value: &'t str,
}

/// Where the token at `at` ends: a string, a template, a regular expression, a comment, or a single byte.
fn token_end(text: &[u8], at: usize, before: u8) -> usize {
    let rest = &text[at..];
    let until = |mark: &[u8], from: usize| {
        let found = rest.get(from..).unwrap_or_default().windows(mark.len()).position(|window| window == mark);
        found.map_or(text.len(), |offset| at + from + offset + mark.len())
    };
    match rest {
        [b'/', b'/', ..] => until(b"\n", 2).saturating_sub(1).max(at + 2),
        [b'/', b'*', ..] => until(b"*/", 2),
        [quote @ (b'"' | b'\'' | b'`'), ..] => closing(text, at, *quote),
        [b'/', ..] if b"(,=:[!&|?{};>".contains(&before) || before == 0 => closing(text, at, b'/'),
        _ => at + 1,
    }
}

/// The end of what begins at `at` and goes on to the same mark, with backslashes taken along.
fn closing(text: &[u8], at: usize, mark: u8) -> usize {
    let (mut at, mut class) = (at + 1, false);
    while at < text.len() {
        match text[at] {
            b'\\' => at += 1,
            b'[' if mark == b'/' => class = true,
            b']' if mark == b'/' => class = false,
            found if found == mark && !class => return at + 1,
            b'\n' if mark != b'`' => return at,
            _ => {}
        }
        at += 1;
    }
    text.len()
}

/// Visits the tokens of a text: where they begin and end.
fn tokens(text: &str) -> impl Iterator<Item = (usize, usize)> {
    let bytes = text.as_bytes();
    let (mut at, mut before) = (0, 0);
    std::iter::from_fn(move || {
        let begin = (at < bytes.len()).then_some(at)?;
        at = token_end(bytes, begin, before);
        let comment = bytes[begin] == b'/' && matches!(bytes.get(begin + 1), Some(b'/' | b'*')) && at > begin + 1;
        if !(bytes[begin].is_ascii_whitespace() || comment) {
            before = bytes[at - 1];
        }
        Some((begin, at))
    })
}

/// A text without its comments.
pub(super) fn without_comments(text: &str) -> String {
    let is_comment = |token: &str| token.starts_with("//") || token.starts_with("/*");
    let kept = tokens(text).filter_map(|(begin, end)| {
        let token = text.as_bytes().get(begin..end)?;
        (!std::str::from_utf8(token).is_ok_and(is_comment)).then_some(token)
    });
    String::from_utf8(kept.flatten().copied().collect()).unwrap_or_default()
}

/// How long the bracketed text is that a text begins with, brackets included.
pub(super) fn length(text: &str) -> Option<usize> {
    let mut depth = 0_usize;
    for (begin, end) in tokens(text) {
        match text.as_bytes()[begin] {
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => {
                depth = depth.checked_sub(1)?;
                if depth == 0 {
                    return Some(end);
                }
            }
            _ if depth == 0 => return None,
            _ => {}
        }
    }
    None
}

/// What is between the brackets that a text begins with.
pub(super) fn inside(text: &str) -> Option<&str> {
    length(text).and_then(|length| text.get(1..length - 1))
}

/// The parts of a text between commas that are not in brackets.
pub(super) fn split(text: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let (mut depth, mut from) = (0_usize, 0);
    for (begin, end) in tokens(text) {
        match text.as_bytes()[begin] {
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => depth = depth.saturating_sub(1),
            b',' if depth == 0 => {
                parts.extend(text.get(from..begin));
                from = end;
            }
            _ => {}
        }
    }
    parts.extend(text.get(from..));
    parts.into_iter().map(str::trim).filter(|part| !part.is_empty()).collect()
}

/// The arguments of a call, from its opening parenthesis on.
pub(super) fn arguments(text: &str) -> Option<Vec<&str>> {
    text.starts_with('(').then(|| inside(text).map(split)).flatten()
}

/// The entries of what is inside of an object.
pub(super) fn entries(text: &str) -> Vec<Entry<'_>> {
    let parts = split(text).into_iter();
    let entry = |part: &'_ str| -> Option<(usize, usize, usize)> {
        let quote = part.chars().next().filter(|c| matches!(c, '"' | '\''));
        let (from, to) = match quote {
            Some(quote) => (1, 1 + part[1..].find(quote)?),
            None => (0, part.find(|c: char| !(c.is_alphanumeric() || c == '_' || c == '$'))?),
        };
        let after = &part[to + usize::from(quote.is_some())..];
        let value = after.trim_start().strip_prefix(':')?;
        Some((from, to, part.len() - value.trim_start().len()))
    };
    let found = parts.map(|part| match entry(part) {
        Some((from, to, value)) if to > from => Entry { key: &part[from..to], value: &part[value..] },
        // `rewrite(path) { … }`
        _ if part.starts_with("rewrite") => Entry { key: "rewrite", value: part },
        _ => Entry { key: "", value: part },
    });
    found.collect()
}

/// The text of a string literal that is nothing else.
pub(super) fn string(value: &str) -> Option<String> {
    let value = value.trim();
    let quote = value.chars().next().filter(|c| matches!(c, '"' | '\'' | '`'))?;
    let text = value.get(1..value.len().checked_sub(1)?)?;
    let plain = value.len() > 1 && value.ends_with(quote) && !text.contains(quote) && !text.contains("${");
    plain.then(|| text.replace("\\/", "/"))
}
