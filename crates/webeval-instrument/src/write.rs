//! Fast writing of numbers, JSON strings and Istanbul's maps.

use crate::coverage::{FileCoverage, IdMap, Range};

const DIGITS: &[u8; 200] = b"\
00010203040506070809101112131415161718192021222324252627282930313233343536373839\
40414243444546474849505152535455565758596061626364656667686970717273747576777879\
8081828384858687888990919293949596979899";

/// A short text put together without allocating.
struct Line {
    bytes: [u8; 128],
    length: usize,
}

impl Line {
    fn new() -> Self {
        Self { bytes: [0; 128], length: 0 }
    }

    fn text(&mut self, text: &[u8]) {
        self.bytes[self.length..self.length + text.len()].copy_from_slice(text);
        self.length += text.len();
    }

    fn number(&mut self, number: u32) {
        let mut digits = [0; 10];
        let start = digits_of(number, &mut digits);
        self.text(&digits[start..]);
    }

    fn write(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.bytes[..self.length]);
    }
}

/// Writes a number's digits to the end of the buffer and returns where they start.
fn digits_of(mut number: u32, digits: &mut [u8; 10]) -> usize {
    let mut at = digits.len();
    while number >= 100 {
        let pair = (number % 100) as usize * 2;
        number /= 100;
        at -= 2;
        digits[at..at + 2].copy_from_slice(&DIGITS[pair..pair + 2]);
    }
    if number >= 10 {
        let pair = number as usize * 2;
        at -= 2;
        digits[at..at + 2].copy_from_slice(&DIGITS[pair..pair + 2]);
    } else {
        at -= 1;
        digits[at] = b'0' + number as u8;
    }
    at
}

pub(crate) fn number(out: &mut Vec<u8>, number: u32) {
    let mut digits = [0; 10];
    let start = digits_of(number, &mut digits);
    out.extend_from_slice(&digits[start..]);
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

/// `"key":{"0":…,"1":…}`, a comma before it.
fn map<T>(out: &mut Vec<u8>, key: &str, map: &IdMap<T>, entry: impl Fn(&mut Vec<u8>, Line, &T)) {
    out.extend_from_slice(b",\"");
    out.extend_from_slice(key.as_bytes());
    out.extend_from_slice(b"\":{");
    for (index, (id, value)) in map.iter().enumerate() {
        let mut line = Line::new();
        line.text(if index == 0 { b"\"" } else { b",\"" });
        line.number(id);
        line.text(b"\":");
        entry(out, line, value);
    }
    out.push(b'}');
}

fn zeros(out: &mut Vec<u8>, line: Line, arms: &[u64]) {
    line.write(out);
    out.push(b'[');
    for index in 0..arms.len() {
        out.extend_from_slice(if index == 0 { b"0" } else { b",0" });
    }
    out.push(b']');
}

/// The initial data as JSON, all but its closing brace, as `JSON.stringify` writes it: every counter is zero.
pub(crate) fn initial(out: &mut Vec<u8>, coverage: &FileCoverage, input_source_map: Option<&str>) {
    out.extend_from_slice(b"{\"path\":");
    string(out, &coverage.path);
    map(out, "statementMap", &coverage.statement_map, |out, mut line, place| {
        range(&mut line, place);
        line.write(out);
    });
    map(out, "fnMap", &coverage.fn_map, |out, line, function| {
        line.write(out);
        out.extend_from_slice(b"{\"name\":");
        string(out, &function.name);
        let mut line = Line::new();
        line.text(b",\"decl\":");
        range(&mut line, &function.decl);
        line.write(out);
        let mut line = Line::new();
        line.text(b",\"loc\":");
        range(&mut line, &function.loc);
        line.text(b",\"line\":");
        line.number(function.line);
        line.text(b"}");
        line.write(out);
    });
    map(out, "branchMap", &coverage.branch_map, |out, mut line, branch| {
        line.text(b"{\"loc\":");
        range(&mut line, &branch.loc);
        line.write(out);
        out.extend_from_slice(b",\"type\":\"");
        out.extend_from_slice(branch.kind.as_str().as_bytes());
        out.extend_from_slice(b"\",\"locations\":[");
        for (index, arm) in branch.locations.iter().enumerate() {
            let mut line = Line::new();
            line.text(if index == 0 { b"" } else { b"," });
            match &arm.0 {
                Some(place) => range(&mut line, place),
                None => line.text(b"{\"start\":{},\"end\":{}}"),
            }
            line.write(out);
        }
        let mut line = Line::new();
        line.text(b"],\"line\":");
        line.number(branch.line);
        line.text(b"}");
        line.write(out);
    });
    for (key, counters) in [("s", &coverage.s), ("f", &coverage.f)] {
        map(out, key, counters, |out, mut line, _| {
            line.text(b"0");
            line.write(out);
        });
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
