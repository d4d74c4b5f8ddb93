//! Source maps: reading them, and writing the one of an instrumented file.

use serde::Deserialize;

use crate::Error;
use crate::coverage::Position;
use crate::line_index::LineIndex;
use crate::splice::Trace;
use crate::write;

/// One segment of a generated line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Segment {
    /// Column in the generated line, from 0.
    pub(crate) column: u32,
    /// Source, line (from 0) and column, if the segment has an origin.
    pub(crate) origin: Option<Origin>,
}

/// Where a segment comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Origin {
    pub(crate) source: u32,
    pub(crate) line: u32,
    pub(crate) column: u32,
    pub(crate) name: Option<u32>,
}

/// A source map, decoded.
#[derive(Debug, Clone, Default)]
pub(crate) struct SourceMap {
    pub(crate) sources: Vec<String>,
    pub(crate) contents: Vec<Option<String>>,
    names: Vec<String>,
    /// Segments of each generated line, in order of their columns.
    pub(crate) lines: Vec<Vec<Segment>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Raw {
    version: Option<u32>,
    #[serde(default)]
    source_root: Option<String>,
    #[serde(default)]
    sources: Vec<Option<String>>,
    #[serde(default)]
    sources_content: Option<Vec<Option<String>>>,
    #[serde(default)]
    names: Vec<serde_json::Value>,
    #[serde(default)]
    mappings: String,
    sections: Option<Vec<Section>>,
}

#[derive(Deserialize)]
struct Section {
    offset: SectionOffset,
    map: Box<Raw>,
}

#[derive(Deserialize)]
struct SectionOffset {
    line: u32,
    column: u32,
}

fn broken(reason: impl Into<String>) -> Error {
    Error::SourceMap { reason: reason.into() }
}

impl SourceMap {
    /// Reads a source map of version 3, indexed or not.
    pub(crate) fn parse(json: &str) -> Result<Self, Error> {
        // Served maps may begin with a line that keeps them from being run as a script.
        let json = json.strip_prefix(")]}'").map_or(json, |rest| rest.trim_start_matches(|c| c != '\n'));
        let raw: Raw = serde_json::from_str(json).map_err(|error| broken(error.to_string()))?;
        let mut map = Self::default();
        map.add(raw, 0, 0)?;
        Ok(map)
    }

    fn add(&mut self, raw: Raw, line: u32, column: u32) -> Result<(), Error> {
        if let Some(sections) = raw.sections {
            for section in sections {
                self.add(*section.map, line + section.offset.line, section.offset.column)?;
            }
            return Ok(());
        }
        if raw.version != Some(3) {
            return Err(broken("not version 3"));
        }
        let (first_source, first_name) = (self.sources.len() as u32, self.names.len() as u32);
        let root = raw.source_root.unwrap_or_default();
        let sources = raw.sources.len();
        self.sources.extend(raw.sources.into_iter().map(|source| {
            let source = source.unwrap_or_default();
            match root.as_str() {
                "" => source,
                root if root.ends_with('/') => format!("{root}{source}"),
                root => format!("{root}/{source}"),
            }
        }));
        let mut contents = raw.sources_content.unwrap_or_default();
        contents.resize(sources, None);
        self.contents.extend(contents);
        self.names.extend(raw.names.iter().map(|name| name.as_str().unwrap_or_default().to_owned()));
        self.decode(&raw.mappings, line as usize, column, first_source, first_name)
    }

    fn decode(
        &mut self,
        mappings: &str,
        first_line: usize,
        first_column: u32,
        first_source: u32,
        first_name: u32,
    ) -> Result<(), Error> {
        let (mut source, mut line, mut column, mut name) = (0i64, 0i64, 0i64, 0i64);
        for (index, text) in mappings.split(';').enumerate() {
            let at = first_line + index;
            if self.lines.len() <= at {
                self.lines.resize(at + 1, Vec::new());
            }
            let mut generated = i64::from(if index == 0 { first_column } else { 0 });
            for segment in text.split(',').filter(|segment| !segment.is_empty()) {
                let mut fields = [0i64; 5];
                let count = vlq(segment, &mut fields)?;
                generated += fields[0];
                let origin = if count >= 4 {
                    source += fields[1];
                    line += fields[2];
                    column += fields[3];
                    if count == 5 {
                        name += fields[4];
                    }
                    let number =
                        |value: i64| u32::try_from(value).map_err(|_| broken("a mapping points before the start"));
                    let source = number(source)? + first_source;
                    if source as usize >= self.sources.len() {
                        return Err(broken("a mapping names a source that is not listed"));
                    }
                    let name = if count == 5 { Some(number(name)? + first_name) } else { None };
                    Some(Origin { source, line: number(line)?, column: number(column)?, name })
                } else {
                    None
                };
                let column = u32::try_from(generated).map_err(|_| broken("a negative column"))?;
                self.lines[at].push(Segment { column, origin });
            }
            self.lines[at].sort_by_key(|segment| segment.column);
        }
        Ok(())
    }

    /// The segments of a line, counted from 0.
    pub(crate) fn line(&self, line: u32) -> &[Segment] {
        self.lines.get(line as usize).map_or(&[], Vec::as_slice)
    }
}

fn vlq(segment: &str, fields: &mut [i64; 5]) -> Result<usize, Error> {
    let (mut count, mut value, mut shift) = (0, 0i64, 0);
    for byte in segment.bytes() {
        let digit = match byte {
            b'A'..=b'Z' => byte - b'A',
            b'a'..=b'z' => byte - b'a' + 26,
            b'0'..=b'9' => byte - b'0' + 52,
            b'+' => 62,
            b'/' => 63,
            _ => return Err(broken(format!("{:?} in the mappings", char::from(byte)))),
        };
        if shift > 30 {
            return Err(broken("a mapping is too large"));
        }
        value |= i64::from(digit & 31) << shift;
        shift += 5;
        if digit & 32 == 0 {
            let field = fields.get_mut(count).ok_or_else(|| broken("a mapping of more than five fields"))?;
            *field = if value & 1 == 1 { -(value >> 1) } else { value >> 1 };
            count += 1;
            (value, shift) = (0, 0);
        }
    }
    if shift > 0 || !matches!(count, 1 | 4 | 5) {
        return Err(broken("a mapping breaks off"));
    }
    Ok(count)
}

/// A segment while it is written: a comma and five fields of at most seven digits each.
struct Digits {
    bytes: [u8; 36],
    length: usize,
}

impl Digits {
    fn push(&mut self, byte: u8) {
        self.bytes[self.length] = byte;
        self.length += 1;
    }

    /// The difference to the last value of the field.
    fn difference(&mut self, last: &mut i64, now: u32) {
        const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
        let value = i64::from(now) - *last;
        *last = i64::from(now);
        let mut rest = (value.unsigned_abs() << 1) | u64::from(value < 0);
        while rest > 31 {
            self.push(DIGITS[(rest & 31) as usize | 32]);
            rest >>= 5;
        }
        self.push(DIGITS[rest as usize]);
    }
}

/// Remembers where source text goes on in the output.
#[derive(Debug, Default)]
pub(crate) struct Runs {
    /// Offsets in source and output, in order of both.
    runs: Vec<(u32, u32)>,
}

impl Trace for Runs {
    fn resumes(&mut self, source: usize, output: usize) {
        let run = (source as u32, output as u32);
        match self.runs.last_mut() {
            // Two texts at one place: the source goes on after the second.
            Some(last) if last.0 == run.0 => *last = run,
            _ => self.runs.push(run),
        }
    }
}

/// The mappings of a source map while they are written.
#[derive(Default)]
struct Mappings {
    out: Vec<u8>,
    line_open: bool,
    generated: i64,
    source: i64,
    line: i64,
    column: i64,
    name: i64,
}

impl Mappings {
    fn new_line(&mut self) {
        self.out.push(b';');
        self.generated = 0;
        self.line_open = false;
    }

    fn segment(&mut self, column: u32, origin: Option<Origin>) {
        let mut digits = Digits { bytes: [0; 36], length: 0 };
        if self.line_open {
            digits.push(b',');
        }
        self.line_open = true;
        digits.difference(&mut self.generated, column);
        if let Some(origin) = origin {
            digits.difference(&mut self.source, origin.source);
            digits.difference(&mut self.line, origin.line);
            digits.difference(&mut self.column, origin.column);
            if let Some(name) = origin.name {
                digits.difference(&mut self.name, name);
            }
        }
        self.out.extend_from_slice(&digits.bytes[..digits.length]);
    }
}

/// Bytes of names.
const WORD: [bool; 256] = {
    let mut word = [false; 256];
    let mut byte = 0;
    while byte < 256 {
        let letter = byte as u8;
        word[byte] = letter.is_ascii_alphanumeric() || letter == b'_' || letter == b'$' || letter >= 0x80;
        byte += 1;
    }
    word
};

/// What a source map of an instrumented file is made of.
pub(crate) struct Writer<'w> {
    pub(crate) path: &'w str,
    pub(crate) source: &'w str,
    pub(crate) source_lines: &'w LineIndex<'w>,
    pub(crate) code_lines: &'w LineIndex<'w>,
    pub(crate) runs: &'w Runs,
    pub(crate) input: Option<&'w SourceMap>,
    /// Comments, in order: nobody asks where their words come from.
    pub(crate) comments: &'w [(u32, u32)],
}

/// How far the walk over the lines has come in the runs.
#[derive(Default)]
struct Place {
    run: usize,
    comment: usize,
    /// By how many bytes the output is ahead of the source.
    shift: i64,
}

impl Place {
    /// Goes on to a source offset; true if text was put in right before it.
    fn go_to(&mut self, offset: u32, runs: &[(u32, u32)]) -> bool {
        let before = self.run;
        while let Some(&(source, output)) = runs.get(self.run).filter(|run| run.0 <= offset) {
            self.shift = i64::from(output) - i64::from(source);
            self.run += 1;
        }
        self.run > before
    }

    fn in_comment(&mut self, offset: u32, comments: &[(u32, u32)]) -> bool {
        while comments.get(self.comment).is_some_and(|comment| comment.1 <= offset) {
            self.comment += 1;
        }
        comments.get(self.comment).is_some_and(|comment| comment.0 <= offset)
    }

    fn output(&self, offset: u32) -> u32 {
        (i64::from(offset) + self.shift) as u32
    }
}

impl Writer<'_> {
    /// The source map as JSON. With an input source map it leads to what that one leads to.
    ///
    /// Output and source have the same lines. On each line there is a segment where a word starts and where source goes
    /// on after inserted text; with an input source map there are its segments in their new columns.
    pub(crate) fn write(&self) -> String {
        let mut mappings = Mappings { out: Vec::with_capacity(self.source.len()), ..Mappings::default() };
        let mut place = Place::default();
        for line in 1..=self.source_lines.lines() {
            if line > 1 {
                mappings.new_line();
            }
            match self.input {
                None => self.words(line, &mut place, &mut mappings),
                Some(input) => {
                    for segment in input.line(line - 1) {
                        let at = Position { line, column: segment.column };
                        let offset = self.source_lines.offset(at);
                        place.go_to(offset, &self.runs.runs);
                        let column = self.code_lines.column(line, place.output(offset));
                        mappings.segment(column, segment.origin);
                    }
                }
            }
        }
        self.json(&mappings.out)
    }

    /// A segment for each name on a line, and for each place where source goes on.
    fn words(&self, line: u32, place: &mut Place, mappings: &mut Mappings) {
        let (start, end) = self.source_lines.line_span(line);
        let bytes = &self.source.as_bytes()[start as usize..end as usize];
        let runs = &self.runs.runs;
        let mut next_run = runs.get(place.run).map_or(u32::MAX, |run| run.0);
        let mut within = false;
        // Most lines are ASCII in both.
        let code_start = self.code_lines.ascii_line_start(line);
        let ascii = code_start.zip(self.source_lines.ascii_line_start(line));
        for (at, &byte) in (start..).zip(bytes) {
            let word = WORD[byte as usize];
            let resumed = at >= next_run;
            if resumed {
                place.go_to(at, runs);
                next_run = runs.get(place.run).map_or(u32::MAX, |run| run.0);
            }
            if resumed || at == start || (word && !within && !place.in_comment(at, self.comments)) {
                let (column, source_column) = match ascii {
                    Some((code_start, source_start)) => (place.output(at) - code_start, at - source_start),
                    None => (self.code_lines.column(line, place.output(at)), self.source_lines.column(line, at)),
                };
                let origin = Origin { source: 0, line: line - 1, column: source_column, name: None };
                mappings.segment(column, Some(origin));
            }
            within = word;
        }
    }

    fn json(&self, mappings: &[u8]) -> String {
        let mut out = Vec::with_capacity(mappings.len() + self.source.len() * 5 / 4 + 256);
        out.extend_from_slice(b"{\"version\":3,\"file\":");
        write::string(&mut out, self.path);
        out.extend_from_slice(b",\"sources\":[");
        let own = [self.path.to_owned()];
        let sources = self.input.map_or(&own[..], |input| &input.sources);
        list(&mut out, sources.iter().map(|source| Some(source.as_str())));
        out.extend_from_slice(b"],\"sourcesContent\":[");
        match self.input {
            None => write::string(&mut out, self.source),
            Some(input) => list(&mut out, input.contents.iter().map(Option::as_deref)),
        }
        out.extend_from_slice(b"],\"names\":[");
        let names = self.input.map_or(&[][..], |input| &input.names);
        list(&mut out, names.iter().map(|name| Some(name.as_str())));
        out.extend_from_slice(b"],\"mappings\":\"");
        out.extend_from_slice(mappings);
        out.extend_from_slice(b"\"}");
        String::from_utf8(out).unwrap_or_default()
    }
}

fn list<'t>(out: &mut Vec<u8>, texts: impl Iterator<Item = Option<&'t str>>) {
    for (index, text) in texts.enumerate() {
        if index > 0 {
            out.push(b',');
        }
        match text {
            Some(text) => write::string(out, text),
            None => out.extend_from_slice(b"null"),
        }
    }
}
