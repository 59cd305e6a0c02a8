//! Loops around slow functions: a place in every round where V8 looks for interrupts.
//!
//! At the end of a round V8 looks only when a budget of bytecode has run out, which is thousands of rounds: too late where
//! one round takes a millisecond in C++. It always looks when a function of JavaScript is entered, so each round enters
//! one. Optimized code pays nothing for it, and then looks in every round by itself.

use oxc_ast::ast::*;
use oxc_ast_visit::{Visit, walk};
use oxc_span::GetSpan;
use oxc_syntax::scope::ScopeFlags;

use super::names::emitted;
use super::rewrite::{Mode, Rewriter};

/// What is to be closed behind a loop's body.
#[must_use]
pub(super) struct Closing(Option<u32>);

impl Rewriter<'_> {
    /// Before the walk through a loop. A round that calls nothing is so short that V8's budget is enough.
    pub(super) fn loop_start(&mut self, body: &Statement<'_>, is_slow: bool) -> Closing {
        if !is_slow || self.mode != Mode::Cell {
            return Closing(None);
        }
        let span = body.span();
        if matches!(body, Statement::BlockStatement(_)) {
            self.edits.insert(span.start + 1, emitted::TICK_CALL);
            return Closing(None);
        }
        self.edits.insert(span.start, emitted::TICK_OPEN);
        Closing(Some(span.end))
    }

    /// After it.
    pub(super) fn loop_end(&mut self, closing: Closing) {
        if let Closing(Some(end)) = closing {
            self.edits.insert_after(end, emitted::TICK_CLOSE);
        }
    }
}

/// Whether one round of a loop can take long inside C++. Functions are entered elsewhere, and loops in it have rounds of
/// their own: neither is looked into.
#[derive(Default)]
pub(super) struct Slow(bool);

impl Slow {
    /// `heads`: what of the loop's head is evaluated in each round.
    pub(super) fn round<'a>(heads: &[Option<&Expression<'a>>], body: &Statement<'a>) -> bool {
        let mut slow = Self::default();
        for head in heads.iter().flatten() {
            slow.visit_expression(head);
        }
        slow.visit_statement(body);
        slow.0
    }
}

impl<'a> Visit<'a> for Slow {
    fn visit_call_expression(&mut self, _: &CallExpression<'a>) {
        self.0 = true;
    }

    fn visit_new_expression(&mut self, _: &NewExpression<'a>) {
        self.0 = true;
    }

    fn visit_tagged_template_expression(&mut self, _: &TaggedTemplateExpression<'a>) {
        self.0 = true;
    }

    fn visit_spread_element(&mut self, _: &SpreadElement<'a>) {
        self.0 = true;
    }

    fn visit_binding_rest_element(&mut self, _: &BindingRestElement<'a>) {
        self.0 = true;
    }

    fn visit_assignment_target_rest(&mut self, _: &AssignmentTargetRest<'a>) {
        self.0 = true;
    }

    fn visit_template_literal(&mut self, template: &TemplateLiteral<'a>) {
        self.0 |= !template.expressions.is_empty();
    }

    fn visit_expression(&mut self, expression: &Expression<'a>) {
        if !self.0 {
            walk::walk_expression(self, expression);
        }
    }

    fn visit_function(&mut self, _: &Function<'a>, _: ScopeFlags) {}

    fn visit_arrow_function_expression(&mut self, _: &ArrowFunctionExpression<'a>) {}

    fn visit_for_statement(&mut self, inner: &ForStatement<'a>) {
        if let Some(init) = &inner.init {
            self.visit_for_statement_init(init);
        }
        for part in [&inner.test, &inner.update].into_iter().flatten() {
            self.visit_expression(part);
        }
    }

    fn visit_for_of_statement(&mut self, inner: &ForOfStatement<'a>) {
        self.visit_expression(&inner.right);
    }

    fn visit_for_in_statement(&mut self, inner: &ForInStatement<'a>) {
        self.visit_expression(&inner.right);
    }

    fn visit_while_statement(&mut self, inner: &WhileStatement<'a>) {
        self.visit_expression(&inner.test);
    }

    /// Its body has a round in each round of the loop around it.
    fn visit_do_while_statement(&mut self, _: &DoWhileStatement<'a>) {}
}
