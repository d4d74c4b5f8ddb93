//! Finds the tags of an HTML-like document, leaving every byte where it is.

/// Byte offsets of a stretch of the document.
pub(super) type Bytes = std::ops::Range<usize>;

/// An attribute of a start tag.
#[derive(Debug, Clone)]
pub(super) struct Attribute {
    pub(super) name: Bytes,
    /// The value without its quotes.
    pub(super) value: Option<Bytes>,
    pub(super) quoted: bool,
}

/// A start or end tag.
#[derive(Debug, Clone)]
pub(super) struct Tag {
    pub(super) whole: Bytes,
    /// In lower case.
    pub(super) name: String,
    pub(super) end: bool,
    pub(super) attributes: Vec<Attribute>,
    /// What lies between the tags of `script`, `style` and the like, whose content is not markup.
    pub(super) content: Option<Bytes>,
}

impl Tag {
    /// The value of an attribute; empty if it has none.
    pub(super) fn attribute<'s>(&self, source: &'s str, name: &str) -> Option<&'s str> {
        let found =
            self.attributes.iter().find(|attribute| source[attribute.name.clone()].eq_ignore_ascii_case(name))?;
        Some(found.value.clone().map_or("", |value| &source[value]))
    }
}

/// What is special about a kind of document.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Grammar {
    /// Attribute values may be expressions in braces, and braces in text hold code.
    pub(super) braces: bool,
    /// Only these elements hold something else than markup.
    pub(super) raw: &'static [&'static str],
}

/// Elements of HTML whose content is text.
pub(super) const HTML: Grammar =
    Grammar { braces: false, raw: &["script", "style", "textarea", "title", "xmp", "iframe", "noembed", "noframes"] };

/// Components: of their blocks, only script and style hold something else than markup.
pub(super) const COMPONENT: Grammar = Grammar { braces: true, raw: &["script", "style"] };

/// All tags from an offset on.
pub(super) fn tags(source: &str, from: usize, grammar: Grammar) -> Vec<Tag> {
    let mut scanner = Scanner { source, bytes: source.as_bytes(), at: from, grammar };
    let mut tags = Vec::new();
    while let Some(tag) = scanner.next_tag() {
        tags.push(tag);
    }
    tags
}

struct Scanner<'s> {
    source: &'s str,
    bytes: &'s [u8],
    at: usize,
    grammar: Grammar,
}

impl Scanner<'_> {
    fn next_tag(&mut self) -> Option<Tag> {
        loop {
            let start = self.at + memchr::memchr(b'<', self.bytes.get(self.at..)?)?;
            let rest = &self.bytes[start..];
            if rest.starts_with(b"<!--") {
                self.at = self.find(start + 4, b"-->").map_or(self.bytes.len(), |end| end + 3);
            } else if rest.starts_with(b"<!") || rest.starts_with(b"<?") {
                self.at = self.find(start, b">").map_or(self.bytes.len(), |end| end + 1);
            } else {
                let end = rest.get(1) == Some(&b'/');
                let name = start + 1 + usize::from(end);
                if self.bytes.get(name).is_some_and(u8::is_ascii_alphabetic) {
                    return self.tag(start, name, end);
                }
                self.at = start + 1;
            }
        }
    }

    fn find(&self, from: usize, needle: &[u8]) -> Option<usize> {
        memchr::memmem::find(self.bytes.get(from..)?, needle).map(|found| from + found)
    }

    fn tag(&mut self, start: usize, name: usize, end: bool) -> Option<Tag> {
        self.at = name;
        self.skip(|byte| !byte.is_ascii_whitespace() && byte != b'/' && byte != b'>');
        let name = self.source[name..self.at].to_ascii_lowercase();
        let attributes = self.attributes();
        // An unfinished tag at the end of the document is no tag.
        self.bytes.get(self.at)?;
        self.at += 1;
        let whole = start..self.at;
        let self_closing = self.grammar.braces && self.bytes[self.at - 2] == b'/';
        let raw = !end && !self_closing && self.grammar.raw.contains(&name.as_str());
        let content = raw.then(|| {
            let from = self.at;
            let to = self.end_of_raw(&name);
            self.at = to;
            from..to
        });
        Some(Tag { whole, name, end, attributes, content })
    }

    fn skip(&mut self, mut while_true: impl FnMut(u8) -> bool) {
        while self.bytes.get(self.at).is_some_and(|&byte| while_true(byte)) {
            self.at += 1;
        }
    }

    /// Reads attributes up to the `>` of the tag.
    fn attributes(&mut self) -> Vec<Attribute> {
        let mut attributes = Vec::new();
        loop {
            self.skip(|byte| byte.is_ascii_whitespace() || byte == b'/');
            match self.bytes.get(self.at) {
                None | Some(b'>') => return attributes,
                Some(b'{') if self.grammar.braces => {
                    self.at = self.end_of_braces();
                    continue;
                }
                Some(_) => {}
            }
            let name = self.at;
            self.at += 1;
            self.skip(|byte| !byte.is_ascii_whitespace() && !matches!(byte, b'/' | b'>' | b'='));
            let name = name..self.at;
            self.skip(|byte| byte.is_ascii_whitespace());
            if self.bytes.get(self.at) != Some(&b'=') {
                attributes.push(Attribute { name, value: None, quoted: false });
                continue;
            }
            self.at += 1;
            self.skip(|byte| byte.is_ascii_whitespace());
            let (value, quoted) = self.value();
            attributes.push(Attribute { name, value: Some(value), quoted });
        }
    }

    fn value(&mut self) -> (Bytes, bool) {
        let start = self.at;
        match self.bytes.get(start) {
            Some(&quote @ (b'"' | b'\'')) => {
                let end =
                    memchr::memchr(quote, &self.bytes[start + 1..]).map_or(self.bytes.len(), |end| start + 1 + end);
                self.at = (end + 1).min(self.bytes.len());
                (start + 1..end, true)
            }
            Some(b'{') if self.grammar.braces => {
                self.at = self.end_of_braces();
                (start..self.at, false)
            }
            _ => {
                self.skip(|byte| !byte.is_ascii_whitespace() && byte != b'>');
                (start..self.at, false)
            }
        }
    }

    /// The offset after the brace that closes the one here. Strings in between may hold braces.
    fn end_of_braces(&self) -> usize {
        let mut depth = 0usize;
        let mut quote = None;
        let mut at = self.at;
        while let Some(&byte) = self.bytes.get(at) {
            at += 1;
            match (quote, byte) {
                (Some(_), b'\\') => at += 1,
                (Some(open), _) if open == byte => quote = None,
                (Some(_), _) => {}
                (None, b'"' | b'\'' | b'`') => quote = Some(byte),
                (None, b'{') => depth += 1,
                (None, b'}') => {
                    depth -= 1;
                    if depth == 0 {
                        return at;
                    }
                }
                (None, _) => {}
            }
        }
        self.bytes.len()
    }

    /// Where the content of a raw element ends: at its end tag, or at the end of the document.
    fn end_of_raw(&self, name: &str) -> usize {
        let mut at = self.at;
        // Between `<!--<script` and `-->`, a script's end tag ends only the inner script.
        let mut escaped = false;
        let mut inner = false;
        while let Some(next) = memchr::memchr2(b'<', b'-', &self.bytes[at.min(self.bytes.len())..]) {
            at += next;
            let rest = &self.bytes[at..];
            if rest.starts_with(b"-->") {
                (escaped, inner) = (false, false);
            } else if name == "script" && rest.starts_with(b"<!--") {
                escaped = true;
                at += 3;
            } else if is_tag(rest, b"</", name) {
                if !inner {
                    return at;
                }
                inner = false;
            } else if escaped && is_tag(rest, b"<", name) {
                inner = true;
            }
            at += 1;
        }
        self.bytes.len()
    }
}

fn is_tag(rest: &[u8], open: &[u8], name: &str) -> bool {
    let Some(rest) = rest.strip_prefix(open) else {
        return false;
    };
    let Some((head, tail)) = rest.split_at_checked(name.len()) else {
        return false;
    };
    head.eq_ignore_ascii_case(name.as_bytes())
        && tail.first().is_none_or(|&byte| byte.is_ascii_whitespace() || matches!(byte, b'/' | b'>'))
}
