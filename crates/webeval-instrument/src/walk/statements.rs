use oxc_ast::ast::{
    Declaration, ExportDefaultDeclarationKind, Expression, ForStatementInit, ForStatementLeft, IfStatement,
    ModuleExportName, Program, Statement, SwitchStatement, TSEnumDeclaration, TSNamespaceDeclaration,
    TSNamespaceDeclarationBody, VariableDeclaration, VariableDeclarationKind, VariableDeclarator,
};
use oxc_ast_visit::Visit;
use oxc_span::{GetSpan, Span};

use super::expressions::{anonymous_definition, binding_name};
use super::{NONE, Text, Walker};
use crate::coverage::BranchKind;
use crate::hints::{Hint, skip_trivia};

/// Names that stand in the program's `export { … }` lists.
pub(super) fn exported_names<'a>(program: &Program<'a>) -> Vec<&'a str> {
    let lists = program.body.iter().filter_map(|statement| match statement {
        Statement::ExportNamedDeclaration(list) => Some(list),
        _ => None,
    });
    lists
        .flat_map(|list| &list.specifiers)
        .filter_map(|specifier| match &specifier.local {
            ModuleExportName::IdentifierReference(local) => Some(local.name.as_str()),
            ModuleExportName::IdentifierName(local) => Some(local.name.as_str()),
            ModuleExportName::StringLiteral(_) => None,
        })
        .collect()
}

impl<'a> Walker<'_, 'a> {
    pub(super) fn walk_statement(&mut self, statement: &Statement<'a>) {
        let span = statement.span();
        if self.hint_of_statement(statement, span) {
            return;
        }
        match statement {
            Statement::ExpressionStatement(it) => {
                self.statement(span, span.start, false);
                self.visit_expression(&it.expression);
            }
            Statement::VariableDeclaration(it) => self.variables(it, span.start),
            Statement::ReturnStatement(it) => {
                self.statement(span, span.start, false);
                if let Some(argument) = &it.argument {
                    self.visit_expression(argument);
                }
                self.live = NONE;
            }
            Statement::IfStatement(it) => self.if_statement(it),
            Statement::BlockStatement(it) => self.visit_statements(&it.body),
            Statement::FunctionDeclaration(it) => self.function_declaration(it, false),
            Statement::ThrowStatement(it) => {
                self.statement(span, span.start, false);
                self.visit_expression(&it.argument);
                self.live = NONE;
            }
            Statement::BreakStatement(_) | Statement::ContinueStatement(_) | Statement::DebuggerStatement(_) => {
                self.statement(span, span.start, true);
                self.live = NONE;
            }
            Statement::SwitchStatement(it) => self.switch_statement(it),
            Statement::TryStatement(it) => {
                self.statement(span, span.start, false);
                self.visit_statements(&it.block.body);
                self.live = NONE;
                if let Some(handler) = &it.handler {
                    if let Some(parameter) = &handler.param {
                        self.visit_binding_pattern(&parameter.pattern);
                    }
                    self.live = NONE;
                    self.visit_statements(&handler.body.body);
                    self.live = NONE;
                }
                if let Some(finalizer) = &it.finalizer {
                    self.visit_statements(&finalizer.body);
                    self.live = NONE;
                }
            }
            Statement::LabeledStatement(it) => {
                self.statement(span, span.start, true);
                // The label's counter stands before the label and counts for the statement under it as well.
                self.walk_statement(&it.body);
                self.live = NONE;
            }
            Statement::WithStatement(it) => {
                self.statement(span, span.start, false);
                self.visit_expression(&it.object);
                let outer = std::mem::replace(&mut self.within_with, true);
                self.loop_body(&it.body);
                self.within_with = outer;
            }
            Statement::EmptyStatement(_) => {}
            _ => self.walk_other_statement(statement, span),
        }
    }

    fn walk_other_statement(&mut self, statement: &Statement<'a>, span: Span) {
        match statement {
            Statement::ForStatement(it) => {
                self.statement(span, span.start, false);
                match &it.init {
                    Some(ForStatementInit::VariableDeclaration(init)) if !self.ignored(init.span.start) => {
                        self.for_head = true;
                        self.variables(init, init.span.start);
                        self.for_head = false;
                    }
                    Some(init) => {
                        if let Some(expression) = init.as_expression() {
                            self.visit_expression(expression);
                        }
                    }
                    None => {}
                }
                for part in [&it.test, &it.update].into_iter().flatten() {
                    self.live = NONE;
                    self.visit_expression(part);
                }
                self.loop_body(&it.body);
            }
            Statement::ForInStatement(it) => {
                self.for_each(span, &it.left, &it.right, &it.body);
            }
            Statement::ForOfStatement(it) => {
                self.for_each(span, &it.left, &it.right, &it.body);
            }
            Statement::WhileStatement(it) => {
                self.statement(span, span.start, false);
                self.live = NONE;
                self.visit_expression(&it.test);
                self.loop_body(&it.body);
            }
            Statement::DoWhileStatement(it) => {
                self.statement(span, span.start, false);
                self.loop_body(&it.body);
                self.visit_expression(&it.test);
                self.live = NONE;
            }
            Statement::ExportDeclaration(it) => self.export_declaration(&it.declaration, span),
            Statement::ExportDefaultDeclaration(it) => match &it.declaration {
                _ if self.surroundings.skip_exports => {}
                ExportDefaultDeclarationKind::FunctionDeclaration(function) => {
                    if !self.ignored(function.span.start) {
                        self.function_declaration(function, true);
                    }
                }
                ExportDefaultDeclarationKind::ClassDeclaration(class) => {
                    if !self.ignored(class.span.start) {
                        self.class(class);
                    }
                }
                other => {
                    if let Some(expression) = other.as_expression() {
                        self.visit_expression(expression);
                        self.live = NONE;
                    }
                }
            },
            Statement::TSExportAssignment(it) => {
                self.visit_expression(&it.expression);
                self.live = NONE;
            }
            other => {
                if let Some(declaration) = other.as_declaration() {
                    self.declaration(declaration, span.start, false);
                }
            }
        }
    }

    /// Takes the statement's hint. True if the statement is to be skipped.
    fn hint_of_statement(&mut self, statement: &Statement<'a>, span: Span) -> bool {
        if self.hints.is_empty() {
            return false;
        }
        match statement {
            // Its own walk asks for the hint, since it may be about an arm.
            Statement::IfStatement(_) => self.peek_hint(span.start) == Some(Hint::Next),
            // Not among the nodes that Istanbul looks at.
            Statement::EmptyStatement(_)
            | Statement::ImportDeclaration(_)
            | Statement::ExportAllDeclaration(_)
            | Statement::TSEnumDeclaration(_)
            | Statement::TSNamespaceDeclaration(_)
            | Statement::TSExportAssignment(_) => {
                self.hint(span.start);
                false
            }
            _ => self.ignored(span.start),
        }
    }

    fn export_declaration(&mut self, declaration: &Declaration<'a>, span: Span) {
        if !self.surroundings.skip_exports && !self.ignored(declaration.span().start) {
            self.declaration(declaration, span.start, true);
        }
    }

    fn declaration(&mut self, declaration: &Declaration<'a>, at: u32, exported: bool) {
        match declaration {
            Declaration::VariableDeclaration(it) => self.variables(it, at),
            Declaration::FunctionDeclaration(it) => self.function_declaration(it, exported),
            Declaration::ClassDeclaration(it) => self.class(it),
            Declaration::TSEnumDeclaration(it) => self.ts_enum(it),
            Declaration::TSNamespaceDeclaration(it) => self.namespace(it),
            _ => {}
        }
    }

    fn ts_enum(&mut self, it: &TSEnumDeclaration<'a>) {
        // Values of `const enum` are inlined by compilers, so they have to stay constant.
        if it.declare || it.r#const {
            return;
        }
        for initializer in it.body.members.iter().filter_map(|member| member.initializer.as_ref()) {
            self.live = NONE;
            self.visit_expression(initializer);
        }
        self.live = NONE;
    }

    fn namespace(&mut self, it: &TSNamespaceDeclaration<'a>) {
        if it.declare {
            return;
        }
        self.live = NONE;
        match &it.body {
            TSNamespaceDeclarationBody::TSNamespaceDeclaration(inner) => self.namespace(inner),
            TSNamespaceDeclarationBody::TSModuleBlock(block) => {
                let quiet = std::mem::replace(&mut self.quiet, false);
                self.visit_statements(&block.body);
                self.quiet = quiet;
            }
        }
        self.live = NONE;
    }

    /// A declaration of variables. `at` is where the statement starts, `export` included.
    pub(super) fn variables(&mut self, it: &VariableDeclaration<'a>, at: u32) {
        if it.declare {
            return;
        }
        let in_head = std::mem::replace(&mut self.for_head, false);
        // Whether anything has been evaluated since the statement started.
        let mut evaluated = false;
        let mut previous: Option<&VariableDeclarator<'a>> = None;
        for declarator in &it.declarations {
            if self.ignored(declarator.span.start) {
                self.live = NONE;
                evaluated = true;
                previous = Some(declarator);
                continue;
            }
            match &declarator.init {
                None => self.visit_binding_pattern(&declarator.id),
                Some(init) => {
                    let statement = self.pending_statement(init.span());
                    let mut wrap = false;
                    if self.live == NONE {
                        let counter = self.points.new_counter();
                        match previous {
                            _ if in_head => wrap = true,
                            Some(previous) if evaluated => self.split(it, at, previous, counter),
                            _ => {
                                let text = if self.quiet { Text::CountQuietly } else { Text::Count };
                                self.insert(at, text, counter);
                            }
                        }
                        self.live = counter;
                    }
                    let counter = self.live;
                    self.points.statements[statement].1 = counter;
                    self.live = NONE;
                    self.visit_binding_pattern(&declarator.id);
                    self.live = counter;
                    self.initializer(declarator, init, wrap);
                    evaluated |= self.live == NONE;
                    self.after_initializer(it, declarator);
                    evaluated |= self.live == NONE;
                }
            }
            previous = Some(declarator);
        }
    }

    fn initializer(&mut self, declarator: &VariableDeclarator<'a>, init: &Expression<'a>, wrap: bool) {
        let counter = self.live;
        if !wrap {
            self.visit_expression(init);
            return;
        }
        match binding_name(&declarator.id) {
            Some(name) if anonymous_definition(init) => self.wrapped_named(init, counter, &name),
            _ => self.wrapped_as(init, counter),
        }
    }

    /// Binding a value may have effects of its own.
    fn after_initializer(&mut self, it: &VariableDeclaration<'a>, declarator: &VariableDeclarator<'a>) {
        let plain = match it.kind {
            VariableDeclarationKind::Let | VariableDeclarationKind::Const => true,
            // A global may have a setter.
            VariableDeclarationKind::Var => !self.quiet && !self.within_with,
            _ => false,
        };
        if !plain || !declarator.id.is_binding_identifier() {
            self.live = NONE;
        }
    }

    /// Ends the declaration before a declarator and starts another: `var a=f();++V[1];var b=g()`.
    fn split(&mut self, it: &VariableDeclaration<'a>, at: u32, previous: &VariableDeclarator<'a>, counter: u32) {
        let comma = skip_trivia(self.text, previous.span.end);
        // `export`, if there is one, is part of the keywords.
        let first = it.declarations.first().map_or(it.span.start, |first| first.span.start);
        let keywords = self.text.get(at as usize..first as usize).unwrap_or_default();
        let keywords = one_line(keywords);
        let text = self.points.text(keywords);
        let text = if self.quiet { Text::SplitQuietly(text) } else { Text::Split(text) };
        self.insert(comma, text, counter);
    }

    fn if_statement(&mut self, it: &IfStatement<'a>) {
        let hint = self.hint(it.span.start);
        self.statement(it.span, it.span.start, false);
        let branch = self.branch(BranchKind::If, it.span);
        let first = (hint != Some(Hint::If)).then(|| {
            let counter = self.points.new_counter();
            self.arm(branch, Some(it.span), counter);
            self.runs_at(it.consequent.span().start);
            counter
        });
        let second = (hint != Some(Hint::Else)).then(|| {
            let counter = self.points.new_counter();
            self.arm(branch, it.alternate.as_ref().map(GetSpan::span), counter);
            counter
        });
        self.visit_expression(&it.test);
        match first {
            Some(counter) => self.if_arm(&it.consequent, counter),
            // An `else` will follow, so a lone statement needs its block.
            None if second.is_some() => self.block_around(&it.consequent, |_, _| {}),
            None => {}
        }
        match (&it.alternate, second) {
            (Some(alternate), Some(counter)) => self.if_arm(alternate, counter),
            (None, Some(counter)) => {
                let text = if self.quiet { Text::ElseQuietly } else { Text::Else };
                self.insert(it.span.end, text, counter);
            }
            (_, None) => {}
        }
        self.live = NONE;
    }

    /// Tells where the arm just found begins to run, if that is not where its place starts.
    fn runs_at(&mut self, at: u32) {
        let at = self.offsets.file(at);
        if let Some(arm) = self.points.arms.last_mut() {
            arm.runs_at = at;
        }
    }

    fn if_arm(&mut self, arm: &Statement<'a>, counter: u32) {
        if let Statement::BlockStatement(block) = arm {
            let text = if self.quiet { Text::CountQuietly } else { Text::Count };
            self.insert(block.span.start + 1, text, counter);
            self.live = counter;
            if !self.ignored(block.span.start) {
                self.visit_statements(&block.body);
            }
        } else if is_function(arm, !self.strict) {
            self.misplaced_function(arm);
        } else {
            let span = arm.span();
            let text = if self.quiet { Text::OpenCountQuietly } else { Text::OpenCount };
            self.insert(span.start, text, counter);
            self.live = counter;
            self.walk_statement(arm);
            self.insert(span.end, Text::Close, NONE);
        }
        self.live = NONE;
    }

    /// Makes a lone statement a block, so that there is room for counters.
    fn block_around(&mut self, body: &Statement<'a>, walk: impl FnOnce(&mut Self, &Statement<'a>)) {
        let span = body.span();
        if is_function(body, true) {
            return self.misplaced_function(body);
        }
        let function = is_function(body, false);
        let room = !function && !matches!(body, Statement::BlockStatement(_) | Statement::EmptyStatement(_));
        if room {
            self.insert(span.start, Text::Open, NONE);
        }
        self.live = NONE;
        walk(self, body);
        if room {
            self.insert(span.end, Text::Close, NONE);
        }
        self.live = NONE;
    }

    /// A function where none may stand. Any text put before it or around it could hide that early error.
    fn misplaced_function(&mut self, it: &Statement<'a>) {
        let mute = std::mem::replace(&mut self.mute, true);
        self.walk_statement(it);
        self.mute = mute;
        self.live = NONE;
    }

    fn loop_body(&mut self, body: &Statement<'a>) {
        if is_function(body, false) {
            return self.misplaced_function(body);
        }
        self.block_around(body, |walker, body| walker.walk_statement(body));
    }

    fn for_each(&mut self, span: Span, left: &ForStatementLeft<'a>, right: &Expression<'a>, body: &Statement<'a>) {
        let counter = self.statement(span, span.start, false);
        match left {
            ForStatementLeft::VariableDeclaration(it) => {
                self.for_head = true;
                self.variables(it, it.span.start);
                self.for_head = false;
            }
            other => {
                self.live = NONE;
                if let Some(target) = other.as_assignment_target() {
                    self.visit_assignment_target(target);
                }
            }
        }
        // The names are bound after the right side is evaluated, which comes right after the counter.
        let initialized = matches!(left, ForStatementLeft::VariableDeclaration(it)
            if it.declarations.iter().any(|declarator| declarator.init.is_some()));
        self.live = if initialized { NONE } else { counter };
        self.visit_expression(right);
        self.loop_body(body);
    }

    fn switch_statement(&mut self, it: &SwitchStatement<'a>) {
        let branch = self.branch(BranchKind::Switch, it.span);
        self.statement(it.span, it.span.start, false);
        self.visit_expression(&it.discriminant);
        for case in &it.cases {
            self.live = NONE;
            if self.ignored(case.span.start) {
                continue;
            }
            let counter = self.points.new_counter();
            self.arm(branch, Some(case.span), counter);
            let at = case.consequent.first().map_or(case.span.end, |first| first.span().start);
            self.runs_at(case.consequent.first().map_or(case.span.end - 1, |first| first.span().start));
            let text = if self.quiet { Text::CountQuietly } else { Text::Count };
            self.insert(at, text, counter);
            if let Some(test) = &case.test {
                self.visit_expression(test);
            }
            self.live = counter;
            self.visit_statements(&case.consequent);
        }
        self.live = NONE;
    }
}

/// Whether a statement is a function, with labels or without. `labelled` asks for those with labels alone, which no
/// `if` may have.
fn is_function(statement: &Statement<'_>, labelled: bool) -> bool {
    match statement {
        Statement::FunctionDeclaration(_) => !labelled,
        Statement::LabeledStatement(it) => is_function(&it.body, false),
        _ => false,
    }
}

/// The words of a text on one line, comments left out: inserted text never adds a line.
fn one_line(text: &str) -> String {
    let mut words = String::new();
    let mut at = 0;
    while at < text.len() {
        at = skip_trivia(text, at as u32) as usize;
        let rest = &text[at..];
        let end = rest.find(|c: char| !c.is_alphanumeric()).map_or(rest.len(), |end| end.max(1));
        words.push_str(&rest[..end]);
        words.push(' ');
        at += end;
    }
    words
}
