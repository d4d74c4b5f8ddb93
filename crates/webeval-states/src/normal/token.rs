//! A forgiving HTML tokenizer: one pass, no allocation, linear whatever the input.
//!
//! It reads what a browser serialises exactly and what people write by hand well enough. It borrows everything
//! from the page; deciding what a token means is the tree builder's part.

use memchr::{memchr, memmem};

/// An attribute as written: name in any case, value with its character references.
#[derive(Debug, Clone, Copy)]
pub(super) struct RawAttribute<'a> {
    pub(super) name: &'a str,
    pub(super) value: &'a str,
}

/// One piece of a page. Comments, doctypes and processing instructions are skipped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Token<'a> {
    Text(&'a str),
    /// The attributes are in [`Tokenizer::attributes`] until the next token is read.
    Start {
        name: &'a str,
        self_closing: bool,
    },
    End {
        name: &'a str,
    },
}

#[derive(Debug)]
pub(super) struct Tokenizer<'a> {
    html: &'a str,
    at: usize,
    pub(super) attributes: Vec<RawAttribute<'a>>,
}

/// Longer tags are hardly ever repeated.
const MAX_REPEATED: usize = 128;

const SPACE: u8 = 1;
const NAME_END: u8 = 2;

/// Byte classes that end a tag or attribute name.
const CLASS: [u8; 256] = {
    let mut table = [0; 256];
    table[b' ' as usize] = SPACE | NAME_END;
    table[b'\n' as usize] = SPACE | NAME_END;
    table[b'\t' as usize] = SPACE | NAME_END;
    table[b'\r' as usize] = SPACE | NAME_END;
    table[0x0c] = SPACE | NAME_END;
    table[b'/' as usize] = NAME_END;
    table[b'>' as usize] = NAME_END;
    table[b'=' as usize] = NAME_END;
    table
};

pub(super) fn is_space(byte: u8) -> bool {
    CLASS[byte as usize] & SPACE != 0
}

impl<'a> Tokenizer<'a> {
    pub(super) fn new(html: &'a str) -> Self {
        Self { html, at: 0, attributes: Vec::with_capacity(16) }
    }

    /// The next token, or `None` at the end of the page.
    pub(super) fn next(&mut self) -> Option<Token<'a>> {
        let bytes = self.html.as_bytes();
        while self.at < bytes.len() {
            if bytes[self.at] != b'<' {
                return Some(self.text(self.at));
            }
            match bytes.get(self.at + 1) {
                Some(b) if b.is_ascii_alphabetic() => {
                    if let Some(token) = self.start_tag() {
                        return Some(token);
                    }
                }
                Some(b'/') => {
                    if let Some(token) = self.end_tag() {
                        return Some(token);
                    }
                }
                Some(b'!') => self.skip_declaration(),
                Some(b'?') => self.skip_past(b'>'),
                // A lone `<` is text.
                _ => return Some(self.text(self.at + 1)),
            }
        }
        None
    }

    /// Text from the current position to the next `<` at or after `from`.
    fn text(&mut self, from: usize) -> Token<'a> {
        let start = self.at;
        let rest = &self.html.as_bytes()[from..];
        self.at = memchr(b'<', rest).map_or(self.html.len(), |i| from + i);
        Token::Text(&self.html[start..self.at])
    }

    /// Everything up to (not including) `</name`, for elements whose content is not markup.
    pub(super) fn raw_text(&mut self, name: &str) -> &'a str {
        let start = self.at;
        let bytes = self.html.as_bytes();
        let mut from = start;
        while let Some(i) = memmem::find(&bytes[from..], b"</").map(|i| from + i) {
            let after = i + 2 + name.len();
            let named = bytes.get(i + 2..after).is_some_and(|n| n.eq_ignore_ascii_case(name.as_bytes()));
            if named && bytes.get(after).is_none_or(|&b| CLASS[b as usize] & NAME_END != 0) {
                self.at = i;
                return &self.html[start..i];
            }
            from = i + 2;
        }
        self.at = bytes.len();
        &self.html[start..]
    }

    /// How far the page has been read, in bytes.
    pub(super) fn position(&self) -> usize {
        self.at
    }

    /// The text from here to the next `>` if a start tag begins here and that is near.
    pub(super) fn start_tag_text(&self) -> Option<&'a str> {
        let rest = &self.html.as_bytes()[self.at..];
        if rest.len() < 3 || rest[0] != b'<' || !rest[1].is_ascii_alphabetic() {
            return None;
        }
        let len = memchr(b'>', &rest[..rest.len().min(MAX_REPEATED)])? + 1;
        Some(&self.html[self.at..self.at + len])
    }

    /// Skips what [`Tokenizer::start_tag_text`] gave.
    pub(super) fn skip(&mut self, text: &str) {
        self.at += text.len();
    }

    fn skip_past(&mut self, byte: u8) {
        let rest = &self.html.as_bytes()[self.at..];
        self.at += memchr(byte, rest).map_or(rest.len(), |i| i + 1);
    }

    fn skip_declaration(&mut self) {
        let rest = &self.html.as_bytes()[self.at..];
        if !rest.starts_with(b"<!--") {
            return self.skip_past(b'>');
        }
        // `<!-->` and `<!--->` are whole comments, so the end may overlap the start.
        let body = &rest[2..];
        let end = if body.starts_with(b"-->") {
            Some(3)
        } else if body.starts_with(b"--->") {
            Some(4)
        } else {
            memmem::find(&body[2..], b"-->").map(|i| i + 5)
        };
        self.at += end.map_or(rest.len(), |i| i + 2);
    }

    fn end_tag(&mut self) -> Option<Token<'a>> {
        let bytes = self.html.as_bytes();
        let start = self.at + 2;
        let named = bytes.get(start).is_some_and(u8::is_ascii_alphabetic);
        let mut end = start;
        while end < bytes.len() && CLASS[bytes[end] as usize] & NAME_END == 0 {
            end += 1;
        }
        self.at = end;
        self.skip_past(b'>');
        named.then(|| Token::End { name: &self.html[start..end] })
    }

    /// A start tag with its attributes; `None` when the page ends inside it.
    fn start_tag(&mut self) -> Option<Token<'a>> {
        let bytes = self.html.as_bytes();
        let start = self.at + 1;
        let mut at = start;
        while at < bytes.len() && CLASS[bytes[at] as usize] & NAME_END == 0 {
            at += 1;
        }
        let name = &self.html[start..at];
        self.attributes.clear();
        let mut self_closing = false;
        loop {
            while at < bytes.len() && is_space(bytes[at]) {
                at += 1;
            }
            match bytes.get(at) {
                None => {
                    self.at = bytes.len();
                    return None;
                }
                Some(b'>') => {
                    self.at = at + 1;
                    return Some(Token::Start { name, self_closing });
                }
                Some(b'/') => {
                    self_closing = bytes.get(at + 1) == Some(&b'>');
                    at += 1;
                }
                Some(_) => at = self.attribute(at),
            }
        }
    }

    /// Reads one attribute that starts at `at`; the position after it.
    fn attribute(&mut self, start: usize) -> usize {
        let bytes = self.html.as_bytes();
        // A leading `=` belongs to the name.
        let mut at = start + 1;
        while at < bytes.len() && CLASS[bytes[at] as usize] & NAME_END == 0 {
            at += 1;
        }
        let name = &self.html[start..at];
        let mut value = "";
        let mut look = at;
        while look < bytes.len() && is_space(bytes[look]) {
            look += 1;
        }
        if bytes.get(look) == Some(&b'=') {
            look += 1;
            while look < bytes.len() && is_space(bytes[look]) {
                look += 1;
            }
            (value, at) = self.attribute_value(look);
        }
        self.attributes.push(RawAttribute { name, value });
        at
    }

    fn attribute_value(&self, start: usize) -> (&'a str, usize) {
        let bytes = self.html.as_bytes();
        match bytes.get(start) {
            Some(&quote @ (b'"' | b'\'')) => {
                let rest = &bytes[start + 1..];
                match memchr(quote, rest) {
                    Some(len) => (&self.html[start + 1..start + 1 + len], start + len + 2),
                    None => (&self.html[start + 1..], bytes.len()),
                }
            }
            _ => {
                let mut end = start;
                while end < bytes.len() && !is_space(bytes[end]) && bytes[end] != b'>' {
                    end += 1;
                }
                (&self.html[start..end], end)
            }
        }
    }
}
