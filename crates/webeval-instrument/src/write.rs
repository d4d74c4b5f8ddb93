//! Fast writing of numbers, JSON strings and Istanbul's maps.

use crate::coverage::{BranchMapping, FileCoverage, IdMap, Range};

const DIGITS: &[u8; 200] = b"\
00010203040506070809101112131415161718192021222324252627282930313233343536373839\
40414243444546474849505152535455565758596061626364656667686970717273747576777879\
8081828384858687888990919293949596979899";

/// A text put together without allocating, `N` bytes at most.
struct Line<const N: usize> {
    bytes: [u8; N],
    length: usize,
}

/// What is written to a sink at a time: large, since each time costs.
type Page = Line<8192>;

/// Room that an entry of a map, or an arm of one, can count on: no range, number and constant text comes near to it.
const ENTRY: usize = 1024;

// Inlined throughout, so that each constant text becomes a few plain stores.
impl<const N: usize> Line<N> {
    fn new() -> Self {
        Self { bytes: [0; N], length: 0 }
    }

    #[inline(always)]
    fn text(&mut self, text: &[u8]) {
        self.bytes[self.length..self.length + text.len()].copy_from_slice(text);
        self.length += text.len();
    }

    #[inline(always)]
    fn number(&mut self, number: u32) {
        let length = digit_count(number);
        let mut rest = number;
        let mut at = self.length + length;
        while rest >= 100 {
            let pair = (rest % 100) as usize * 2;
            rest /= 100;
            at -= 2;
            self.bytes[at] = DIGITS[pair];
            self.bytes[at + 1] = DIGITS[pair + 1];
        }
        if rest >= 10 {
            let pair = rest as usize * 2;
            self.bytes[at - 2] = DIGITS[pair];
            self.bytes[at - 1] = DIGITS[pair + 1];
        } else {
            self.bytes[at - 1] = b'0' + rest as u8;
        }
        self.length += length;
    }

    /// Writes the text out and starts anew.
    #[inline(always)]
    fn flush(&mut self, out: &mut impl Sink) {
        out.put(&self.bytes[..self.length]);
        self.length = 0;
    }

    /// Makes room for another entry.
    #[inline(always)]
    fn make_room(&mut self, out: &mut impl Sink) {
        if self.length + ENTRY > N {
            self.flush(out);
        }
    }

    /// A JSON string.
    fn string(&mut self, out: &mut impl Sink, text: &str) {
        if text.len() < ENTRY / 4 && !text.bytes().any(|byte| ESCAPED[byte as usize]) {
            self.text(b"\"");
            self.text(text.as_bytes());
            self.text(b"\"");
        } else {
            self.flush(out);
            string(out, text);
        }
    }
}

#[inline(always)]
fn digit_count(number: u32) -> usize {
    match number {
        0..10 => 1,
        10..100 => 2,
        100..1_000 => 3,
        1_000..10_000 => 4,
        10_000..100_000 => 5,
        100_000..1_000_000 => 6,
        1_000_000..10_000_000 => 7,
        10_000_000..100_000_000 => 8,
        100_000_000..1_000_000_000 => 9,
        _ => 10,
    }
}

/// Writes a text with a number in the middle.
pub(crate) fn around(out: &mut Vec<u8>, before: &[u8], variable: &[u8], number: u32, after: &[u8]) {
    let mut line = Line::<128>::new();
    if before.len() + variable.len() + after.len() + 10 <= 128 {
        line.text(before);
        line.text(variable);
        line.number(number);
        line.text(after);
        line.flush(out);
    } else {
        out.extend_from_slice(before);
        out.extend_from_slice(variable);
        line.number(number);
        line.flush(out);
        out.extend_from_slice(after);
    }
}

/// Writes a number and two bytes.
pub(crate) fn number_then(out: &mut Vec<u8>, number: u32, after: &[u8; 2]) {
    let mut line = Line::<16>::new();
    line.number(number);
    line.text(after);
    line.flush(out);
}

pub(crate) fn number(out: &mut Vec<u8>, number: u32) {
    let mut line = Line::<16>::new();
    line.number(number);
    line.flush(out);
}

/// Bytes that do not stand for themselves in a JSON string.
const ESCAPED: [bool; 256] = {
    let mut escaped = [false; 256];
    let mut byte = 0;
    while byte < 0x20 {
        escaped[byte] = true;
        byte += 1;
    }
    escaped[b'"' as usize] = true;
    escaped[b'\\' as usize] = true;
    escaped
};

/// A JSON string, escaped as `JSON.stringify` does.
pub(crate) fn string(out: &mut impl Sink, text: &str) {
    out.put(b"\"");
    let mut from = 0;
    for (at, byte) in text.bytes().enumerate() {
        if !ESCAPED[byte as usize] {
            continue;
        }
        out.put(&text.as_bytes()[from..at]);
        from = at + 1;
        match byte {
            b'"' => out.put(b"\\\""),
            b'\\' => out.put(b"\\\\"),
            b'\n' => out.put(b"\\n"),
            b'\r' => out.put(b"\\r"),
            b'\t' => out.put(b"\\t"),
            0x08 => out.put(b"\\b"),
            0x0C => out.put(b"\\f"),
            _ => out.put(format!("\\u{byte:04x}").as_bytes()),
        }
    }
    out.put(&text.as_bytes()[from..]);
    out.put(b"\"");
}

/// Takes written text.
pub(crate) trait Sink {
    fn put(&mut self, text: &[u8]);
}

impl Sink for Vec<u8> {
    #[inline(always)]
    fn put(&mut self, text: &[u8]) {
        self.extend_from_slice(text);
    }
}

/// Writes a text whose keys are quoted, as in JSON, or not, as they may be in a program.
macro_rules! keys {
    ($quoted:ident, $json:literal, $plain:literal) => {
        if $quoted { $json.as_slice() } else { $plain.as_slice() }
    };
}

#[inline(always)]
fn range<const Q: bool>(line: &mut Page, range: &Range) {
    line.text(keys!(Q, b"{\"start\":{\"line\":", b"{start:{line:"));
    line.number(range.start.line);
    line.text(keys!(Q, b",\"column\":", b",column:"));
    line.number(range.start.column);
    line.text(keys!(Q, b"},\"end\":{\"line\":", b"},end:{line:"));
    line.number(range.end.line);
    line.text(keys!(Q, b",\"column\":", b",column:"));
    line.number(range.end.column);
    line.text(b"}}");
}

/// `"key":{"0":…,"1":…}`, a comma before it. The entry's function finds the key in the page.
#[inline(always)]
fn map<const Q: bool, S: Sink, T>(
    out: &mut S,
    line: &mut Page,
    key: &str,
    map: &IdMap<T>,
    mut entry: impl FnMut(&mut S, &mut Page, &T),
) {
    line.make_room(out);
    line.text(keys!(Q, b",\"", b","));
    line.text(key.as_bytes());
    line.text(keys!(Q, b"\":{", b":{"));
    for (index, (id, value)) in map.iter().enumerate() {
        line.make_room(out);
        if index > 0 {
            line.text(b",");
        }
        line.text(keys!(Q, b"\"", b""));
        line.number(id);
        line.text(keys!(Q, b"\":", b":"));
        entry(out, line, value);
    }
    line.make_room(out);
    line.text(b"}");
}

fn zeros<S: Sink>(out: &mut S, line: &mut Page, arms: &[u64]) {
    line.text(b"[");
    for index in 0..arms.len() {
        line.make_room(out);
        if index > 0 {
            line.text(b",");
        }
        line.text(b"0");
    }
    line.text(b"]");
}

/// The initial data, all but its closing brace, with every counter at zero: as `JSON.stringify` writes it if the keys
/// are quoted.
pub(crate) fn initial<const Q: bool, S: Sink>(out: &mut S, coverage: &FileCoverage, input_source_map: Option<&str>) {
    let line = &mut Page::new();
    line.text(keys!(Q, b"{\"path\":", b"{path:"));
    line.string(out, &coverage.path);
    map::<Q, _, _>(out, line, "statementMap", &coverage.statement_map, |_, line, place| range::<Q>(line, place));
    map::<Q, _, _>(out, line, "fnMap", &coverage.fn_map, |out, line, function| {
        line.text(keys!(Q, b"{\"name\":", b"{name:"));
        line.string(out, &function.name);
        line.text(keys!(Q, b",\"decl\":", b",decl:"));
        range::<Q>(line, &function.decl);
        line.text(keys!(Q, b",\"loc\":", b",loc:"));
        range::<Q>(line, &function.loc);
        line.text(keys!(Q, b",\"line\":", b",line:"));
        line.number(function.line);
        line.text(b"}");
    });
    map::<Q, _, _>(out, line, "branchMap", &coverage.branch_map, branch_entry::<Q, S>);
    for (key, counters) in [("s", &coverage.s), ("f", &coverage.f)] {
        map::<Q, _, _>(out, line, key, counters, |_, line, _| line.text(b"0"));
    }
    map::<Q, _, _>(out, line, "b", &coverage.b, |out, line, arms| zeros(out, line, arms));
    if let Some(source_map) = input_source_map {
        line.make_room(out);
        line.text(keys!(Q, b",\"inputSourceMap\":", b",inputSourceMap:"));
        line.flush(out);
        out.put(source_map.as_bytes());
    }
    if let Some(truthy) = &coverage.b_t {
        map::<Q, _, _>(out, line, "bT", truthy, |out, line, arms| zeros(out, line, arms));
    }
    line.flush(out);
}

fn branch_entry<const Q: bool, S: Sink>(out: &mut S, line: &mut Page, branch: &BranchMapping) {
    line.text(keys!(Q, b"{\"loc\":", b"{loc:"));
    range::<Q>(line, &branch.loc);
    line.text(keys!(Q, b",\"type\":\"", b",type:\""));
    line.text(branch.kind.as_str().as_bytes());
    line.text(keys!(Q, b"\",\"locations\":[", b"\",locations:["));
    for (index, arm) in branch.locations.iter().enumerate() {
        line.make_room(out);
        if index > 0 {
            line.text(b",");
        }
        match &arm.0 {
            Some(place) => range::<Q>(line, place),
            None => line.text(keys!(Q, b"{\"start\":{},\"end\":{}}", b"{start:{},end:{}}")),
        }
    }
    line.make_room(out);
    line.text(keys!(Q, b"],\"line\":", b"],line:"));
    line.number(branch.line);
    line.text(b"}");
}
