//! Names of functions, and the events that call them.

use oxc_allocator::Allocator;
use oxc_ast::ast::{
    ArrowFunctionBody, ArrowFunctionExpression, AssignmentExpression, AssignmentTarget, CallExpression, Expression,
    Function, JSXAttribute, JSXAttributeName, JSXAttributeValue, JSXElement, JSXElementName, MethodDefinition,
    ObjectProperty, PropertyDefinition, VariableDeclarator,
};
use oxc_ast_visit::{Visit, walk};
use oxc_span::{GetSpan, Span};
use oxc_syntax::scope::ScopeFlags;
use rustc_hash::FxHashMap;

use super::Handler;
use crate::document::{self, Listener};
use crate::program::{self, Source};
use crate::walk::Offsets;
use crate::{Kind, Options};

/// A function of a file.
#[derive(Debug, Clone, Default)]
pub(super) struct Found {
    pub(super) name: String,
    pub(super) handler: Option<Handler>,
    body: (u32, u32),
}

/// The functions of a file, in order of their bodies' starts.
#[derive(Debug, Default)]
pub(super) struct Functions {
    found: Vec<Found>,
}

impl Functions {
    /// Reads a file's functions. A file that cannot be parsed has none.
    pub(super) fn find(text: &str, path: &str) -> Self {
        let Some(kind) = Kind::from_path(path) else {
            return Self::default();
        };
        let mut search = Search::default();
        let listeners = if kind.is_document() {
            document::with_sources(text, kind, |source| search.program(source))
        } else {
            search.program(&Source {
                text,
                kind,
                offsets: Offsets::From(0),
                svelte: false,
                skip_exports: false,
                handler: None,
            });
            Vec::new()
        };
        for Listener { event, target, calls } in listeners {
            search.named.entry(calls).or_insert(Handler { event, target });
        }
        search.finish()
    }

    /// The function whose body starts at an offset.
    pub(super) fn at(&self, offset: u32) -> Option<&Found> {
        let at = self.found.binary_search_by_key(&offset, |found| found.body.0).ok()?;
        self.found.get(at)
    }

    /// The innermost function around an offset.
    pub(super) fn around(&self, offset: u32) -> Option<&Found> {
        let end = self.found.partition_point(|found| found.body.0 <= offset);
        self.found[..end].iter().rev().find(|found| offset < found.body.1)
    }
}

#[derive(Default)]
struct Search {
    found: Vec<Found>,
    /// Handlers that were given by name.
    named: FxHashMap<String, Handler>,
}

impl Search {
    fn program(&mut self, source: &Source<'_>) {
        let allocator = Allocator::default();
        // What cannot be parsed has no functions to tell about.
        let _ = program::with_program(&allocator, source, &Options::default(), |program| {
            let mut visitor = Visitor {
                search: self,
                text: source.text,
                offsets: &source.offsets,
                name: String::new(),
                handler: None,
                element: String::new(),
            };
            visitor.visit_program(program);
            if let Some(handler) = &source.handler {
                let event = handler.name.trim_start_matches("on").to_owned();
                let body = (handler.body.start as u32, handler.body.end as u32);
                let handler = Handler { event, target: String::new() };
                self.found.push(Found { name: String::new(), handler: Some(handler), body });
            }
        });
    }

    fn finish(mut self) -> Functions {
        for found in &mut self.found {
            if found.handler.is_none() && !found.name.is_empty() {
                found.handler = self.named.get(&found.name).cloned();
            }
        }
        self.found.sort_by_key(|found| found.body.0);
        Functions { found: self.found }
    }
}

struct Visitor<'v> {
    search: &'v mut Search,
    text: &'v str,
    offsets: &'v Offsets,
    /// Name and handler for the function that is visited next.
    name: String,
    handler: Option<Handler>,
    /// The JSX element whose attributes are visited.
    element: String,
}

impl Visitor<'_> {
    fn function(&mut self, name: Option<&str>, body: Span) {
        let taken = std::mem::take(&mut self.name);
        let name = name.map_or(taken, str::to_owned);
        let body = (self.offsets.file(body.start), self.offsets.file(body.end));
        let handler = self.handler.take();
        self.search.found.push(Found { name, handler, body });
    }

    fn slice(&self, span: Span) -> String {
        let text = self.text.get(span.start as usize..span.end as usize).unwrap_or_default();
        text.chars().take(80).collect()
    }

    /// A function given directly, or by its name, as the handler of an event.
    fn handles(&mut self, expression: &Expression<'_>, handler: Handler) {
        match expression {
            Expression::ArrowFunctionExpression(_) | Expression::FunctionExpression(_) => {
                self.handler = Some(handler);
            }
            Expression::Identifier(name) => {
                self.search.named.entry(name.name.to_string()).or_insert(handler);
            }
            Expression::StaticMemberExpression(member) => {
                self.search.named.entry(member.property.name.to_string()).or_insert(handler);
            }
            // `useCallback(() => …)`, `debounce(save, 300)`, `this.save.bind(this)`.
            Expression::CallExpression(call) => match &call.callee {
                Expression::StaticMemberExpression(bound) if bound.property.name == "bind" => {
                    self.handles(&bound.object, handler);
                }
                _ => {
                    if let Some(first) = call.arguments.first().and_then(|first| first.as_expression()) {
                        self.handles(first, handler);
                    }
                }
            },
            _ => {}
        }
    }

    /// Names the function that an expression is, if it is one.
    fn names(&mut self, expression: &Expression<'_>, name: &str) {
        let function = match expression {
            Expression::ArrowFunctionExpression(_) | Expression::FunctionExpression(_) => true,
            // `const save = useCallback(() => …)`
            Expression::CallExpression(call) => call.arguments.first().is_some_and(|first| {
                matches!(
                    first.as_expression(),
                    Some(Expression::ArrowFunctionExpression(_) | Expression::FunctionExpression(_))
                )
            }),
            _ => false,
        };
        if function {
            name.clone_into(&mut self.name);
        }
    }
}

/// `onClick` and `onclick` handle `click`. Empty if the name is no handler's.
fn event_of(attribute: &str) -> Option<String> {
    let event = attribute.strip_prefix("on")?;
    let first = event.chars().next()?;
    let event = event.strip_suffix("Capture").filter(|event| !event.ends_with("Pointer")).unwrap_or(event);
    first.is_ascii_alphabetic().then(|| match event.to_ascii_lowercase().as_str() {
        "doubleclick" => "dblclick".to_owned(),
        event => event.to_owned(),
    })
}

impl<'a> Visit<'a> for Visitor<'_> {
    fn visit_function(&mut self, it: &Function<'a>, flags: ScopeFlags) {
        if let Some(body) = &it.body {
            self.function(it.id.as_ref().map(|id| id.name.as_str()), body.span);
        }
        walk::walk_function(self, it, flags);
    }

    fn visit_arrow_function_expression(&mut self, it: &ArrowFunctionExpression<'a>) {
        let body = match &it.body {
            ArrowFunctionBody::FunctionBody(body) => body.span,
            other => other.span(),
        };
        self.function(None, body);
        walk::walk_arrow_function_expression(self, it);
    }

    fn visit_variable_declarator(&mut self, it: &VariableDeclarator<'a>) {
        if let (Some(name), Some(init)) = (it.id.get_identifier_name(), &it.init) {
            self.names(init, name.as_str());
        }
        walk::walk_variable_declarator(self, it);
    }

    fn visit_object_property(&mut self, it: &ObjectProperty<'a>) {
        if let Some(name) = it.key.static_name() {
            // `h("button", { onClick: save })`
            let event = event_of(&name).filter(|_| name.as_bytes().get(2).is_some_and(u8::is_ascii_uppercase));
            if let Some(event) = event {
                self.handles(&it.value, Handler { event, target: String::new() });
            }
            self.names(&it.value, &name);
        }
        walk::walk_object_property(self, it);
    }

    fn visit_method_definition(&mut self, it: &MethodDefinition<'a>) {
        if let Some(name) = it.key.static_name() {
            self.name = name.into_owned();
        }
        walk::walk_method_definition(self, it);
    }

    fn visit_property_definition(&mut self, it: &PropertyDefinition<'a>) {
        if let (Some(name), Some(value)) = (it.key.static_name(), &it.value) {
            self.names(value, &name);
        }
        walk::walk_property_definition(self, it);
    }

    fn visit_assignment_expression(&mut self, it: &AssignmentExpression<'a>) {
        if let AssignmentTarget::StaticMemberExpression(member) = &it.left {
            let name = member.property.name.as_str();
            let event = event_of(name).filter(|event| name.len() == event.len() + 2 && document::is_event(event));
            if let Some(event) = event {
                let target = self.slice(member.object.span());
                self.handles(&it.right, Handler { event, target });
            }
            self.names(&it.right, name);
        } else if let AssignmentTarget::AssignmentTargetIdentifier(name) = &it.left {
            self.names(&it.right, name.name.as_str());
        }
        walk::walk_assignment_expression(self, it);
    }

    fn visit_call_expression(&mut self, it: &CallExpression<'a>) {
        let (method, target) = match &it.callee {
            Expression::StaticMemberExpression(member) => {
                (member.property.name.as_str(), self.slice(member.object.span()))
            }
            Expression::Identifier(name) => (name.name.as_str(), String::new()),
            _ => ("", String::new()),
        };
        let event = match it.arguments.first().and_then(|first| first.as_expression()) {
            Some(Expression::StringLiteral(event)) => Some(event.value.to_string()),
            _ => None,
        };
        self.visit_expression(&it.callee);
        let listens = matches!(method, "addEventListener" | "on" | "once" | "addListener");
        for (index, argument) in it.arguments.iter().enumerate() {
            if let (true, Some(event), Some(listener)) = (listens && index > 0, &event, argument.as_expression()) {
                self.handles(listener, Handler { event: event.clone(), target: target.clone() });
            }
            self.visit_argument(argument);
            self.handler = None;
        }
    }

    fn visit_jsx_element(&mut self, it: &JSXElement<'a>) {
        let name = match &it.opening_element.name {
            JSXElementName::Identifier(name) => name.name.to_string(),
            other => self.slice(other.span()),
        };
        let outer = std::mem::replace(&mut self.element, name);
        walk::walk_jsx_opening_element(self, &it.opening_element);
        self.element = outer;
        self.visit_jsx_children(&it.children);
    }

    fn visit_jsx_attribute(&mut self, it: &JSXAttribute<'a>) {
        if let (JSXAttributeName::Identifier(name), Some(JSXAttributeValue::ExpressionContainer(value))) =
            (&it.name, &it.value)
        {
            let event = event_of(name.name.as_str());
            if let (Some(event), Some(expression)) = (event, value.expression.as_expression()) {
                let target = self.element.clone();
                self.handles(expression, Handler { event, target });
            }
        }
        walk::walk_jsx_attribute(self, it);
        self.handler = None;
    }
}
