use std::sync::{Mutex, PoisonError};

use oxc_allocator::Allocator;
use rayon::prelude::*;

use crate::coverage::CoverageMap;
use crate::instrument::instrument_in;
use crate::{Error, Instrumented, Kind, Options};

/// A file as it was read, by the name it is to have in the coverage.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SourceFile<'f> {
    /// Name in the coverage; its extension tells the kind.
    pub path: &'f str,
    /// The file's bytes.
    pub bytes: &'f [u8],
}

/// What became of a file.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Outcome {
    /// It has counters now.
    Instrumented(Box<Instrumented>),
    /// It is no code that is counted: copy it as it is.
    NotCode,
    /// It is code but could not be instrumented: copy it as it is.
    Failed(Error),
}

/// Instruments a file that has not been decoded yet.
///
/// # Errors
///
/// Those of [`instrument()`](crate::instrument()), and [`Error::Binary`] for bytes that are not UTF-8 text.
pub fn instrument_bytes(source: &[u8], path: &str, options: &Options) -> Result<Instrumented, Error> {
    bytes_in(&mut Allocator::default(), source, path, options)
}

fn bytes_in(arena: &mut Allocator, source: &[u8], path: &str, options: &Options) -> Result<Instrumented, Error> {
    let text = std::str::from_utf8(source).map_err(|error| {
        let offset = error.valid_up_to();
        let reason = match source.get(offset) {
            Some(byte) => format!("byte {byte:#04x} is not UTF-8"),
            None => "text breaks off".to_owned(),
        };
        Error::Binary { offset, reason }
    })?;
    instrument_in(arena, text, path, options).map_err(|error| match (error, memchr::memchr(0, source)) {
        // Text may hold NUL, but what holds NUL and cannot be parsed is no text.
        (Error::Syntax { .. }, Some(offset)) => Error::Binary { offset, reason: "NUL".to_owned() },
        (error, _) => error,
    })
}

/// Instruments many files on all of rayon's threads. The outcomes are in the order of the files.
///
/// ```
/// use webeval_instrument::{Options, Outcome, SourceFile, instrument_all};
/// let files = [
///     SourceFile { path: "a.js", bytes: b"a()" },
///     SourceFile { path: "b.css", bytes: b"b {}" },
///     SourceFile { path: "c.js", bytes: b"c(" },
/// ];
/// let outcomes = instrument_all(&files, &Options::default());
/// assert!(matches!(outcomes[0], Outcome::Instrumented(_)));
/// assert!(matches!(outcomes[1], Outcome::NotCode));
/// assert!(matches!(outcomes[2], Outcome::Failed(_)));
/// ```
#[must_use]
pub fn instrument_all(files: &[SourceFile<'_>], options: &Options) -> Vec<Outcome> {
    let arenas = Mutex::new(Vec::new());
    // One at a time: sizes differ too much for a fixed share of files to be a fair share of the work.
    files
        .par_iter()
        .with_max_len(1)
        .map(|file| {
            let arena = arenas.lock().unwrap_or_else(PoisonError::into_inner).pop();
            let mut arena = arena.unwrap_or_default();
            let outcome = outcome(&mut arena, file, options);
            arenas.lock().unwrap_or_else(PoisonError::into_inner).push(arena);
            outcome
        })
        .collect()
}

fn outcome(arena: &mut Allocator, file: &SourceFile<'_>, options: &Options) -> Outcome {
    if options.kind.is_none() && Kind::from_path(file.path).is_none() {
        return Outcome::NotCode;
    }
    match bytes_in(arena, file.bytes, file.path, options) {
        Ok(done) => Outcome::Instrumented(Box::new(done)),
        Err(error) => Outcome::Failed(error),
    }
}

/// A folder's files after instrumentation: what a deployment needs.
#[derive(Debug, Clone, Default, PartialEq)]
#[non_exhaustive]
pub struct Project {
    /// For each file, in the order given, its new text; `None` where it stays as it was.
    pub code: Vec<Option<String>>,
    /// For each file, the source map of its new text, if the options ask for one.
    pub source_maps: Vec<Option<String>>,
    /// The coverage of all instrumented files at zero. Files that a page never loads stay so, and count as uncovered.
    pub coverage: CoverageMap,
    /// Which files could not be instrumented, in whole or in part, by their place in the order given.
    pub failures: Vec<(usize, Error)>,
}

/// Instruments a whole project: [`instrument_all`] with its outcomes sorted.
#[must_use]
pub fn instrument_project(files: &[SourceFile<'_>], options: &Options) -> Project {
    let mut project = Project::default();
    for (index, outcome) in instrument_all(files, options).into_iter().enumerate() {
        let (code, source_map) = match outcome {
            Outcome::Instrumented(done) => {
                let done = *done;
                project.failures.extend(done.skipped.into_iter().map(|error| (index, error)));
                let counts = done.coverage.counters() > 0 || done.coverage.hash.is_some();
                if counts {
                    project.coverage.add(done.coverage);
                }
                counts.then_some((done.code, done.source_map)).unzip()
            }
            Outcome::NotCode => (None, None),
            Outcome::Failed(error) => {
                project.failures.push((index, error));
                (None, None)
            }
        };
        project.code.push(code);
        project.source_maps.push(source_map.flatten());
    }
    project
}
