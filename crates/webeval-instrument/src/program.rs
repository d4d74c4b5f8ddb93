//! Parses one program and walks it.

use std::ops::Range;

use oxc_allocator::Allocator;
use oxc_ast::ast::Program;
use oxc_parser::{ParseOptions, Parser, ParserReturn};
use oxc_span::{GetSpan, SourceType};

use crate::hints::Hints;
use crate::line_index::LineIndex;
use crate::walk::{Offsets, Points, Surroundings, Walker};
use crate::{Error, Kind, Options};

/// Where code can be put before everything else of a program, in offsets of its text.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Start {
    pub(crate) at: u32,
    /// Whether a `;` is needed first: the last directive may lack its own.
    pub(crate) semicolon: bool,
}

/// What is to be known of a program once it has been walked.
#[derive(Debug)]
pub(crate) struct Walked {
    pub(crate) start: Start,
    /// A comment asked for the whole file to be left alone.
    pub(crate) ignored: bool,
    /// Stretches of the comments, if they are wanted.
    pub(crate) comments: Vec<(u32, u32)>,
}

/// One program within a file.
#[derive(Debug, Clone)]
pub(crate) struct Source<'s> {
    pub(crate) text: &'s str,
    pub(crate) kind: Kind,
    pub(crate) offsets: Offsets,
    pub(crate) svelte: bool,
    pub(crate) skip_exports: bool,
    /// The program is the body of an event handler attribute.
    pub(crate) handler: Option<Handler>,
}

/// An event handler attribute, in offsets of the file.
#[derive(Debug, Clone)]
pub(crate) struct Handler {
    pub(crate) name: String,
    pub(crate) decl: Range<usize>,
    pub(crate) body: Range<usize>,
}

/// A syntax error in a program, its offset in the program's text.
#[derive(Debug)]
pub(crate) struct Failure {
    pub(crate) at: u32,
    pub(crate) reason: String,
    pub(crate) flow: bool,
}

/// Stack that one byte of source can need at most, in parser and walk together.
const STACK_PER_BYTE: usize = 1600;
const MOST_STACK: usize = 1 << 30;
const LEAST_STACK: usize = 128 << 10;

/// Parses a program and adds what it finds to the points.
///
/// The parser and the walk recurse into nested code, so the stack has to suit the source. The syntax tree lies in the
/// arena meanwhile.
pub(crate) fn walk(
    arena: &mut Allocator,
    source: &Source<'_>,
    points: &mut Points,
    options: &Options,
) -> Result<Walked, Failure> {
    let stack = (source.text.len() * STACK_PER_BYTE).clamp(LEAST_STACK, MOST_STACK);
    let walked = stacker::maybe_grow(stack, stack + LEAST_STACK, || walk_here(arena, source, points, options));
    arena.reset();
    walked
}

/// Parses a program and hands it over.
pub(crate) fn with_program<'a, R>(
    allocator: &'a Allocator,
    source: &'a Source<'_>,
    options: &Options,
    take: impl FnOnce(&Program<'a>) -> R,
) -> Result<R, Failure> {
    let stack = (source.text.len() * STACK_PER_BYTE).clamp(LEAST_STACK, MOST_STACK);
    stacker::maybe_grow(stack, stack + LEAST_STACK, || {
        let parsed = parse(allocator, source.text, source.kind, options)?;
        Ok(take(&parsed.program))
    })
}

fn walk_here(
    arena: &Allocator,
    source: &Source<'_>,
    points: &mut Points,
    options: &Options,
) -> Result<Walked, Failure> {
    let parsed = parse(arena, source.text, source.kind, options)?;
    let program = &parsed.program;
    let hints = Hints::new(source.text, &program.comments);
    let start = start(&parsed, source.text);
    let ignored = hints.file;
    let comments = if options.preserve_comments && !options.produce_source_map {
        Vec::new()
    } else {
        program.comments.iter().map(|comment| (comment.span.start, comment.span.end)).collect()
    };
    if !ignored {
        let module = program.source_type.is_module();
        let script = matches!(source.kind, Kind::Script | Kind::JavaScript);
        let surroundings = Surroundings {
            script: script && !module && source.handler.is_none(),
            module,
            svelte: source.svelte,
            skip_exports: source.skip_exports,
        };
        let offsets = source.offsets.clone();
        let mut walker = Walker::new(points, program, offsets, options, hints, surroundings);
        match &source.handler {
            Some(handler) => walker.handler(program, handler),
            None => walker.program(program),
        }
    }
    Ok(Walked { start, ignored, comments })
}

/// The ways to read a source, in order.
fn source_types(kind: Kind, options: &Options) -> Vec<SourceType> {
    let script = SourceType::script().with_jsx(true);
    let module = SourceType::mjs().with_jsx(true);
    match kind {
        Kind::Script => vec![script],
        Kind::CommonJs => vec![SourceType::cjs().with_jsx(true), script],
        Kind::Module => vec![module],
        Kind::Ts => vec![SourceType::ts()],
        Kind::Tsx => vec![SourceType::tsx()],
        _ => match options.es_modules {
            Some(true) => vec![module, script],
            Some(false) => vec![script],
            None => vec![SourceType::unambiguous().with_jsx(true), script, module],
        },
    }
}

/// Parses in the first way that gives no error; if there is none, the error is the first way's.
fn parse<'a>(
    allocator: &'a Allocator,
    text: &'a str,
    kind: Kind,
    options: &Options,
) -> Result<ParserReturn<'a>, Failure> {
    let mut first = None;
    for source_type in source_types(kind, options) {
        let parsed = parse_as(allocator, text, source_type);
        if parsed.diagnostics.is_empty() {
            return Ok(parsed);
        }
        first.get_or_insert_with(|| failure(&parsed));
    }
    Err(first.unwrap_or(Failure { at: 0, reason: String::new(), flow: false }))
}

fn parse_as<'a>(allocator: &'a Allocator, text: &'a str, source_type: SourceType) -> ParserReturn<'a> {
    let options =
        ParseOptions { allow_return_outside_function: true, preserve_parens: false, ..ParseOptions::default() };
    Parser::new(allocator, text, source_type).with_options(options).parse()
}

fn failure(parsed: &ParserReturn<'_>) -> Failure {
    let first = parsed.diagnostics.iter().next();
    let reason = first.map_or_else(String::new, |error| {
        let help = error.help.as_deref().map(|help| format!(" ({help})")).unwrap_or_default();
        format!("{}{help}", error.message)
    });
    let at = first.and_then(|error| error.labels.iter().next().map(|label| label.offset())).unwrap_or_default();
    Failure { at, reason, flow: parsed.is_flow_language }
}

/// Code goes before the first statement: after a hashbang and directives, which have to stay first.
fn start(parsed: &ParserReturn<'_>, text: &str) -> Start {
    let program = &parsed.program;
    if let Some(first) = program.body.first() {
        return Start { at: first.span().start, semicolon: false };
    }
    if let Some(last) = program.directives.last() {
        return Start { at: last.span.end, semicolon: true };
    }
    // Only comments: before them, but after a hashbang's line and a byte order mark.
    let bom = if text.starts_with('\u{feff}') { 3 } else { 0 };
    let hashbang = program.hashbang.as_ref().map_or(bom, |hashbang| {
        let rest = &text[hashbang.span.end as usize..];
        hashbang.span.end + rest.find(['\n', '\r']).map_or(0, |at| at as u32 + 1)
    });
    Start { at: hashbang, semicolon: false }
}

impl Failure {
    /// The failure as an error of the file.
    pub(crate) fn into_error(self, lines: &LineIndex<'_>, offset: u32) -> Error {
        let at = lines.position(offset);
        if self.flow {
            let dialect = "Flow".to_owned();
            return Error::UnsupportedDialect { dialect, line: at.line, column: at.column };
        }
        Error::Syntax { line: at.line, column: at.column, reason: self.reason }
    }
}
