use oxc_allocator::Allocator;
use serde::{Deserialize, Serialize};

use crate::assemble::assemble;
use crate::coverage::{COVERAGE_SCHEMA, FileCoverage};
use crate::line_index::LineIndex;
use crate::preamble::{Names, Preamble};
use crate::program::{self, Source, Walked};
use crate::source_map::{Runs, SourceMap, Writer};
use crate::splice::{NoTrace, Splicer, Trace};
use crate::walk::{Insertion, NONE, Offsets, Points, Text};
use crate::{Error, Kind, Options};

/// A file's counted text and its coverage before anything has run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Instrumented {
    /// The source with counters. It has as many lines as the source.
    pub code: String,
    /// The coverage of the file with all counters at zero. A document that holds several scripts has one coverage,
    /// whose places are those of the document.
    pub coverage: FileCoverage,
    /// A source map from `code` to the source, or to what the source was made of if an input source map was given.
    /// Only with the option `produceSourceMap`.
    pub source_map: Option<String>,
    /// Scripts of a document that were left as they were, and why. The document's other scripts are instrumented.
    #[serde(skip)]
    pub skipped: Vec<Error>,
}

/// Instruments one file.
///
/// `path` names the file in the coverage data and tells its kind by its extension. The function reads and writes
/// nothing but memory, and the same source, path and options always give the same output.
///
/// # Errors
///
/// See [`Error`]. Whatever the error, the file can be used as it was.
///
/// ```
/// use webeval_instrument::{Options, instrument};
/// let done = instrument("export const twice = x => x * 2;", "twice.js", &Options::default())?;
/// assert_eq!(done.coverage.fn_map.len(), 1);
/// assert!(done.code.ends_with("x * 2);"));
/// # Ok::<(), webeval_instrument::Error>(())
/// ```
pub fn instrument(source: &str, path: &str, options: &Options) -> Result<Instrumented, Error> {
    instrument_in(&mut Allocator::default(), source, path, options)
}

/// Instruments one file, with its syntax tree in an arena that can be used again: fresh memory costs more than parsing
/// does where several threads ask for it.
pub(crate) fn instrument_in(
    arena: &mut Allocator,
    source: &str,
    path: &str,
    options: &Options,
) -> Result<Instrumented, Error> {
    let kind = options.kind.or_else(|| Kind::from_path(path));
    let kind = kind.ok_or_else(|| Error::NotCode { path: path.to_owned() })?;
    check(source, path)?;
    check_options(options)?;
    if kind.is_document() {
        return crate::document::instrument(arena, source, path, kind, options);
    }
    let lines = LineIndex::new(source);
    let (mut points, walked) = walk_file(arena, source, path, options, &lines)?;
    if walked.ignored {
        return Ok(untouched(source, path));
    }
    if !options.preserve_comments {
        blank_comments(source, walked.comments.iter().copied(), &mut points);
    }
    let (coverage, table) = assemble(path, &mut points, &lines);
    let spot = Spot { at: walked.start.at as usize, semicolon: walked.start.semicolon, ..Spot::default() };
    let (spots, comments) = (vec![spot], walked.comments);
    Output { source, path, options, points, coverage, table, spots, lines, comments, input: None }.write(false)
}

/// Parses and walks a file that is one program.
pub(crate) fn walk_file(
    arena: &mut Allocator,
    source: &str,
    path: &str,
    options: &Options,
    lines: &LineIndex<'_>,
) -> Result<(Points, Walked), Error> {
    let kind = options.kind.or_else(|| Kind::from_path(path));
    let program = Source {
        text: source,
        kind: kind.ok_or_else(|| Error::NotCode { path: path.to_owned() })?,
        offsets: Offsets::From(0),
        svelte: is_svelte_module(path),
        skip_exports: false,
        handler: None,
    };
    let mut points = Points::for_source(source.len());
    let walked = program::walk(arena, &program, &mut points, options).map_err(|failure| {
        let at = failure.at;
        failure.into_error(lines, at)
    })?;
    Ok((points, walked))
}

/// Takes comments, stretches of the source, out, leaving their line breaks and a space.
pub(crate) fn blank_comments(source: &str, comments: impl Iterator<Item = (u32, u32)>, points: &mut Points) {
    for (start, end) in comments {
        let comment = &source[start as usize..end as usize];
        let breaks: String = comment.chars().filter(|c| matches!(c, '\n' | '\r' | '\u{2028}' | '\u{2029}')).collect();
        let text = points.text(if breaks.is_empty() { " ".to_owned() } else { breaks });
        for text in [Text::Plain(text), Text::Remove(end - start)] {
            points.insertions.push(Insertion { at: start, counter: NONE, text, early: false });
        }
    }
}

/// What a file gets that asked to be left alone.
pub(crate) fn untouched(source: &str, path: &str) -> Instrumented {
    Instrumented { code: source.to_owned(), coverage: FileCoverage::empty(path), source_map: None, skipped: Vec::new() }
}

/// A place for the preamble.
#[derive(Debug, Default)]
pub(crate) struct Spot {
    pub(crate) at: usize,
    pub(crate) semicolon: bool,
    pub(crate) before: String,
    pub(crate) after: String,
}

/// All that an output is made of.
pub(crate) struct Output<'o> {
    pub(crate) source: &'o str,
    pub(crate) path: &'o str,
    pub(crate) options: &'o Options,
    pub(crate) points: Points,
    pub(crate) coverage: FileCoverage,
    pub(crate) table: Vec<u32>,
    pub(crate) spots: Vec<Spot>,
    pub(crate) lines: LineIndex<'o>,
    /// The comments of a source, if its source map is wanted.
    pub(crate) comments: Vec<(u32, u32)>,
    /// The input source map as it is written into the data.
    pub(crate) input: Option<String>,
}

impl Output<'_> {
    /// Puts the text together. In HTML the preamble must not hold what ends a script.
    pub(crate) fn write(mut self, in_html: bool) -> Result<Instrumented, Error> {
        self.points.insertions.sort_by_key(|insertion| insertion.at);
        self.spots.sort_by_key(|spot| spot.at);
        let input = match &self.options.input_source_map {
            Some(json) => {
                self.coverage.input_source_map =
                    Some(serde_json::from_str(json).map_err(|error| Error::SourceMap { reason: error.to_string() })?);
                Some(SourceMap::parse(json)?)
            }
            None => None,
        };
        // On one line, whatever the given text's layout.
        self.input = self.coverage.input_source_map.as_ref().map(ToString::to_string);
        let mut out = Vec::with_capacity(self.estimate());
        let mut runs = Runs::default();
        if self.options.produce_source_map {
            self.splice(&mut out, in_html, &mut runs);
        } else {
            self.splice(&mut out, in_html, &mut NoTrace);
        }
        let code = into_string(out);
        let source_map = self.options.produce_source_map.then(|| {
            Writer {
                path: self.path,
                source: self.source,
                source_lines: &self.lines,
                code_lines: &LineIndex::new(&code),
                runs: &runs,
                input: input.as_ref(),
                comments: &self.comments,
            }
            .write()
        });
        Ok(Instrumented { code, coverage: self.coverage, source_map, skipped: Vec::new() })
    }

    fn splice(&mut self, out: &mut Vec<u8>, in_html: bool, trace: &mut impl Trace) {
        let names = Names::new(self.path);
        let mut splicer = Splicer::new(self.source, &self.points, &names);
        for spot in std::mem::take(&mut self.spots) {
            splicer.up_to(spot.at, out, trace);
            if spot.semicolon {
                out.push(b';');
            }
            out.extend_from_slice(spot.before.as_bytes());
            let start = out.len();
            Preamble {
                names: &names,
                options: self.options,
                coverage: &mut self.coverage,
                table: &self.table,
                counters: self.points.counters,
                input_source_map: self.input.as_deref(),
            }
            .write(out);
            if in_html && out[start..].contains(&b'<') {
                let preamble = out.split_off(start);
                for byte in preamble {
                    if byte == b'<' {
                        out.extend_from_slice(b"\\x3c");
                    } else {
                        out.push(byte);
                    }
                }
            }
            out.extend_from_slice(spot.after.as_bytes());
            trace.resumes(spot.at, out.len());
        }
        splicer.finish(out, trace);
    }

    /// Room for the output: most of it is maps. A little more than it takes on the average.
    fn estimate(&self) -> usize {
        let points = &self.points;
        let digits = |number: usize| number.max(1).ilog10() as usize + 1;
        let range = 48 + 2 * digits(self.lines.lines() as usize);
        let statement = range + 5 + 2 * digits(points.statements.len());
        let function = 2 * range + 72 + digits(points.statements.len());
        let branch = range + 56 + digits(points.branches.len());
        let arms = self.table.len().saturating_sub(points.statements.len() + self.coverage.fn_map.len());
        let maps = points.statements.len() * statement
            + self.coverage.fn_map.len() * function
            + points.branches.len() * branch
            + arms * (range + 3)
            + self.table.len() * 2;
        let insertion = 19 + digits(points.counters as usize);
        self.source.len() + maps * self.spots.len() + points.insertions.len() * insertion + 2048
    }
}

/// Only whole characters of the source and ASCII text are put together, so this never loses anything.
fn into_string(out: Vec<u8>) -> String {
    String::from_utf8(out).unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
}

/// Refuses what cannot be a source file or has been instrumented already.
fn check(source: &str, path: &str) -> Result<(), Error> {
    if source.len() >= u32::MAX as usize {
        return Err(Error::TooLarge { bytes: source.len() });
    }
    let magic = memchr::memmem::find(source.as_bytes(), COVERAGE_SCHEMA.as_bytes());
    let own = || {
        let names = Names::new(path);
        memchr::memmem::find(source.as_bytes(), names.counters.as_bytes())
    };
    if let Some(at) = magic.or_else(own) {
        let at = LineIndex::new(source).position(at as u32);
        return Err(Error::AlreadyInstrumented { line: at.line, column: at.column });
    }
    Ok(())
}

/// Refuses option values that would break the code they are written into.
fn check_options(options: &Options) -> Result<(), Error> {
    let scope = &options.coverage_global_scope;
    if scope.trim().is_empty() || scope.contains(['\n', '\r', '\u{2028}', '\u{2029}']) {
        let reason = "it has to be an expression on one line";
        return Err(Error::Option { option: "coverageGlobalScope", value: scope.clone(), reason });
    }
    if options.coverage_variable.is_empty() {
        let reason = "it has to name a property";
        return Err(Error::Option { option: "coverageVariable", value: String::new(), reason });
    }
    Ok(())
}

fn is_svelte_module(path: &str) -> bool {
    [".svelte.js", ".svelte.ts"].iter().any(|end| path.ends_with(end))
}
