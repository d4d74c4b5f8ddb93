//! Puts the found texts into the source.

use crate::preamble::Names;
use crate::walk::{Insertion, NONE, Points, Text};
use crate::write;

/// Writes source text with insertions.
pub(crate) struct Splicer<'s> {
    source: &'s [u8],
    points: &'s Points,
    /// `V` and, for counters that may not be there yet, `(V||V_())`.
    counters: String,
    count: String,
    wrap: String,
    early: String,
    ready: String,
    truthy: String,
    /// How far the source has been written.
    done: usize,
    next: usize,
}

impl<'s> Splicer<'s> {
    /// The insertions of `points` have to be in order.
    pub(crate) fn new(source: &'s str, points: &'s Points, names: &Names) -> Self {
        let Names { counters, make, truthy } = names;
        Self {
            source: source.as_bytes(),
            points,
            counters: format!("{counters}["),
            count: format!("++{counters}["),
            wrap: format!("(++{counters}["),
            early: format!("({counters}||{make}())["),
            ready: format!("{counters}||{make}();"),
            truthy: format!("{truthy}("),
            done: 0,
            next: 0,
        }
    }

    /// Writes everything before a place. Insertions at the place itself come later.
    pub(crate) fn up_to(&mut self, place: usize, out: &mut Vec<u8>, trace: &mut impl Trace) {
        while let Some(insertion) = self.points.insertions.get(self.next) {
            if insertion.at as usize >= place {
                break;
            }
            self.next += 1;
            self.copy(insertion.at as usize, out);
            self.insert(insertion, out);
            trace.resumes(self.done, out.len());
        }
        self.copy(place, out);
    }

    /// Writes the rest.
    pub(crate) fn finish(mut self, out: &mut Vec<u8>, trace: &mut impl Trace) {
        let end = self.source.len();
        self.up_to(end, out, trace);
        while let Some(insertion) = self.points.insertions.get(self.next) {
            self.next += 1;
            self.insert(insertion, out);
        }
    }

    fn copy(&mut self, to: usize, out: &mut Vec<u8>) {
        if to > self.done {
            out.extend_from_slice(&self.source[self.done..to]);
            self.done = to;
        }
    }

    fn insert(&mut self, insertion: &Insertion, out: &mut Vec<u8>) {
        let counter = insertion.counter;
        let variable = if insertion.early { &self.early } else { &self.counters };
        let variable = variable.as_bytes();
        let mut count = |before: &[u8], after: &[u8]| write::around(out, before, variable, counter, after);
        if !insertion.early {
            // The two texts that make up nearly all.
            let prefix = match insertion.text {
                Text::Count => Some(&self.count),
                Text::Wrap => Some(&self.wrap),
                _ => None,
            };
            if let Some(prefix) = prefix {
                let after = if insertion.text == Text::Count { b"];" } else { b"]," };
                out.extend_from_slice(prefix.as_bytes());
                write::number_then(out, counter, after);
                return;
            }
        }
        match insertion.text {
            Text::Count => count(b"++", b"];"),
            Text::CountQuietly => count(b"var{}=++", b"];"),
            Text::CountAfter => count(b";++", b"];"),
            Text::OpenCount => count(b"{++", b"];"),
            Text::OpenCountQuietly => count(b"{var{}=++", b"];"),
            Text::Else => count(b"else ++", b"];"),
            Text::ElseQuietly => count(b"else{var{}=++", b"];}"),
            Text::Wrap => count(b"(++", b"],"),
            Text::StaticBlock => count(b"static{++", b"]}"),
            Text::Open => out.push(b'{'),
            Text::Close => out.push(b'}'),
            Text::EndWrap => out.push(b')'),
            Text::Ready => out.extend_from_slice(self.ready.as_bytes()),
            Text::ReadyAfter => {
                out.push(b';');
                out.extend_from_slice(self.ready.as_bytes());
            }
            Text::Truthy => {
                debug_assert_ne!(counter, NONE);
                out.extend_from_slice(self.truthy.as_bytes());
                write::number(out, counter);
                out.push(b',');
            }
            Text::Split(text) | Text::SplitQuietly(text) => {
                let quietly = matches!(insertion.text, Text::SplitQuietly(_));
                count(if quietly { b";var{}=++" } else { b";++" }, b"];");
                out.extend_from_slice(self.points.texts[text as usize].as_bytes());
                self.done += 1;
            }
            Text::WrapThen(text) => {
                count(b"(++", b"],");
                out.extend_from_slice(self.points.texts[text as usize].as_bytes());
            }
            Text::Plain(text) => out.extend_from_slice(self.points.texts[text as usize].as_bytes()),
            Text::Remove(length) => self.done += length as usize,
        }
    }
}

/// Told where copied source goes on after inserted text.
pub(crate) trait Trace {
    /// The source from that offset on stands in the output from that offset on.
    fn resumes(&mut self, source: usize, output: usize);
}

/// For outputs without a source map.
pub(crate) struct NoTrace;

impl Trace for NoTrace {
    fn resumes(&mut self, _: usize, _: usize) {}
}
