//! TypeScript's types become blanks, so that every line and column stays.

use oxc_ast::ast::*;
use oxc_ast_visit::Visit;
use oxc_span::{GetSpan, Span};

use super::edits::{blanked, is_line_end};
use super::rewrite::Rewriter;

impl Rewriter<'_> {
    pub(super) fn blank_span(&mut self, span: Span) {
        self.blank(span.start, span.end, "");
    }

    /// Blanks what follows an expression (`as T`, `satisfies T`, `!`). Where the statement ended by its line end and the
    /// next line could be read as going on with it, a semicolon keeps them apart.
    pub(super) fn blank_after(&mut self, expression_end: u32, end: u32) {
        let next = self.skip_trivia(end);
        let apart = self.source[end as usize..next as usize].contains(is_line_end)
            && matches!(self.byte(next), Some(b'(' | b'[' | b'`'));
        self.blank(expression_end, end, if apart { " ;" } else { "" });
    }

    pub(super) fn formal_parameter<'a>(&mut self, parameter: &FormalParameter<'a>) {
        for decorator in &parameter.decorators {
            self.visit_decorator(decorator);
        }
        if parameter.has_modifier() {
            self.blank(parameter.span.start, parameter.pattern.span().start, "");
        }
        self.visit_binding_pattern(&parameter.pattern);
        if parameter.optional {
            let at = self.skip_trivia(parameter.pattern.span().end);
            self.blank(at, at + 1, "");
        }
        if let Some(annotation) = &parameter.type_annotation {
            self.visit_ts_type_annotation(annotation);
        }
        if let Some(initializer) = &parameter.initializer {
            self.visit_expression(initializer);
        }
    }

    pub(super) fn this_parameter(&mut self, this: &TSThisParameter<'_>) {
        let comma = self.skip_trivia(this.span.end);
        let end = if self.byte(comma) == Some(b',') { comma + 1 } else { this.span.end };
        self.blank(this.span.start, end, "");
    }

    /// `): T => x`. A line end within the type must not come between `)` and `=>`: the parenthesis moves behind it.
    pub(super) fn arrow_return_type(&mut self, parameters: &FormalParameters<'_>, annotation: &TSTypeAnnotation<'_>) {
        let span = annotation.span;
        let close = parameters.span.end - 1;
        if !self.source[close as usize..span.end as usize].contains(is_line_end) || self.byte(close) != Some(b')') {
            return self.blank_span(span);
        }
        let mut text = blanked(&self.source[close as usize..span.end as usize], "");
        text.pop();
        text.push(')');
        self.edits.replace(Span::new(close, span.end), text);
    }

    /// Blanks TypeScript's words in front of a class member's name. The first keeps the members apart.
    pub(super) fn member_modifiers(&mut self, start: u32, key: u32) {
        let mut at = self.skip_trivia(start);
        let mut first = true;
        while at < key {
            let rest = &self.source[at as usize..key as usize];
            let length = rest.find(|letter: char| !letter.is_ascii_alphabetic()).unwrap_or(rest.len());
            let end = at + u32::try_from(length).unwrap_or(0);
            let word = &rest[..length];
            if matches!(word, "public" | "private" | "protected" | "readonly" | "override" | "abstract" | "declare") {
                self.blank(at, end, if first { ";" } else { "" });
            }
            first = false;
            at = self.skip_trivia(end.max(at + 1));
        }
    }

    /// Blanks `?` or `!` behind a member's name.
    fn member_mark(&mut self, key_end: u32, computed: bool, present: bool) -> u32 {
        let mut at = self.skip_trivia(key_end);
        if computed && self.byte(at) == Some(b']') {
            at = self.skip_trivia(at + 1);
        }
        if present && matches!(self.byte(at), Some(b'?' | b'!')) {
            self.blank(at, at + 1, "");
        }
        at
    }

    pub(super) fn method<'a>(&mut self, method: &MethodDefinition<'a>, derived: bool) {
        for decorator in &method.decorators {
            self.visit_decorator(decorator);
        }
        let function = &method.value;
        if method.r#type == MethodDefinitionType::TSAbstractMethodDefinition || function.body.is_none() {
            return self.blank(method.span.start, method.span.end, ";");
        }
        let key = method.key.span();
        if self.typescript {
            self.member_modifiers(method.span.start, key.start);
            self.member_mark(key.end, method.computed, method.optional);
        }
        if method.computed {
            self.visit_property_key(&method.key);
        }
        let mut text = String::new();
        if method.kind == MethodDefinitionKind::Constructor {
            for parameter in function.params.items.iter().filter(|parameter| parameter.has_modifier()) {
                if let BindingPattern::BindingIdentifier(name) = &parameter.pattern {
                    let name = self.text(name.span);
                    text.push_str(&format!("this.{name}={name};"));
                }
            }
        }
        self.function_parts(function, (!text.is_empty()).then_some((text, derived)));
    }

    /// The assignments of `constructor(private x)`: at the start, or behind `super(…)` where there is one.
    pub(super) fn parameter_properties(&mut self, body: &FunctionBody<'_>, text: String, derived: bool) {
        let after_super = body.statements.iter().find_map(|statement| match statement {
            Statement::ExpressionStatement(statement) => match &statement.expression {
                Expression::CallExpression(call) if matches!(call.callee, Expression::Super(_)) => {
                    Some(statement.span.end)
                }
                _ => None,
            },
            _ => None,
        });
        match after_super.filter(|_| derived) {
            Some(end) => self.edits.insert_after(end, format!(";{text}")),
            None => {
                let semicolon = if body.directives.is_empty() { "" } else { ";" };
                self.edits.insert(Self::body_start(body), format!("{semicolon}{text}"));
            }
        }
    }

    pub(super) fn field<'a>(&mut self, field: &PropertyDefinition<'a>) {
        for decorator in &field.decorators {
            self.visit_decorator(decorator);
        }
        if field.declare || field.r#type == PropertyDefinitionType::TSAbstractPropertyDefinition {
            return self.blank(field.span.start, field.span.end, ";");
        }
        let key = field.key.span();
        if self.typescript {
            self.member_modifiers(field.span.start, key.start);
            self.member_mark(key.end, field.computed, field.optional || field.definite);
        }
        if field.computed {
            self.visit_property_key(&field.key);
        }
        if let Some(annotation) = &field.type_annotation {
            let filler = if field.value.is_none() { ";" } else { "" };
            self.blank(annotation.span.start, annotation.span.end, filler);
        }
        if let Some(value) = &field.value {
            let outer = self.enter(false);
            self.visit_expression(value);
            self.leave(outer);
        }
    }

    /// `constructor(private x)` declares the field `x`, in front of the others.
    fn declare_parameter_properties(&mut self, class: &Class<'_>) {
        let constructor = class.body.body.iter().find_map(|member| match member {
            ClassElement::MethodDefinition(method)
                if method.kind == MethodDefinitionKind::Constructor && method.value.body.is_some() =>
            {
                Some(&method.value)
            }
            _ => None,
        });
        let parameters = constructor.into_iter().flat_map(|function| &function.params.items);
        let names = parameters.filter(|parameter| parameter.has_modifier()).filter_map(|parameter| {
            let BindingPattern::BindingIdentifier(name) = &parameter.pattern else { return None };
            Some(format!("{};", self.text(name.span)))
        });
        let fields: String = names.collect();
        if !fields.is_empty() {
            self.edits.insert(class.body.span.start + 1, fields);
        }
    }

    pub(super) fn class_parts<'a>(&mut self, class: &Class<'a>) {
        for decorator in &class.decorators {
            self.visit_decorator(decorator);
        }
        if class.r#abstract {
            self.blank(class.span.start, class.span.start + 8, "");
        }
        let mut end = class.span.start;
        if let Some(id) = &class.id {
            self.check_name(&id.name, id.span);
            end = id.span.end;
        }
        if let Some(parameters) = &class.type_parameters {
            self.visit_ts_type_parameter_declaration(parameters);
            end = parameters.span.end;
        }
        if let Some(heritage) = &class.heritage {
            self.visit_expression(&heritage.expression);
            end = heritage.expression.span().end;
            if let Some(arguments) = &heritage.type_arguments {
                self.visit_ts_type_parameter_instantiation(arguments);
                end = arguments.span.end;
            }
        }
        if let (Some(first), Some(last)) = (class.implements.first(), class.implements.last()) {
            let before = &self.source[end as usize..first.span.start as usize];
            let from = before.rfind("implements").unwrap_or(0);
            self.blank(end + u32::try_from(from).unwrap_or(0), last.span.end, "");
        }
        let derived = class.heritage.is_some();
        self.declare_parameter_properties(class);
        for member in &class.body.body {
            match member {
                ClassElement::StaticBlock(block) => self.static_block(block),
                ClassElement::MethodDefinition(method) => self.method(method, derived),
                ClassElement::PropertyDefinition(field) => self.field(field),
                ClassElement::AccessorProperty(accessor) => {
                    self.fail(accessor.span, "The 'accessor' keyword is not supported in cells");
                }
                ClassElement::TSIndexSignature(signature) => {
                    self.blank(signature.span.start, signature.span.end, ";");
                }
            }
        }
    }
}
