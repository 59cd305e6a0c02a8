//! Names that do not live on the plain global: every place they are used goes through the object they live on.

use oxc_ast::ast::*;
use oxc_ast_visit::Visit;
use oxc_span::{GetSpan, Span};
use oxc_syntax::operator::UnaryOperator;

use super::names::emitted;
use super::rewrite::{Mode, Rewriter};

impl Rewriter<'_> {
    /// `x` becomes `base.x`; called, `x(…)` becomes `(0,base.x)(…)`, so that `this` stays what it was.
    pub(super) fn reference(&mut self, name: &IdentifierReference<'_>) {
        let called = self.callee.take_if(|start| *start == name.span.start).is_some();
        let evaluates = called && self.is_top_eval(name);
        let base = self.home_of_reference(name).map(|base| format!("{base}.")).unwrap_or_default();
        if called && (evaluates || !base.is_empty()) {
            // Parentheses at the start of a statement would be taken for a call of what stands before.
            let semicolon = if self.statement_start == Some(name.span.start) { ";" } else { "" };
            self.edits.insert(name.span.start, format!("{semicolon}(0,{base}"));
            self.edits.insert_after(name.span.end, ")");
        } else if !base.is_empty() {
            self.edits.insert(name.span.start, base);
        }
    }

    /// Says that the name about to be visited, if the callee is one, is called.
    pub(super) fn expect_call(&mut self, callee: &Expression<'_>) {
        self.callee = match callee.get_inner_expression() {
            Expression::Identifier(name) => Some(name.span.start),
            _ => None,
        };
    }

    /// `{x}` and `{x = 1}` become `{x:base.x}` and `{x:base.x = 1}`.
    pub(super) fn shorthand(&mut self, span: Span, base: Option<String>, name: &str) {
        if let Some(base) = base {
            self.edits.insert(span.start, format!("{name}:{base}."));
        }
    }

    /// A direct `eval` at the top of a cell that stands in a function of ours: its `var`s are meant for the session.
    fn is_top_eval(&self, name: &IdentifierReference<'_>) -> bool {
        name.name == "eval"
            && self.wrapped
            && self.depth == 0
            && self.blocks == 0
            && !self.strict
            && name.reference_id.get().is_some_and(|id| self.scoping.get_reference(id).symbol_id().is_none())
    }

    /// `delete x` of a declared name is `false` and does nothing.
    pub(super) fn delete(&mut self, expression: &UnaryExpression<'_>) -> bool {
        if expression.operator != UnaryOperator::Delete || self.mode == Mode::Module {
            return false;
        }
        let Expression::Identifier(name) = expression.argument.get_inner_expression() else { return false };
        let Some(reference) = name.reference_id.get() else { return false };
        let declared = match self.scoping.get_reference(reference).symbol_id() {
            Some(symbol) => self.binding(symbol).is_some(),
            None => self.with_depth == 0 && (self.options.known)(&name.name).is_some(),
        };
        if declared {
            self.blank(expression.span.start, expression.span.end, "false");
        }
        declared
    }

    /// A function or class without a name takes the name it is assigned to; a property would not give it one.
    pub(super) fn named_value<'a>(&mut self, value: &Expression<'a>, name: &str, redirected: bool) {
        let anonymous = redirected && is_anonymous_function(value);
        let span = value.span();
        if anonymous {
            self.edits.insert(span.start, format!("({{{name}:"));
        }
        self.visit_expression(value);
        if anonymous {
            self.edits.insert_after(span.end, format!("}}).{name}"));
        }
    }

    pub(super) fn meta(&mut self, span: Span) {
        if self.mode == Mode::Cell {
            self.edits.replace(span, emitted::META);
        }
    }
}

pub(super) fn is_anonymous_function(value: &Expression<'_>) -> bool {
    match value.get_inner_expression() {
        Expression::ArrowFunctionExpression(_) => true,
        Expression::FunctionExpression(function) => function.id.is_none(),
        Expression::ClassExpression(class) => class.id.is_none(),
        _ => false,
    }
}
