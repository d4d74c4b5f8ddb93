use serde::{Deserialize, Serialize};

use crate::assemble::assemble;
use crate::coverage::{COVERAGE_SCHEMA, FileCoverage};
use crate::line_index::LineIndex;
use crate::preamble::{Names, Preamble};
use crate::program::{self, Source};
use crate::splice::{NoTrace, Splicer};
use crate::walk::{Offsets, Points};
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
    let kind = options.kind.or_else(|| Kind::from_path(path));
    let kind = kind.ok_or_else(|| Error::NotCode { path: path.to_owned() })?;
    check(source, path)?;
    if kind.is_document() {
        return crate::document::instrument(source, path, kind, options);
    }
    let program = Source {
        text: source,
        kind,
        offsets: Offsets::From(0),
        svelte: is_svelte_module(path),
        skip_exports: false,
    };
    let mut points = Points::default();
    let lines = LineIndex::new(source);
    let walked = program::walk(&program, &mut points, options).map_err(|failure| {
        let at = failure.at;
        failure.into_error(&lines, at)
    })?;
    if walked.ignored {
        return Ok(untouched(source, path));
    }
    let (mut coverage, table) = assemble(path, &mut points, &lines);
    points.insertions.sort_by_key(|insertion| insertion.at);
    let names = Names::new(path);
    let mut out = Vec::with_capacity(estimate(source, &points));
    let mut splicer = Splicer::new(source, &points, &names);
    splicer.up_to(walked.start.at as usize, &mut out, &mut NoTrace);
    if walked.start.semicolon {
        out.push(b';');
    }
    Preamble {
        names: &names,
        options,
        coverage: &mut coverage,
        table: &table,
        counters: points.counters,
        input_source_map: options.input_source_map.as_deref(),
    }
    .write(&mut out);
    splicer.finish(&mut out, &mut NoTrace);
    Ok(Instrumented { code: into_string(out), coverage, source_map: None })
}

/// What a file gets that asked to be left alone.
pub(crate) fn untouched(source: &str, path: &str) -> Instrumented {
    Instrumented {
        code: source.to_owned(),
        coverage: FileCoverage::empty(path),
        source_map: None,
    }
}

/// Only whole characters of the source and ASCII text are put together, so this never loses anything.
pub(crate) fn into_string(out: Vec<u8>) -> String {
    String::from_utf8(out).unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
}

/// Room for the output: most of it is maps.
pub(crate) fn estimate(source: &str, points: &Points) -> usize {
    let maps = points.statements.len() * 84
        + points.functions.len() * 190
        + points.branches.len() * 130
        + points.arms.len() * 70;
    source.len() + maps + points.insertions.len() * 24 + 2048
}

/// Refuses what cannot be a source file or has been instrumented already.
fn check(source: &str, path: &str) -> Result<(), Error> {
    if source.len() >= u32::MAX as usize {
        return Err(Error::TooLarge { bytes: source.len() });
    }
    let magic = memchr::memmem::find(source.as_bytes(), COVERAGE_SCHEMA.as_bytes());
    let own = || {
        let names = Names::new(path);
        let finder = memchr::memmem::Finder::new(&names.counters);
        finder.find(source.as_bytes())
    };
    if let Some(at) = magic.or_else(own) {
        let at = LineIndex::new(source).position(at as u32);
        return Err(Error::AlreadyInstrumented { line: at.line, column: at.column });
    }
    Ok(())
}

fn is_svelte_module(path: &str) -> bool {
    [".svelte.js", ".svelte.ts"].iter().any(|end| path.ends_with(end))
}
