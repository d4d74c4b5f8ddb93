use std::ops::Range;

use oxc_ast::ast::{
    ArrowFunctionBody, ArrowFunctionExpression, Directive, FormalParameters, Function, FunctionBody, Program,
};
use oxc_ast_visit::Visit;
use oxc_span::{GetSpan, Span};

use crate::program::Handler;

use super::{FunctionPoint, NONE, Stretch, Text, Walker};

/// What of a walker belongs to the function around, to be put back after the one within.
struct Outer {
    live: u32,
    quiet: bool,
    early: bool,
    nested: bool,
    strict: bool,
}

/// Whether directives make the code strict.
pub(super) fn is_strict(directives: &[Directive<'_>]) -> bool {
    directives.iter().any(|directive| directive.directive == "use strict")
}

impl<'a> Walker<'_, 'a> {
    fn enter(&mut self, early: bool) -> Outer {
        let early = early || self.early;
        Outer {
            live: std::mem::replace(&mut self.live, NONE),
            quiet: std::mem::replace(&mut self.quiet, false),
            early: std::mem::replace(&mut self.early, early),
            nested: std::mem::replace(&mut self.nested, true),
            strict: self.strict,
        }
    }

    /// Making a function has no effects, so what was live stays so.
    fn leave(&mut self, outer: &Outer) {
        self.live = outer.live;
        self.quiet = outer.quiet;
        self.early = outer.early;
        self.nested = outer.nested;
        self.strict = outer.strict;
    }

    /// Runs a part of the walk as if it were a function's body, outside of which nothing is known to be live.
    pub(super) fn apart(&mut self, walk: impl FnOnce(&mut Self)) {
        let outer = self.enter(false);
        walk(self);
        self.leave(&outer);
    }

    /// A function declaration. An exported one can be called through a circular import before its module has run.
    pub(super) fn function_declaration(&mut self, it: &Function<'a>, exported: bool) {
        let exported = exported || it.id.as_ref().is_some_and(|id| self.exported.contains(&id.name.as_str()));
        let early = self.surroundings.module && !self.nested && exported;
        self.function(it, it.span, early, |_| {});
    }

    /// A function expression, unless the options leave it out.
    pub(super) fn function_expression(&mut self, it: &Function<'a>) {
        let ignored = it.id.as_ref().is_some_and(|id| self.is_ignored_method(&id.name));
        if !ignored {
            self.function(it, it.span, false, |_| {});
        }
    }

    pub(super) fn is_ignored_method(&self, name: &str) -> bool {
        self.options.ignore_class_methods.iter().any(|ignored| ignored == name)
    }

    /// Any function but an arrow. `whole` is its stretch, for a method that of the member; `key` walks the method's key,
    /// which comes after the function's id is given but is no part of the function.
    pub(super) fn function(&mut self, it: &Function<'a>, whole: Span, early: bool, key: impl FnOnce(&mut Self)) {
        let Some(body) = &it.body else { return };
        let decl = match &it.id {
            Some(id) => self.stretch(id.span),
            None => self.first_character(whole),
        };
        let name = it.id.as_ref().map(|id| id.name.to_string());
        let point = self.function_point(name, decl, body.span);
        key(self);
        let outer = self.enter(early);
        self.parameters(&it.params);
        self.early = outer.early;
        let counter = self.points.new_counter();
        self.points.functions[point].counter = counter;
        self.function_body(body, counter, early);
        self.leave(&outer);
    }

    /// The program is the body of a function without text of its own: an event handler attribute.
    pub(crate) fn handler(&mut self, program: &Program<'a>, handler: &Handler) {
        let counter = self.points.new_counter();
        let stretch = |range: &Range<usize>| Stretch { start: range.start as u32, end: range.end as u32 };
        self.points.functions.push(FunctionPoint {
            name: Some(handler.name.clone()),
            decl: stretch(&handler.decl),
            body: stretch(&handler.body),
            counter,
        });
        let start = program.body.first().map_or(program.span.end, |first| first.span().start);
        self.insert(start, Text::Count, counter);
        self.nested = true;
        self.live = counter;
        self.visit_statements(&program.body);
    }

    fn function_point(&mut self, name: Option<String>, decl: Stretch, body: Span) -> usize {
        let body = self.stretch(body);
        self.points.functions.push(FunctionPoint { name, decl, body, counter: NONE });
        self.points.functions.len() - 1
    }

    /// Istanbul's place of a function without a name of its own.
    fn first_character(&self, span: Span) -> Stretch {
        let start = self.offsets.file(span.start);
        Stretch { start, end: start + 1 }
    }

    fn parameters(&mut self, it: &FormalParameters<'a>) {
        self.visit_formal_parameters(it);
        self.live = NONE;
    }

    fn function_body(&mut self, body: &FunctionBody<'a>, counter: u32, early: bool) {
        self.strict |= is_strict(&body.directives);
        let directive = body.directives.last();
        let (at, text) = match (directive, body.statements.first()) {
            (None, _) => (body.span.start + 1, Text::Count),
            (Some(_), Some(first)) => (first.span().start, Text::Count),
            (Some(directive), None) => (directive.span.end, Text::CountAfter),
        };
        if early {
            let text = if text == Text::CountAfter { Text::ReadyAfter } else { Text::Ready };
            self.insert(at, text, NONE);
        }
        self.insert(at, text, counter);
        self.live = counter;
        self.visit_statements(&body.statements);
    }

    pub(super) fn arrow(&mut self, it: &ArrowFunctionExpression<'a>) {
        let body = match &it.body {
            ArrowFunctionBody::FunctionBody(body) => body.span,
            other => other.span(),
        };
        let decl = self.first_character(it.span);
        let point = self.function_point(None, decl, body);
        let outer = self.enter(false);
        self.parameters(&it.params);
        let counter = self.points.new_counter();
        self.points.functions[point].counter = counter;
        match &it.body {
            ArrowFunctionBody::FunctionBody(body) => self.function_body(body, counter, false),
            other => {
                if let Some(expression) = other.as_expression() {
                    let statement = self.pending_statement(body);
                    self.points.statements[statement].1 = counter;
                    self.wrapped_as(expression, counter);
                }
            }
        }
        self.leave(&outer);
    }
}
