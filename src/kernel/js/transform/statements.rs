//! Statements that hold others: what their blocks declare, and what each round of a loop gets.

use oxc_ast::ast::*;
use oxc_ast_visit::{Visit, walk};
use oxc_span::GetSpan;

use super::rewrite::{Mode, Rewriter};

impl Rewriter<'_> {
    pub(super) fn block<'a>(&mut self, block: &BlockStatement<'a>) {
        self.blocks += 1;
        let shadows = self.shadows.len();
        self.shadow_functions(&block.body);
        self.keep_in(&block.body, block.span.start + 1, block.span.end - 1);
        for statement in &block.body {
            if let Statement::FunctionDeclaration(function) = statement {
                self.copy_block_function(function, block.span.start + 1);
            }
        }
        walk::walk_block_statement(self, block);
        self.shadows.truncate(shadows);
        self.blocks -= 1;
    }

    pub(super) fn switch<'a>(&mut self, statement: &SwitchStatement<'a>) {
        self.keep_in(
            statement.cases.iter().flat_map(|case| &case.consequent),
            statement.span.start,
            statement.span.end,
        );
        self.visit_expression(&statement.discriminant);
        self.blocks += 1;
        let shadows = self.shadows.len();
        self.shadow_functions(statement.cases.iter().flat_map(|case| &case.consequent));
        for case in &statement.cases {
            if let Some(test) = &case.test {
                self.visit_expression(test);
            }
            for statement in &case.consequent {
                if let Statement::FunctionDeclaration(function) = statement {
                    self.copy_block_function(function, function.span.start);
                }
            }
            self.visit_statements(&case.consequent);
        }
        self.shadows.truncate(shadows);
        self.blocks -= 1;
    }

    pub(super) fn if_statement<'a>(&mut self, statement: &IfStatement<'a>) {
        self.in_list = false;
        self.visit_expression(&statement.test);
        for branch in std::iter::once(&statement.consequent).chain(statement.alternate.as_ref()) {
            let span = branch.span();
            self.keep_in(std::iter::once(branch), span.start, span.end);
            // `if (c) function f() {}` is a block with one function in it.
            if let Statement::FunctionDeclaration(function) = branch
                && self.copies(function)
            {
                self.edits.insert(function.span.start, "{");
                self.copy_block_function(function, function.span.start);
                let shadows = self.shadows.len();
                self.shadow_functions(std::iter::once(branch));
                self.visit_statement(branch);
                self.shadows.truncate(shadows);
                self.edits.insert_after(function.span.end, "}");
            } else {
                self.visit_statement(branch);
            }
        }
    }

    pub(super) fn labelled_statement<'a>(&mut self, statement: &LabeledStatement<'a>) {
        let outermost = self.labelled.is_none();
        if outermost && innermost(statement).is_some() {
            self.labelled = Some(statement.span);
        }
        self.in_list = false;
        self.visit_statement(&statement.body);
        if outermost {
            self.labelled = None;
        }
    }

    pub(super) fn for_of<'a>(&mut self, statement: &ForOfStatement<'a>) {
        self.in_list = false;
        self.blocks += 1;
        if statement.r#await && self.mode == Mode::Cell {
            self.for_await(statement);
        } else {
            let closing = self.loop_start(&statement.body);
            walk::walk_for_of_statement(self, statement);
            self.loop_end(closing);
        }
        self.blocks -= 1;
    }

    pub(super) fn for_in<'a>(&mut self, statement: &ForInStatement<'a>) {
        self.in_list = false;
        self.blocks += 1;
        let closing = self.loop_start(&statement.body);
        walk::walk_for_in_statement(self, statement);
        self.loop_end(closing);
        self.blocks -= 1;
    }

    pub(super) fn for_loop<'a>(&mut self, statement: &ForStatement<'a>) {
        self.in_list = false;
        self.blocks += 1;
        let closing = self.loop_start(&statement.body);
        walk::walk_for_statement(self, statement);
        self.loop_end(closing);
        self.blocks -= 1;
    }

    pub(super) fn while_loop<'a>(&mut self, statement: &WhileStatement<'a>) {
        self.in_list = false;
        let closing = self.loop_start(&statement.body);
        walk::walk_while_statement(self, statement);
        self.loop_end(closing);
    }

    pub(super) fn do_while<'a>(&mut self, statement: &DoWhileStatement<'a>) {
        self.in_list = false;
        let closing = self.loop_start(&statement.body);
        walk::walk_do_while_statement(self, statement);
        self.loop_end(closing);
    }

    pub(super) fn with_block<'a>(&mut self, statement: &WithStatement<'a>) {
        self.in_list = false;
        self.visit_expression(&statement.object);
        self.with_depth += 1;
        self.blocks += 1;
        self.visit_statement(&statement.body);
        self.blocks -= 1;
        self.with_depth -= 1;
    }

    pub(super) fn catch_clause<'a>(&mut self, clause: &CatchClause<'a>) {
        let shadows = self.shadows.len();
        if let Some(parameter) = &clause.param {
            let names = parameter.pattern.get_binding_identifiers();
            self.shadows.extend(names.iter().map(|name| name.name.to_string()));
        }
        walk::walk_catch_clause(self, clause);
        self.shadows.truncate(shadows);
    }
}

/// The `for await` behind labels.
fn innermost<'p, 'a>(statement: &'p LabeledStatement<'a>) -> Option<&'p ForOfStatement<'a>> {
    match &statement.body {
        Statement::LabeledStatement(inner) => innermost(inner),
        Statement::ForOfStatement(each) if each.r#await => Some(each),
        _ => None,
    }
}
