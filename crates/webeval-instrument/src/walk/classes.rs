use oxc_ast::ast::{
    AccessorProperty, Class, ClassElement, Expression, MethodDefinition, PropertyDefinition, PropertyKey,
};
use oxc_ast_visit::Visit;
use oxc_span::{GetSpan, Span};

use super::expressions::anonymous_definition;
use super::{NONE, Name, Text, Walker};

impl<'a> Walker<'_, 'a> {
    pub(super) fn class(&mut self, it: &Class<'a>) {
        if it.declare {
            return;
        }
        let live = std::mem::replace(&mut self.live, NONE);
        let strict = std::mem::replace(&mut self.strict, true);
        for decorator in &it.decorators {
            self.visit_expression(&decorator.expression);
        }
        if let Some(heritage) = &it.heritage {
            self.visit_expression(&heritage.expression);
        }
        for element in &it.body.body {
            self.live = NONE;
            self.class_element(element);
        }
        self.strict = strict;
        self.live = if is_inert(it) { live } else { NONE };
    }

    fn class_element(&mut self, element: &ClassElement<'a>) {
        match element {
            ClassElement::MethodDefinition(it) => self.method(it),
            ClassElement::PropertyDefinition(it) => self.property(it),
            ClassElement::AccessorProperty(it) => self.accessor(it),
            ClassElement::StaticBlock(it) => {
                self.hint(it.span.start);
                self.apart(|walker| walker.visit_statements(&it.body));
            }
            ClassElement::TSIndexSignature(_) => {}
        }
    }

    fn method(&mut self, it: &MethodDefinition<'a>) {
        if self.ignored(it.span.start) {
            return;
        }
        let name = match &it.key {
            PropertyKey::StaticIdentifier(key) => Some(key.name.as_str()),
            PropertyKey::Identifier(key) => Some(key.name.as_str()),
            _ => None,
        };
        if name.is_some_and(|name| self.is_ignored_method(name)) {
            return;
        }
        for decorator in &it.decorators {
            self.visit_expression(&decorator.expression);
        }
        self.function(&it.value, it.span, false, |walker| walker.key(&it.key, it.computed));
    }

    /// A key is evaluated along with the class, not when the member is.
    fn key(&mut self, key: &PropertyKey<'a>, computed: bool) {
        if computed {
            self.live = NONE;
            self.visit_property_key(key);
            self.live = NONE;
        }
    }

    fn property(&mut self, it: &PropertyDefinition<'a>) {
        if self.ignored(it.span.start) {
            return;
        }
        for decorator in &it.decorators {
            self.visit_expression(&decorator.expression);
        }
        let Some(value) = &it.value else {
            self.key(&it.key, it.computed);
            return;
        };
        self.field(&Field { span: it.span, key: &it.key, computed: it.computed, value, r#static: it.r#static });
    }

    fn accessor(&mut self, it: &AccessorProperty<'a>) {
        self.hint(it.span.start);
        for decorator in &it.decorators {
            self.visit_expression(&decorator.expression);
        }
        let Some(value) = &it.value else {
            self.key(&it.key, it.computed);
            return;
        };
        self.field(&Field { span: it.span, key: &it.key, computed: it.computed, value, r#static: it.r#static });
    }

    /// A field with a value: a statement that runs whenever the field is made.
    fn field(&mut self, field: &Field<'_, 'a>) {
        let statement = self.pending_statement(field.value.span());
        let counter = self.points.new_counter();
        self.points.statements[statement].1 = counter;
        let named = anonymous_definition(field.value).then(|| self.field_name(field)).flatten();
        let nameless = anonymous_definition(field.value) && named.is_none();
        if nameless && !field.r#static {
            // The name is known to the class alone, and nothing else of the field is evaluated for each instance:
            // counted with the class.
            let key = field.key.span();
            self.insert(key.start, Text::Wrap, counter);
            self.key(field.key, field.computed);
            self.insert(key.end, Text::EndWrap, NONE);
        } else {
            self.key(field.key, field.computed);
        }
        if nameless && field.r#static {
            self.insert(field.span.start, Text::StaticBlock, counter);
        }
        self.apart(|walker| match named {
            Some(name) => walker.wrapped_named(field.value, counter, &name),
            None if nameless => walker.visit_expression(field.value),
            None => walker.counted_value(field.value, counter),
        });
    }

    /// Svelte wants its runes right after the `=`, so the counter goes into their first argument.
    pub(super) fn counted_value(&mut self, value: &Expression<'a>, counter: u32) {
        let rune = match value {
            Expression::CallExpression(call) if self.surroundings.svelte => is_rune(&call.callee).then_some(call),
            _ => None,
        };
        let Some(call) = rune else {
            self.wrapped_as(value, counter);
            return;
        };
        match call.arguments.first().and_then(|argument| argument.as_expression()) {
            Some(first) => {
                self.wrapped_as(first, counter);
                for argument in call.arguments.iter().skip(1) {
                    self.visit_argument(argument);
                }
            }
            None => {
                let text = self.points.text("void 0)".to_owned());
                self.insert(call.span.end - 1, Text::WrapThen(text), counter);
            }
        }
    }

    fn field_name(&self, field: &Field<'_, 'a>) -> Option<Name> {
        if field.computed {
            return match field.key {
                PropertyKey::StringLiteral(key) => Some(Name::Literal(self.slice(key.span))),
                PropertyKey::NumericLiteral(key) => Some(Name::Literal(self.slice(key.span))),
                _ => None,
            };
        }
        match field.key {
            PropertyKey::StaticIdentifier(key) => Some(Name::Identifier(key.name.to_string())),
            PropertyKey::PrivateIdentifier(key) => Some(Name::Literal(format!("\"#{}\"", key.name))),
            other => Some(Name::Literal(self.slice(other.span()))),
        }
    }

    fn slice(&self, span: Span) -> String {
        self.text.get(span.start as usize..span.end as usize).unwrap_or_default().to_owned()
    }
}

struct Field<'f, 'a> {
    span: Span,
    key: &'f PropertyKey<'a>,
    computed: bool,
    value: &'f Expression<'a>,
    r#static: bool,
}

/// `$state`, `$state.raw`, `$derived` and so on.
fn is_rune(callee: &Expression<'_>) -> bool {
    match callee {
        Expression::Identifier(name) => name.name.starts_with('$'),
        Expression::StaticMemberExpression(member) => is_rune(&member.object),
        _ => false,
    }
}

/// Whether making the class cannot throw and runs no code.
fn is_inert(it: &Class<'_>) -> bool {
    it.heritage.is_none()
        && it.decorators.is_empty()
        && it.body.body.iter().all(|element| match element {
            ClassElement::MethodDefinition(it) => !it.computed && it.decorators.is_empty(),
            ClassElement::PropertyDefinition(it) => !it.r#static && !it.computed && it.decorators.is_empty(),
            ClassElement::TSIndexSignature(_) => true,
            ClassElement::StaticBlock(_) | ClassElement::AccessorProperty(_) => false,
        })
}
