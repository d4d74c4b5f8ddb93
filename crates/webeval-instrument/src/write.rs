//! Fast writing of numbers, JSON strings and Istanbul's maps.

use crate::coverage::{BranchMapping, FileCoverage, IdMap, Range};

const DIGITS: &[u8; 200] = b"\
00010203040506070809101112131415161718192021222324252627282930313233343536373839\
40414243444546474849505152535455565758596061626364656667686970717273747576777879\
8081828384858687888990919293949596979899";

/// A short text put together without allocating.
struct Line {
    bytes: [u8; 128],
    length: usize,
}

// Inlined throughout, so that each constant text becomes a few plain stores.
impl Line {
    fn new() -> Self {
        Self { bytes: [0; 128], length: 0 }
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
    fn flush(&mut self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.bytes[..self.length]);
        self.length = 0;
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
    let mut line = Line::new();
    if before.len() + variable.len() + after.len() + 10 <= line.bytes.len() {
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

pub(crate) fn number(out: &mut Vec<u8>, number: u32) {
    let mut line = Line::new();
    line.number(number);
    line.flush(out);
}

/// A JSON string, escaped as `JSON.stringify` does.
pub(crate) fn string(out: &mut Vec<u8>, text: &str) {
    out.push(b'"');
    let mut from = 0;
    for (at, byte) in text.bytes().enumerate() {
        if byte >= 0x20 && byte != b'"' && byte != b'\\' {
            continue;
        }
        out.extend_from_slice(&text.as_bytes()[from..at]);
        from = at + 1;
        match byte {
            b'"' => out.extend_from_slice(b"\\\""),
            b'\\' => out.extend_from_slice(b"\\\\"),
            b'\n' => out.extend_from_slice(b"\\n"),
            b'\r' => out.extend_from_slice(b"\\r"),
            b'\t' => out.extend_from_slice(b"\\t"),
            0x08 => out.extend_from_slice(b"\\b"),
            0x0C => out.extend_from_slice(b"\\f"),
            _ => out.extend_from_slice(format!("\\u{byte:04x}").as_bytes()),
        }
    }
    out.extend_from_slice(&text.as_bytes()[from..]);
    out.push(b'"');
}

#[inline(always)]
fn range(line: &mut Line, range: &Range) {
    line.text(b"{\"start\":{\"line\":");
    line.number(range.start.line);
    line.text(b",\"column\":");
    line.number(range.start.column);
    line.text(b"},\"end\":{\"line\":");
    line.number(range.end.line);
    line.text(b",\"column\":");
    line.number(range.end.column);
    line.text(b"}}");
}

/// `"key":{"0":…,"1":…}`, a comma before it. The entry's function finds the key in the line.
#[inline(always)]
fn map<T>(
    out: &mut Vec<u8>,
    key: &str,
    map: &IdMap<T>,
    mut entry: impl FnMut(&mut Vec<u8>, &mut Line, &T),
) {
    out.extend_from_slice(b",\"");
    out.extend_from_slice(key.as_bytes());
    out.extend_from_slice(b"\":{");
    let mut line = Line::new();
    for (index, (id, value)) in map.iter().enumerate() {
        if index > 0 {
            line.text(b",");
        }
        line.text(b"\"");
        line.number(id);
        line.text(b"\":");
        entry(out, &mut line, value);
        line.flush(out);
    }
    out.push(b'}');
}

fn zeros(out: &mut Vec<u8>, line: &mut Line, arms: &[u64]) {
    line.text(b"[");
    for index in 0..arms.len() {
        if index > 0 {
            line.text(b",");
        }
        line.text(b"0");
        if line.length > 96 {
            line.flush(out);
        }
    }
    line.text(b"]");
}

/// The initial data as JSON, all but its closing brace, as `JSON.stringify` writes it: every counter is zero.
pub(crate) fn initial(out: &mut Vec<u8>, coverage: &FileCoverage, input_source_map: Option<&str>) {
    out.extend_from_slice(b"{\"path\":");
    string(out, &coverage.path);
    map(out, "statementMap", &coverage.statement_map, |_, line, place| range(line, place));
    map(out, "fnMap", &coverage.fn_map, |out, line, function| {
        line.text(b"{\"name\":");
        line.flush(out);
        string(out, &function.name);
        line.text(b",\"decl\":");
        range(line, &function.decl);
        line.flush(out);
        line.text(b",\"loc\":");
        range(line, &function.loc);
        line.text(b",\"line\":");
        line.number(function.line);
        line.text(b"}");
    });
    map(out, "branchMap", &coverage.branch_map, |out, line, branch| branch_entry(out, line, branch));
    for (key, counters) in [("s", &coverage.s), ("f", &coverage.f)] {
        map(out, key, counters, |_, line, _| line.text(b"0"));
    }
    map(out, "b", &coverage.b, |out, line, arms| zeros(out, line, arms));
    if let Some(source_map) = input_source_map {
        out.extend_from_slice(b",\"inputSourceMap\":");
        out.extend_from_slice(source_map.as_bytes());
    }
    if let Some(truthy) = &coverage.b_t {
        map(out, "bT", truthy, |out, line, arms| zeros(out, line, arms));
    }
}

fn branch_entry(out: &mut Vec<u8>, line: &mut Line, branch: &BranchMapping) {
    line.text(b"{\"loc\":");
    range(line, &branch.loc);
    line.flush(out);
    out.extend_from_slice(b",\"type\":\"");
    out.extend_from_slice(branch.kind.as_str().as_bytes());
    line.text(b"\",\"locations\":[");
    for (index, arm) in branch.locations.iter().enumerate() {
        if index > 0 {
            line.text(b",");
        }
        match &arm.0 {
            Some(place) => range(line, place),
            None => line.text(b"{\"start\":{},\"end\":{}}"),
        }
        line.flush(out);
    }
    line.text(b"],\"line\":");
    line.number(branch.line);
    line.text(b"}");
}
