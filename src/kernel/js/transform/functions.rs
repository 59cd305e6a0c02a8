//! Stopped means stopped: a check wherever code of a cell can start or resume.

use oxc_ast::ast::*;
use oxc_ast_visit::{Visit, walk};
use oxc_span::{GetSpan, Span};

use super::names::emitted;
use super::rewrite::{Mode, Rewriter};

impl Rewriter<'_> {
    fn checks(&self) -> bool {
        self.mode == Mode::Cell
    }

    /// Everything of a function but its name. `properties` is what a constructor's parameters declare.
    pub(super) fn function_parts<'a>(&mut self, function: &Function<'a>, properties: Option<(String, bool)>) {
        let outer = self.enter(function.r#async || function.generator);
        if let Some(parameters) = &function.type_parameters {
            self.visit_ts_type_parameter_declaration(parameters);
        }
        if let Some(this) = &function.this_param {
            self.this_parameter(this);
        }
        self.visit_formal_parameters(&function.params);
        if let Some(annotation) = &function.return_type {
            self.visit_ts_type_annotation(annotation);
        }
        if let Some(body) = &function.body {
            self.body_check(body);
            if let Some((text, derived)) = properties {
                self.parameter_properties(body, text, derived);
            }
            self.visit_statements(&body.statements);
        }
        self.leave(outer);
    }

    pub(super) fn enter(&mut self, resumable: bool) -> bool {
        self.depth += 1;
        self.in_list = false;
        std::mem::replace(&mut self.resumable, resumable)
    }

    pub(super) fn leave(&mut self, outer: bool) {
        self.depth -= 1;
        self.resumable = outer;
    }

    /// Where the first statement of a body starts, behind its directives.
    pub(super) fn body_start(body: &FunctionBody<'_>) -> u32 {
        body.directives.last().map_or(body.span.start + 1, |directive| directive.span.end)
    }

    fn body_check(&mut self, body: &FunctionBody<'_>) {
        let idle = match body.statements.as_slice() {
            [] => true,
            [Statement::ReturnStatement(only)] => only.argument.as_ref().is_none_or(is_inert),
            _ => false,
        };
        if self.checks() && !idle {
            let semicolon = if body.directives.is_empty() { "" } else { ";" };
            self.edits.insert(Self::body_start(body), format!("{semicolon}{}", emitted::CHECK));
        }
    }

    pub(super) fn arrow_function<'a>(&mut self, arrow: &ArrowFunctionExpression<'a>) {
        let outer = self.enter(arrow.r#async);
        if let Some(parameters) = &arrow.type_parameters {
            self.visit_ts_type_parameter_declaration(parameters);
        }
        self.visit_formal_parameters(&arrow.params);
        if let Some(annotation) = &arrow.return_type {
            self.arrow_return_type(&arrow.params, annotation);
        }
        match &arrow.body {
            ArrowFunctionBody::FunctionBody(body) => {
                self.body_check(body);
                self.visit_statements(&body.statements);
            }
            expression => {
                let expression = expression.to_expression();
                let span = expression.span();
                let checked = self.checks() && !is_inert(expression);
                if checked {
                    self.edits.insert(span.start, format!("({}", emitted::CHECK_EXPRESSION));
                }
                self.visit_expression(expression);
                if checked {
                    self.edits.insert_after(span.end, ")");
                }
            }
        }
        self.leave(outer);
    }

    /// `await x` and `yield x` become `_$step(await x)`.
    pub(super) fn step_start(&mut self, span: Span) {
        if self.checks() {
            self.edits.insert(span.start, format!("{}(", emitted::STEP));
        }
    }

    pub(super) fn step_end(&mut self, span: Span) {
        if self.checks() {
            self.edits.insert_after(span.end, ")");
        }
    }

    /// A rejected `await` resumes in `catch` or `finally`.
    pub(super) fn try_checks(&mut self, statement: &TryStatement<'_>) {
        if !self.checks() || !self.resumable {
            return;
        }
        let bodies = [
            statement.handler.as_ref().map(|handler| handler.body.span),
            statement.finalizer.as_ref().map(|body| body.span),
        ];
        for body in bodies.into_iter().flatten() {
            self.edits.insert(body.start + 1, emitted::CHECK);
        }
    }

    /// `for await` resumes at each step and once more when it is done.
    pub(super) fn for_await<'a>(&mut self, statement: &ForOfStatement<'a>) {
        let check = format!("{}{}", emitted::CHECK, emitted::TICK_CALL);
        let whole = self.labelled.take().unwrap_or(statement.span);
        self.edits.insert(whole.start, "{");
        self.visit_for_statement_left(&statement.left);
        self.visit_expression(&statement.right);
        let body = statement.body.span();
        if matches!(statement.body, Statement::BlockStatement(_)) {
            self.edits.insert(body.start + 1, check);
            self.visit_statement(&statement.body);
        } else {
            self.edits.insert(body.start, format!("{{{check}"));
            self.visit_statement(&statement.body);
            self.edits.insert_after(body.end, "}");
        }
        self.edits.insert_after(whole.end, format!("{}}}", emitted::CHECK));
    }

    pub(super) fn static_block<'a>(&mut self, block: &StaticBlock<'a>) {
        let outer = self.enter(false);
        self.visit_statements(&block.body);
        self.leave(outer);
    }

    pub(super) fn dynamic_import<'a>(&mut self, import: &ImportExpression<'a>) {
        if self.checks() && import.phase.is_none() {
            self.edits.replace(Span::sized(import.span.start, 6), emitted::LOAD);
        }
        walk::walk_import_expression(self, import);
    }
}

/// Whether evaluating this runs no code of the cell: no call, no assignment. (A getter or a conversion may, but that
/// is a function with a check of its own.)
pub(super) fn is_inert(expression: &Expression<'_>) -> bool {
    match expression {
        Expression::BooleanLiteral(_)
        | Expression::NullLiteral(_)
        | Expression::NumericLiteral(_)
        | Expression::BigIntLiteral(_)
        | Expression::RegExpLiteral(_)
        | Expression::StringLiteral(_)
        | Expression::Identifier(_)
        | Expression::ThisExpression(_)
        | Expression::ArrowFunctionExpression(_)
        | Expression::FunctionExpression(_)
        | Expression::ImportMeta(_)
        | Expression::NewTarget(_) => true,
        Expression::TemplateLiteral(template) => template.expressions.iter().all(is_inert),
        Expression::ParenthesizedExpression(inner) => is_inert(&inner.expression),
        Expression::BinaryExpression(binary) => is_inert(&binary.left) && is_inert(&binary.right),
        Expression::LogicalExpression(logical) => is_inert(&logical.left) && is_inert(&logical.right),
        Expression::ConditionalExpression(choice) => {
            is_inert(&choice.test) && is_inert(&choice.consequent) && is_inert(&choice.alternate)
        }
        Expression::UnaryExpression(unary) => {
            unary.operator != oxc_syntax::operator::UnaryOperator::Delete && is_inert(&unary.argument)
        }
        Expression::StaticMemberExpression(member) => is_inert(&member.object),
        Expression::ComputedMemberExpression(member) => is_inert(&member.object) && is_inert(&member.expression),
        Expression::ArrayExpression(array) => {
            array.elements.iter().all(|element| element.as_expression().is_some_and(is_inert))
        }
        Expression::ObjectExpression(object) => object.properties.iter().all(|property| {
            matches!(property, ObjectPropertyKind::ObjectProperty(property) if !property.computed && is_inert(&property.value))
        }),
        Expression::TSAsExpression(typed) => is_inert(&typed.expression),
        Expression::TSSatisfiesExpression(typed) => is_inert(&typed.expression),
        Expression::TSNonNullExpression(typed) => is_inert(&typed.expression),
        _ => false,
    }
}
