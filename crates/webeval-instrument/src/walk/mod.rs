//! One walk over the syntax tree finds every place to count and the text that counts it.
//!
//! The ids of statements, functions and branches are given in the order in which Babel visits nodes, since that is
//! the order of Istanbul's ids. Text may be found in another order, so insertions are sorted before they are spliced.
//!
//! Places that cannot but count alike share a counter: a function and its first statement, an `if` and the first
//! operand of its condition, a declaration without effects and the statement after it. [`Walker::live`] is the counter
//! that has just been counted with nothing evaluated since; whatever could throw, suspend, branch or be branched to
//! clears it.

mod classes;
mod expressions;
mod functions;
mod points;
mod statements;

use oxc_ast::ast::{Expression, Program};
use oxc_ast_visit::Visit;
use oxc_span::{GetSpan, Span};

pub(crate) use points::{ArmPoint, BranchPoint, FunctionPoint, Insertion, NONE, Points, Stretch, Text};

use crate::Options;
use crate::coverage::BranchKind;
use crate::hints::{Hint, Hints};

/// From offsets in a parsed program to offsets in the file that holds it.
#[derive(Debug, Clone)]
pub(crate) enum Offsets {
    /// The program stands in the file as it is, from that offset on.
    From(u32),
    /// The program was decoded from the file: the file offset of each of its bytes, and of its end.
    Table(Vec<u32>),
}

impl Offsets {
    pub(crate) fn file(&self, local: u32) -> u32 {
        match self {
            Self::From(base) => base + local,
            Self::Table(table) => table.get(local as usize).or(table.last()).copied().unwrap_or_default(),
        }
    }
}

/// What surrounds the program and so decides how it may be counted.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Surroundings {
    /// The completion value of the top level can be seen: a classic script.
    pub(crate) script: bool,
    /// The top level may be called into before it has run: an ECMAScript module.
    pub(crate) module: bool,
    /// Svelte compiles the program: `$state(…)` and its like must stay bare.
    pub(crate) svelte: bool,
    /// Exported declarations are moved out of the program by its compiler and must not be touched: Astro.
    pub(crate) skip_exports: bool,
}

/// Finds what to count in one program.
pub(crate) struct Walker<'w, 'a> {
    pub(crate) points: &'w mut Points,
    text: &'a str,
    offsets: Offsets,
    options: &'w Options,
    hints: Hints,
    surroundings: Surroundings,
    /// The counter just counted, with nothing evaluated since, or [`NONE`].
    live: u32,
    /// Completion values matter here: the top level of a script.
    quiet: bool,
    /// Within `with`: any name may be a trap, so nothing is without effects.
    within_with: bool,
    /// Within the parameters of a function that may be called before its module ran.
    early: bool,
    /// Within a function that cannot be called, only turned into its source text: nothing is inserted.
    mute: bool,
    /// Inside a function or a class.
    nested: bool,
    /// The code is strict.
    strict: bool,
    /// Names that the module exports in `export { … }` lists.
    exported: Vec<&'a str>,
    /// Set while a `for` head is walked: its declarations cannot be split.
    for_head: bool,
}

impl<'w, 'a> Walker<'w, 'a> {
    pub(crate) fn new(
        points: &'w mut Points,
        program: &Program<'a>,
        offsets: Offsets,
        options: &'w Options,
        hints: Hints,
        surroundings: Surroundings,
    ) -> Self {
        let exported = if surroundings.module { statements::exported_names(program) } else { Vec::new() };
        Self {
            points,
            text: program.source_text,
            offsets,
            options,
            hints,
            live: NONE,
            quiet: surroundings.script,
            surroundings,
            within_with: false,
            early: false,
            nested: false,
            strict: surroundings.module || functions::is_strict(&program.directives),
            mute: false,
            exported,
            for_head: false,
        }
    }

    /// Walks the whole program.
    pub(crate) fn program(&mut self, program: &Program<'a>) {
        self.visit_statements(&program.body);
    }

    fn stretch(&self, span: Span) -> Stretch {
        Stretch { start: self.offsets.file(span.start), end: self.offsets.file(span.end) }
    }

    fn insert(&mut self, local: u32, text: Text, counter: u32) {
        if self.mute {
            return;
        }
        let at = self.offsets.file(local);
        self.points.insertions.push(Insertion { at, counter, text, early: self.early });
    }

    /// A new statement at a place; returns its counter. `at` is where a counting statement can stand.
    fn statement(&mut self, span: Span, at: u32, quietly: bool) -> u32 {
        if self.live == NONE {
            self.live = self.points.new_counter();
            let text = if quietly && self.quiet { Text::CountQuietly } else { Text::Count };
            self.insert(at, text, self.live);
        }
        let stretch = self.stretch(span);
        self.points.statements.push((stretch, self.live));
        self.live
    }

    /// A new statement whose counter is found out later.
    fn pending_statement(&mut self, span: Span) -> usize {
        let stretch = self.stretch(span);
        self.points.statements.push((stretch, NONE));
        self.points.statements.len() - 1
    }

    fn branch(&mut self, kind: BranchKind, span: Span) -> u32 {
        let whole = self.stretch(span);
        self.points.branches.push(BranchPoint { kind, whole });
        self.points.branches.len() as u32 - 1
    }

    fn arm(&mut self, branch: u32, place: Option<Span>, counter: u32) {
        let place = place.map(|span| self.stretch(span));
        let runs_at = place.map_or(NONE, |place| place.start);
        self.points.arms.push(ArmPoint { branch, place, runs_at, counter, truthy: NONE });
    }

    /// Counts an expression by wrapping it, `(++V[n],expression)`, and visits it.
    fn wrapped_as(&mut self, expression: &Expression<'a>, counter: u32) {
        let span = expression.span();
        self.insert(span.start, Text::Wrap, counter);
        self.live = counter;
        self.visit_expression(expression);
        self.insert(span.end, Text::EndWrap, NONE);
        self.live = NONE;
    }

    /// Counts an anonymous function or class that takes its name from where it stands, and visits it:
    /// `(++V[n],{name:function(){}}).name` keeps the name that a plain wrap would lose.
    fn wrapped_named(&mut self, expression: &Expression<'a>, counter: u32, name: &Name) {
        let span = expression.span();
        let (open, close) = name.property();
        let open = self.points.text(open);
        let close = self.points.text(close);
        self.insert(span.start, Text::WrapThen(open), counter);
        self.live = counter;
        self.visit_expression(expression);
        self.insert(span.end, Text::Plain(close), NONE);
        self.live = NONE;
    }

    /// Takes the hint of a node that starts here, if there is one.
    fn hint(&mut self, start: u32) -> Option<Hint> {
        if self.hints.is_empty() { None } else { self.hints.take(start) }
    }

    fn peek_hint(&self, start: u32) -> Option<Hint> {
        if self.hints.is_empty() { None } else { self.hints.peek(start) }
    }

    /// Whether a node is to be skipped with all that is in it.
    fn ignored(&mut self, start: u32) -> bool {
        self.hint(start) == Some(Hint::Next)
    }
}

/// A name that an anonymous function takes from where it stands.
#[derive(Debug, Clone)]
pub(crate) enum Name {
    /// An identifier.
    Identifier(String),
    /// A literal key, as it is written.
    Literal(String),
}

impl Name {
    /// The text before and after the function in an object literal that names it alike.
    fn property(&self) -> (String, String) {
        match self {
            // A plain `__proto__:` would set the prototype.
            Self::Identifier(name) if name == "__proto__" => ("{[\"__proto__\"]:".into(), "}).__proto__".into()),
            Self::Identifier(name) => (format!("{{{name}:"), format!("}}).{name}")),
            Self::Literal(text) => (format!("{{[{text}]:"), format!("}})[{text}]")),
        }
    }
}
