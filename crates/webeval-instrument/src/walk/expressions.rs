use oxc_ast::ast::{
    Argument, ArrayExpression, ArrayExpressionElement, ArrowFunctionExpression, AssignmentExpression,
    AssignmentPattern, AssignmentTarget, AssignmentTargetPropertyIdentifier, AssignmentTargetWithDefault,
    BinaryExpression, BindingPattern, CallExpression, ChainExpression, Class, ComputedMemberExpression,
    ConditionalExpression, Expression, FormalParameter, Function, LogicalExpression, ObjectExpression, ObjectProperty,
    ObjectPropertyKind, PropertyKey, PropertyKind, SequenceExpression, Statement, StaticMemberExpression,
    TSTypeAnnotation, TSTypeParameterDeclaration, TSTypeParameterInstantiation, TaggedTemplateExpression,
    TemplateLiteral, UnaryExpression,
};
use oxc_ast_visit::{Visit, walk};
use oxc_span::{GetSpan, Span};
use oxc_syntax::operator::UnaryOperator;
use oxc_syntax::scope::ScopeFlags;

use super::{NONE, Name, Text, Walker};
use crate::coverage::BranchKind;
use crate::hints::Hint;

/// The single name that a pattern binds, if it is no more than a name.
pub(super) fn binding_name(pattern: &BindingPattern<'_>) -> Option<Name> {
    match pattern {
        BindingPattern::BindingIdentifier(it) => Some(Name::Identifier(it.name.to_string())),
        _ => None,
    }
}

/// Whether the expression is a function or class that takes its name from where it stands.
pub(super) fn anonymous_definition(expression: &Expression<'_>) -> bool {
    match expression {
        Expression::ArrowFunctionExpression(_) => true,
        Expression::FunctionExpression(it) => it.id.is_none(),
        Expression::ClassExpression(it) => it.id.is_none(),
        Expression::ParenthesizedExpression(it) => anonymous_definition(&it.expression),
        // What TypeScript adds is gone when the program runs.
        Expression::TSAsExpression(it) => anonymous_definition(&it.expression),
        Expression::TSSatisfiesExpression(it) => anonymous_definition(&it.expression),
        Expression::TSNonNullExpression(it) => anonymous_definition(&it.expression),
        Expression::TSTypeAssertion(it) => anonymous_definition(&it.expression),
        _ => false,
    }
}

impl<'a> Walker<'_, 'a> {
    /// A default value: a branch with one arm.
    fn default_value(&mut self, span: Span, right: &Expression<'a>, name: Option<Name>, left: impl FnOnce(&mut Self)) {
        if self.ignored(span.start) {
            return;
        }
        let branch = self.branch(BranchKind::DefaultValue, span);
        let counter = self.points.new_counter();
        self.arm(branch, Some(right.span()), counter);
        self.live = NONE;
        left(self);
        match name {
            Some(name) if anonymous_definition(right) => self.wrapped_named(right, counter, &name),
            _ => self.counted_value(right, counter),
        }
    }

    fn conditional(&mut self, it: &ConditionalExpression<'a>) {
        let branch = self.branch(BranchKind::Conditional, it.span);
        let arms = [&it.consequent, &it.alternate].map(|arm| {
            let counted = self.peek_hint(arm.span().start) != Some(Hint::Next);
            let counter = counted.then(|| self.points.new_counter());
            if let Some(counter) = counter {
                self.arm(branch, Some(arm.span()), counter);
            }
            (arm, counter)
        });
        self.visit_expression(&it.test);
        for (arm, counter) in arms {
            match counter {
                Some(counter) => self.wrapped_as(arm, counter),
                None => {
                    self.live = NONE;
                    self.visit_expression(arm);
                }
            }
        }
        self.live = NONE;
    }

    /// A whole chain of `&&`, `||` and `??`: one branch, an arm for each operand.
    fn logical(&mut self, it: &LogicalExpression<'a>) {
        let branch = self.branch(BranchKind::Logical, it.span);
        let first_arm = self.points.arms.len();
        let live = self.live;
        self.logical_arms(it, branch, first_arm, live);
        let mut arm = first_arm;
        self.logical_operands(it, &mut arm, first_arm, live);
        self.live = NONE;
    }

    /// Gives the operands their arms, in order.
    fn logical_arms(&mut self, it: &LogicalExpression<'a>, branch: u32, first: usize, live: u32) {
        for side in [&it.left, &it.right] {
            match side {
                Expression::LogicalExpression(inner) => {
                    if self.peek_operand(inner.span, it.span) != Some(Hint::Next) {
                        self.logical_arms(inner, branch, first, live);
                    }
                }
                leaf => {
                    if self.peek_operand(leaf.span(), it.span) == Some(Hint::Next) {
                        continue;
                    }
                    // The first operand is evaluated whenever the expression is.
                    let shared = self.points.arms.len() == first && live != NONE;
                    let counter = if shared { live } else { self.points.new_counter() };
                    self.arm(branch, Some(leaf.span()), counter);
                    if self.options.report_logic {
                        let truthy = self.points.new_counter();
                        if let Some(arm) = self.points.arms.last_mut() {
                            arm.truthy = truthy;
                        }
                        self.points.has_truthy = true;
                    }
                }
            }
        }
    }

    /// An operand that starts where the whole does has no comment of its own.
    fn peek_operand(&self, operand: Span, whole: Span) -> Option<Hint> {
        if operand.start == whole.start { None } else { self.peek_hint(operand.start) }
    }

    /// Walks the operands, wrapping each in its arm's counter.
    fn logical_operands(&mut self, it: &LogicalExpression<'a>, arm: &mut usize, first: usize, live: u32) {
        for side in [&it.left, &it.right] {
            match side {
                Expression::LogicalExpression(inner) => {
                    if self.peek_operand(inner.span, it.span) == Some(Hint::Next) {
                        // Nothing of it is counted.
                        self.hint(inner.span.start);
                    } else {
                        self.hint(inner.span.start);
                        self.logical_operands(inner, arm, first, live);
                    }
                }
                leaf => {
                    if self.peek_operand(leaf.span(), it.span) == Some(Hint::Next) {
                        self.live = NONE;
                        self.visit_expression(leaf);
                        continue;
                    }
                    let counter = self.points.arms[*arm].counter;
                    let truthy = self.points.arms[*arm].truthy;
                    let shared = *arm == first && live != NONE;
                    *arm += 1;
                    self.operand(leaf, counter, truthy, shared);
                }
            }
            self.live = NONE;
        }
    }

    fn operand(&mut self, leaf: &Expression<'a>, counter: u32, truthy: u32, shared: bool) {
        let span = leaf.span();
        if truthy != NONE {
            self.insert(span.start, Text::Truthy, truthy);
        }
        if shared {
            self.live = counter;
            self.visit_expression(leaf);
        } else {
            self.wrapped_as(leaf, counter);
        }
        if truthy != NONE {
            self.insert(span.end, Text::EndWrap, NONE);
        }
    }

    fn object(&mut self, it: &ObjectExpression<'a>) {
        for property in &it.properties {
            match property {
                ObjectPropertyKind::SpreadProperty(spread) => {
                    self.hint(spread.span.start);
                    self.visit_expression(&spread.argument);
                    self.live = NONE;
                }
                ObjectPropertyKind::ObjectProperty(property) => self.object_property(property),
            }
        }
    }

    fn object_property(&mut self, it: &ObjectProperty<'a>) {
        let hint = self.hint(it.span.start);
        let method = it.method || it.kind != PropertyKind::Init;
        match &it.value {
            Expression::FunctionExpression(function) if method => {
                if hint != Some(Hint::Next) {
                    self.function(function, it.span, false, |walker| walker.object_key(it));
                }
            }
            value => {
                self.object_key(it);
                self.visit_expression(value);
            }
        }
    }

    fn object_key(&mut self, it: &ObjectProperty<'a>) {
        if it.computed {
            self.visit_property_key(&it.key);
            self.live = NONE;
        }
    }

    /// Counts how often an assignment like `a ??= b` assigns, and how often `a?.b` goes on. Istanbul does not.
    fn logical_assignment(&mut self, it: &AssignmentExpression<'a>) {
        let branch = self.branch(BranchKind::LogicalAssignment, it.span);
        let counter = self.points.new_counter();
        self.arm(branch, Some(it.right.span()), counter);
        let name = match &it.left {
            AssignmentTarget::AssignmentTargetIdentifier(left) if left.span.start == it.span.start => {
                Some(Name::Identifier(left.name.to_string()))
            }
            _ => None,
        };
        self.visit_assignment_target(&it.left);
        match name {
            Some(name) if anonymous_definition(&it.right) => {
                self.wrapped_named(&it.right, counter, &name);
            }
            _ => self.wrapped_as(&it.right, counter),
        }
    }

    fn optional_arm(&mut self, whole: Span, part: Span) -> u32 {
        let branch = self.branch(BranchKind::OptionalChain, whole);
        let counter = self.points.new_counter();
        self.arm(branch, Some(part), counter);
        counter
    }

    fn optional_call(&mut self, it: &CallExpression<'a>) {
        let counter = self.optional_arm(it.span, Span::new(it.callee.span().end, it.span.end));
        self.visit_expression(&it.callee);
        self.live = NONE;
        match it.arguments.first().and_then(|argument| argument.as_expression()) {
            Some(first) => {
                self.wrapped_as(first, counter);
                for argument in it.arguments.iter().skip(1) {
                    self.visit_argument(argument);
                }
            }
            None => {
                let at = it.arguments.first().map_or(it.span.end - 1, |first| first.span().start);
                self.insert_text(at, "...", NONE);
                let rest = if it.arguments.is_empty() { "[])" } else { "[])," };
                let rest = self.points.text(rest.to_owned());
                self.insert(at, Text::WrapThen(rest), counter);
                for argument in &it.arguments {
                    self.visit_argument(argument);
                }
            }
        }
    }

    fn optional_member(&mut self, it: &StaticMemberExpression<'a>) {
        let counter = self.optional_arm(it.span, it.property.span);
        self.visit_expression(&it.object);
        self.live = NONE;
        // `a?.b` goes on as `a?.[(++V[n],"b")]`.
        let name = &it.property.name;
        self.insert_text(it.property.span.start, "[", NONE);
        let key = self.points.text(format!("\"{name}\")]"));
        self.insert(it.property.span.start, Text::WrapThen(key), counter);
        let length = it.property.span.end - it.property.span.start;
        self.insert(it.property.span.start, Text::Remove(length), NONE);
    }

    /// Visits an expression whose value is at once turned into a string or compared. A function that is written there
    /// is never called, and all that can be seen of it is its source text, so that has to stay.
    fn visit_as_text(&mut self, it: &Expression<'a>) {
        let mute = self.mute;
        self.mute |= is_function(it);
        self.visit_expression(it);
        self.mute = mute;
    }

    fn insert_text(&mut self, at: u32, text: &str, counter: u32) {
        let text = self.points.text(text.to_owned());
        self.insert(at, Text::Plain(text), counter);
    }
}

/// Whether the expression is a function and no more.
fn is_function(it: &Expression<'_>) -> bool {
    matches!(it, Expression::FunctionExpression(_) | Expression::ArrowFunctionExpression(_))
}

fn is_function_argument(it: &Argument<'_>) -> bool {
    matches!(it, Argument::FunctionExpression(_) | Argument::ArrowFunctionExpression(_))
}

impl<'a> Visit<'a> for Walker<'_, 'a> {
    fn visit_binding_pattern(&mut self, it: &BindingPattern<'a>) {
        // Nothing is in most of them, and following the pointer to see that costs.
        if !it.is_binding_identifier() {
            walk::walk_binding_pattern(self, it);
        }
    }

    fn visit_assignment_target(&mut self, it: &AssignmentTarget<'a>) {
        if !matches!(it, AssignmentTarget::AssignmentTargetIdentifier(_)) {
            walk::walk_assignment_target(self, it);
        }
    }

    fn visit_statement(&mut self, it: &Statement<'a>) {
        self.walk_statement(it);
    }

    fn visit_expression(&mut self, it: &Expression<'a>) {
        match it {
            Expression::BooleanLiteral(_)
            | Expression::NullLiteral(_)
            | Expression::NumericLiteral(_)
            | Expression::BigIntLiteral(_)
            | Expression::RegExpLiteral(_)
            | Expression::StringLiteral(_) => return,
            Expression::Identifier(_) | Expression::ThisExpression(_) => {
                self.live = NONE;
                return;
            }
            _ => {}
        }
        let hint = if self.hints.is_empty() { None } else { self.hint(it.span().start) };
        let skip = hint == Some(Hint::Next);
        match it {
            Expression::FunctionExpression(it) if !skip => self.function_expression(it),
            Expression::ArrowFunctionExpression(it) if !skip => self.arrow(it),
            Expression::ConditionalExpression(it) if !skip => self.conditional(it),
            Expression::LogicalExpression(it) if !skip => self.logical(it),
            Expression::FunctionExpression(_) | Expression::ArrowFunctionExpression(_) => {}
            Expression::ConditionalExpression(_) | Expression::LogicalExpression(_) => {
                self.live = NONE;
            }
            Expression::ObjectExpression(it) => self.object(it),
            Expression::ClassExpression(it) => self.class(it),
            // Nothing happens in these but what happens in their parts.
            Expression::ArrayExpression(_)
            | Expression::TemplateLiteral(_)
            | Expression::SequenceExpression(_)
            | Expression::UnaryExpression(_)
            | Expression::ParenthesizedExpression(_)
            | Expression::TSAsExpression(_)
            | Expression::TSSatisfiesExpression(_)
            | Expression::TSNonNullExpression(_)
            | Expression::TSTypeAssertion(_) => walk::walk_expression(self, it),
            Expression::JSXElement(_) | Expression::JSXFragment(_) => {
                // What makes the element is looked up first.
                self.live = NONE;
                walk::walk_expression(self, it);
                self.live = NONE;
            }
            _ => {
                walk::walk_expression(self, it);
                self.live = NONE;
            }
        }
    }

    fn visit_array_expression(&mut self, it: &ArrayExpression<'a>) {
        for element in &it.elements {
            match element {
                ArrayExpressionElement::SpreadElement(spread) => {
                    self.hint(spread.span.start);
                    self.visit_expression(&spread.argument);
                    self.live = NONE;
                }
                ArrayExpressionElement::Elision(_) => {}
                element => {
                    if let Some(expression) = element.as_expression() {
                        self.visit_expression(expression);
                    }
                }
            }
        }
    }

    fn visit_template_literal(&mut self, it: &TemplateLiteral<'a>) {
        for expression in &it.expressions {
            self.visit_as_text(expression);
            self.live = NONE;
        }
    }

    /// A tag gets the values themselves, so that functions among them are called like others (lit, htm).
    fn visit_tagged_template_expression(&mut self, it: &TaggedTemplateExpression<'a>) {
        self.visit_expression(&it.tag);
        self.live = NONE;
        for expression in &it.quasi.expressions {
            self.visit_expression(expression);
            self.live = NONE;
        }
    }

    fn visit_sequence_expression(&mut self, it: &SequenceExpression<'a>) {
        self.visit_expressions(&it.expressions);
    }

    fn visit_unary_expression(&mut self, it: &UnaryExpression<'a>) {
        self.visit_expression(&it.argument);
        if !matches!(it.operator, UnaryOperator::LogicalNot | UnaryOperator::Void) {
            self.live = NONE;
        }
    }

    fn visit_assignment_expression(&mut self, it: &AssignmentExpression<'a>) {
        if self.options.report_optional && it.operator.is_logical() {
            self.logical_assignment(it);
            return;
        }
        // Naming a variable evaluates nothing before the right side, but for `with` and for `a += …`.
        let inert = it.operator.is_assign()
            && !self.within_with
            && matches!(it.left, AssignmentTarget::AssignmentTargetIdentifier(_));
        let live = self.live;
        self.visit_assignment_target(&it.left);
        self.live = if inert { live } else { NONE };
        if it.operator.is_logical() {
            self.live = NONE;
        }
        self.visit_expression(&it.right);
        self.live = NONE;
    }

    fn visit_function(&mut self, it: &Function<'a>, _: ScopeFlags) {
        self.function(it, it.span, false, |_| {});
    }

    fn visit_arrow_function_expression(&mut self, it: &ArrowFunctionExpression<'a>) {
        self.arrow(it);
    }

    fn visit_class(&mut self, it: &Class<'a>) {
        self.class(it);
    }

    fn visit_formal_parameter(&mut self, it: &FormalParameter<'a>) {
        for decorator in &it.decorators {
            self.visit_expression(&decorator.expression);
        }
        match &it.initializer {
            None => self.visit_binding_pattern(&it.pattern),
            Some(right) => {
                let span = Span::new(it.pattern.span().start, it.span.end);
                let name = binding_name(&it.pattern);
                self.default_value(span, right, name, |walker| {
                    walker.visit_binding_pattern(&it.pattern);
                });
            }
        }
    }

    fn visit_assignment_pattern(&mut self, it: &AssignmentPattern<'a>) {
        self.default_value(it.span, &it.right, binding_name(&it.left), |walker| {
            walker.visit_binding_pattern(&it.left);
        });
    }

    fn visit_assignment_target_with_default(&mut self, it: &AssignmentTargetWithDefault<'a>) {
        let name = match &it.binding {
            // A target in parentheses gives no name.
            AssignmentTarget::AssignmentTargetIdentifier(target) if target.span.start == it.span.start => {
                Some(Name::Identifier(target.name.to_string()))
            }
            _ => None,
        };
        self.default_value(it.span, &it.init, name, |walker| {
            walker.visit_assignment_target(&it.binding);
        });
    }

    fn visit_assignment_target_property_identifier(&mut self, it: &AssignmentTargetPropertyIdentifier<'a>) {
        if let Some(init) = &it.init {
            let name = Some(Name::Identifier(it.binding.name.to_string()));
            self.default_value(it.span, init, name, |_| {});
        }
        self.live = NONE;
    }

    fn visit_chain_expression(&mut self, it: &ChainExpression<'a>) {
        walk::walk_chain_expression(self, it);
    }

    fn visit_call_expression(&mut self, it: &CallExpression<'a>) {
        if it.optional && self.options.report_optional {
            self.optional_call(it);
        } else if it.arguments.iter().any(is_function_argument) && it.callee.is_specific_id("String") {
            for argument in &it.arguments {
                self.live = NONE;
                match argument.as_expression() {
                    Some(argument) => self.visit_as_text(argument),
                    None => self.visit_argument(argument),
                }
            }
        } else {
            walk::walk_call_expression(self, it);
        }
        self.live = NONE;
    }

    fn visit_static_member_expression(&mut self, it: &StaticMemberExpression<'a>) {
        if it.optional && self.options.report_optional {
            self.optional_member(it);
        } else if is_function(&it.object) && it.property.name == "toString" {
            self.visit_as_text(&it.object);
        } else {
            self.visit_expression(&it.object);
        }
        self.live = NONE;
    }

    fn visit_computed_member_expression(&mut self, it: &ComputedMemberExpression<'a>) {
        self.visit_expression(&it.object);
        self.live = NONE;
        if it.optional && self.options.report_optional {
            let counter = self.optional_arm(it.span, it.expression.span());
            self.wrapped_as(&it.expression, counter);
        } else {
            self.visit_as_text(&it.expression);
        }
        self.live = NONE;
    }

    fn visit_binary_expression(&mut self, it: &BinaryExpression<'a>) {
        self.visit_as_text(&it.left);
        self.visit_as_text(&it.right);
    }

    fn visit_property_key(&mut self, it: &PropertyKey<'a>) {
        if let Some(expression) = it.as_expression() {
            self.visit_as_text(expression);
        }
    }

    // Types are not evaluated.
    fn visit_ts_type_annotation(&mut self, _: &TSTypeAnnotation<'a>) {}
    fn visit_ts_type_parameter_instantiation(&mut self, _: &TSTypeParameterInstantiation<'a>) {}
    fn visit_ts_type_parameter_declaration(&mut self, _: &TSTypeParameterDeclaration<'a>) {}
}
