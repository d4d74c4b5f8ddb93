//! Documents that hold scripts: HTML, and the components of Vue, Svelte and Astro.
//!
//! A document is one file with one coverage. Its scripts are walked one after the other in its own offsets, and the
//! preamble goes where all of them can see its names.

mod component;
mod html;
mod listeners;
mod scan;

use std::borrow::Cow;

use oxc_allocator::Allocator;

use crate::assemble::assemble;
use crate::instrument::{Output, Spot, blank_comments};
use crate::line_index::LineIndex;
use crate::program::{self, Source};
use crate::walk::{Insertion, NONE, Offsets, Points, Text};
use crate::{Error, Instrumented, Kind, Options};
use scan::Bytes;

/// A stretch of code in a document.
#[derive(Debug)]
struct Block<'s> {
    text: Cow<'s, str>,
    kind: Kind,
    offsets: Offsets,
    place: Bytes,
    role: Role,
    /// Whether the preamble goes to its start.
    preamble: bool,
}

impl<'s> Block<'s> {
    fn script(source: &'s str, place: Bytes, kind: Kind) -> Self {
        Self {
            text: Cow::Borrowed(&source[place.clone()]),
            kind,
            offsets: Offsets::From(place.start as u32),
            place,
            role: Role::Script,
            preamble: false,
        }
    }
}

#[derive(Debug, Clone)]
enum Role {
    /// A script.
    Script,
    /// A script that a component's compiler reads first.
    Component { svelte: bool, skip_exports: bool },
    /// An event handler: the body of a function.
    Handler { name: String, decl: Bytes, quoted: bool },
}

/// A preamble outside of the document's own code, and what to put around it.
#[derive(Debug)]
struct Part {
    at: usize,
    before: String,
    after: String,
}

/// What of a document is code, and where the preamble goes.
#[derive(Debug, Default)]
struct Plan<'s> {
    blocks: Vec<Block<'s>>,
    parts: Vec<Part>,
}

/// An event whose handler is named in a document's markup.
#[derive(Debug, Clone)]
pub(crate) struct Listener {
    pub(crate) event: String,
    /// The element, with its id if it has one.
    pub(crate) target: String,
    /// Name of the function that it calls.
    pub(crate) calls: String,
}

/// The programs in a document, and the events that its markup connects to functions.
pub(crate) fn with_sources(source: &str, kind: Kind, mut take: impl FnMut(&Source<'_>)) -> Vec<Listener> {
    for block in &plan(source, kind).blocks {
        take(&program_source(block));
    }
    listeners::find(source, kind)
}

/// Whether a name is that of an event with a handler attribute.
pub(crate) fn is_event(name: &str) -> bool {
    html::is_event(name)
}

fn plan(source: &str, kind: Kind) -> Plan<'_> {
    match kind {
        Kind::Vue => component::vue(source),
        Kind::Svelte => component::svelte(source),
        Kind::Astro => component::astro(source),
        _ => html::plan(source),
    }
}

/// A script or an event handler, as a browser runs it.
#[derive(Debug)]
pub(crate) struct Script {
    pub(crate) text: String,
    /// Bytes of the file.
    pub(crate) place: std::ops::Range<usize>,
    pub(crate) offsets: Offsets,
    pub(crate) handler: bool,
}

impl Script {
    /// The byte of the text that a byte of the file is.
    pub(crate) fn local(&self, file: u32) -> u32 {
        match &self.offsets {
            Offsets::From(base) => file.saturating_sub(*base),
            Offsets::Table(table) => table.partition_point(|&at| at < file) as u32,
        }
    }
}

/// Walks the scripts and event handlers of an HTML document that a browser runs as they are written, and lists them.
pub(crate) fn walk_scripts(source: &str, points: &mut Points, options: &Options) -> Vec<Script> {
    let mut arena = Allocator::default();
    let blocks = plan(source, Kind::Html).blocks.into_iter();
    // JSX is compiled in the page, to a script of another text.
    let runs = blocks.filter(|block| matches!(block.kind, Kind::Script | Kind::Module));
    let walked = runs.filter_map(|block| {
        walk(&mut arena, &block, points, options).ok()?;
        let Block { text, place, offsets, role, .. } = block;
        Some(Script { text: text.into_owned(), place, offsets, handler: matches!(role, Role::Handler { .. }) })
    });
    walked.collect()
}

pub(crate) fn instrument(
    arena: &mut Allocator,
    source: &str,
    path: &str,
    kind: Kind,
    options: &Options,
) -> Result<Instrumented, Error> {
    let plan = plan(source, kind);
    let lines = LineIndex::new(source);
    let mut points = Points::for_source(source.len());
    let mut spots = Vec::new();
    let mut skipped = Vec::new();
    let mut walked = 0;
    for block in &plan.blocks {
        match walk(arena, block, &mut points, options) {
            Ok(program) => {
                walked += 1;
                if program.ignored {
                    continue;
                }
                if !options.preserve_comments {
                    let in_file = |(start, end)| (block.offsets.file(start), block.offsets.file(end));
                    blank_comments(source, program.comments.iter().copied().map(in_file), &mut points);
                }
                if block.preamble {
                    let at = block.place.start + program.start.at as usize;
                    spots.push(Spot { at, semicolon: program.start.semicolon, ..Spot::default() });
                }
            }
            Err((failure, at)) => skipped.push(failure.into_error(&lines, at)),
        }
    }
    if walked == 0 {
        return match skipped.into_iter().next() {
            Some(error) => Err(error),
            // A document without code is left as it is.
            None => Ok(crate::instrument::untouched(source, path)),
        };
    }
    if points.counters > 0 {
        spots.extend(plan.parts.into_iter().map(Spot::from));
    }
    let (coverage, table) = assemble(path, &mut points, &lines);
    let output =
        Output { source, path, options, points, coverage, table, spots, lines, comments: Vec::new(), input: None };
    let mut done = output.write(kind == Kind::Html)?;
    done.skipped = skipped;
    Ok(done)
}

impl From<Part> for Spot {
    fn from(part: Part) -> Self {
        Self { at: part.at, semicolon: false, before: part.before, after: part.after }
    }
}

/// The block as a program to parse.
fn program_source<'b>(block: &'b Block<'_>) -> Source<'b> {
    let (svelte, skip_exports) = match block.role {
        Role::Component { svelte, skip_exports } => (svelte, skip_exports),
        _ => (false, false),
    };
    Source {
        text: &block.text,
        kind: block.kind,
        offsets: block.offsets.clone(),
        svelte,
        skip_exports,
        handler: match &block.role {
            Role::Handler { name, decl, .. } => {
                Some(program::Handler { name: name.clone(), decl: decl.clone(), body: block.place.clone() })
            }
            _ => None,
        },
    }
}

/// Walks a block. Nothing of a block that fails is left in the points. A failure comes with its offset in the file.
fn walk(
    arena: &mut Allocator,
    block: &Block<'_>,
    points: &mut Points,
    options: &Options,
) -> Result<program::Walked, (program::Failure, u32)> {
    let source = program_source(block);
    let texts = points.texts.len();
    let plain = |points: &mut Points, at: usize, text: &str| {
        let text = points.text(text.to_owned());
        points.insertions.push(Insertion { at: at as u32, counter: NONE, text: Text::Plain(text), early: false });
    };
    let quotes = matches!(block.role, Role::Handler { quoted: false, .. });
    let before = points.insertions.len();
    if quotes {
        plain(points, block.place.start, "\"");
    }
    let walked = program::walk(arena, &source, points, options).map_err(|failure| {
        points.insertions.truncate(before);
        let at = block.offsets.file(failure.at);
        (failure, at)
    })?;
    if matches!(block.role, Role::Handler { .. }) {
        // Inserted quotes must not end the attribute.
        for text in points.texts[texts..].iter_mut().filter(|text| text.len() > 1) {
            *text = text.replace('"', "&quot;");
        }
    }
    if quotes {
        plain(points, block.place.end, "\"");
    }
    Ok(walked)
}
