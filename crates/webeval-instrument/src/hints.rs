//! The comments that tell what not to count.

use oxc_ast::ast::Comment;

/// What a comment asks of the node that follows it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Hint {
    /// Do not count it, nor anything in it.
    Next,
    /// Do not count the first arm of this `if`.
    If,
    /// Do not count the second arm of this `if`.
    Else,
}

enum Found {
    Node(Hint),
    File,
    Start,
    Stop,
}

/// The hints of one program, by the offset of the token that follows the comment.
#[derive(Debug, Default)]
pub(crate) struct Hints {
    /// Offset, hint, and whether the outermost node there has been met: hints are meant for that one alone.
    nodes: Vec<(u32, Hint, bool)>,
    /// Stretches between `c8 ignore start` and `c8 ignore stop`.
    ranges: Vec<(u32, u32)>,
    /// `istanbul ignore file` was seen.
    pub(crate) file: bool,
}

impl Hints {
    pub(crate) fn new(text: &str, comments: &[Comment]) -> Self {
        let mut hints = Self::default();
        let mut open = None;
        for comment in comments {
            let content = comment.content_span();
            let Some(value) = text.get(content.start as usize..content.end as usize) else {
                continue;
            };
            // Nearly all comments are told apart by their first letter.
            if !value.trim_start().starts_with(['i', 'c', 'v']) {
                continue;
            }
            match parse(value) {
                None => {}
                Some(Found::File) => hints.file = true,
                Some(Found::Start) => open = open.or(Some(comment.span.end)),
                Some(Found::Stop) => {
                    if let Some(start) = open.take() {
                        hints.ranges.push((start, comment.span.start));
                    }
                }
                Some(Found::Node(hint)) => hints.add(skip_trivia(text, comment.span.end), hint),
            }
        }
        // A start without its stop, as a bundler may leave it, would ignore the rest of the bundle: it counts for nothing.
        hints
    }

    /// The last of several comments before one token counts.
    fn add(&mut self, at: u32, hint: Hint) {
        match self.nodes.last_mut() {
            Some(last) if last.0 == at => last.1 = hint,
            _ => self.nodes.push((at, hint, false)),
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.nodes.is_empty() && self.ranges.is_empty()
    }

    /// The hint for the outermost node that starts at an offset; asked a second time there is none.
    pub(crate) fn take(&mut self, at: u32) -> Option<Hint> {
        if self.in_range(at) {
            return Some(Hint::Next);
        }
        let found = self.nodes.binary_search_by_key(&at, |node| node.0).ok()?;
        let (_, hint, taken) = &mut self.nodes[found];
        (!std::mem::replace(taken, true)).then_some(*hint)
    }

    /// The hint at an offset, without taking it.
    pub(crate) fn peek(&self, at: u32) -> Option<Hint> {
        if self.in_range(at) {
            return Some(Hint::Next);
        }
        let found = self.nodes.binary_search_by_key(&at, |node| node.0).ok()?;
        let (_, hint, taken) = self.nodes[found];
        (!taken).then_some(hint)
    }

    fn in_range(&self, at: u32) -> bool {
        self.ranges.iter().any(|&(start, end)| start <= at && at < end)
    }
}

fn parse(comment: &str) -> Option<Found> {
    let mut words = comment.split_whitespace();
    let tool = words.next()?;
    if !matches!(tool, "istanbul" | "c8" | "v8") || words.next() != Some("ignore") {
        return None;
    }
    let word = words.next()?;
    let end = word.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(word.len());
    Some(match &word[..end] {
        "next" => Found::Node(Hint::Next),
        "if" => Found::Node(Hint::If),
        "else" => Found::Node(Hint::Else),
        "file" => Found::File,
        "start" if tool != "istanbul" => Found::Start,
        "stop" if tool != "istanbul" => Found::Stop,
        _ => return None,
    })
}

/// Offset of the next token: past white space and comments.
pub(crate) fn skip_trivia(text: &str, from: u32) -> u32 {
    let mut at = from as usize;
    loop {
        let rest = text[at..].trim_start_matches(|c: char| c.is_whitespace() || c == '\u{feff}');
        at = text.len() - rest.len();
        if rest.starts_with("//") {
            at += rest.find(['\n', '\r', '\u{2028}', '\u{2029}']).unwrap_or(rest.len());
        } else if rest.starts_with("/*") {
            at += rest.find("*/").map_or(rest.len(), |end| end + 2);
        } else {
            return at as u32;
        }
    }
}
