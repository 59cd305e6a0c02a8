//! Declarations by where they stand: at the top, where their names outlive the cell, or in a block.

use oxc_ast::ast::*;
use oxc_ast_visit::Visit;
use oxc_syntax::scope::ScopeFlags;

use super::declarations::Place;
use super::names::emitted;
use super::rewrite::Rewriter;

impl Rewriter<'_> {
    pub(super) fn variables(&mut self, declaration: &VariableDeclaration<'_>, list: bool) {
        if self.outlives(declaration) {
            self.assign(declaration, if list { Place::List } else { Place::Single });
        } else {
            self.visit_variable_declaration(declaration);
        }
    }

    pub(super) fn function_declaration(&mut self, function: &Function<'_>) {
        let top = self.depth == 0
            && self.blocks == 0
            && function
                .id
                .as_ref()
                .and_then(|id| id.symbol_id.get())
                .is_some_and(|symbol| self.binding(symbol).is_some());
        if top && self.is_top_function(function.span) {
            self.assign_function(function);
        } else {
            self.visit_function(function, ScopeFlags::Function);
        }
    }

    pub(super) fn is_top_class(&self, class: &Class<'_>) -> bool {
        self.depth == 0
            && self.blocks == 0
            && class.id.as_ref().and_then(|id| id.symbol_id.get()).is_some_and(|symbol| self.binding(symbol).is_some())
    }

    /// Whether a function in a block would stay local to the function of ours that the cell stands in.
    pub(super) fn copies(&self, function: &Function<'_>) -> bool {
        self.depth == 0
            && !function.r#async
            && !function.generator
            && function.id.as_ref().is_some_and(|id| self.is_block_function(&id.name))
    }

    pub(super) fn copy_block_function(&mut self, function: &Function<'_>, at: u32) {
        if self.copies(function)
            && let Some(id) = &function.id
        {
            let name = self.text(id.span);
            self.edits.insert(at, format!("{}.{name}={name};", emitted::GLOBAL));
        }
    }

    /// `let f; { function f() {} }`: the `let` keeps the function in its block. It became an assignment, so another one
    /// around the block does.
    pub(super) fn keep_in<'p, 'a: 'p>(
        &mut self,
        statements: impl IntoIterator<Item = &'p Statement<'a>>,
        start: u32,
        end: u32,
    ) {
        if self.kept_in.is_empty() || self.depth > 0 {
            return;
        }
        let mut names: Vec<&str> = Vec::new();
        for statement in statements {
            if let Statement::FunctionDeclaration(function) = statement
                && let Some(id) = &function.id
                && self.kept_in.iter().any(|name| *name == id.name.as_str())
            {
                names.push(self.text(id.span));
            }
        }
        names.dedup();
        if !names.is_empty() {
            self.edits.insert(start, format!("{{let {};{{", names.join(",")));
            self.edits.insert_after(end, "}}");
        }
    }

    /// Within its own block, such a function's name means the block's.
    pub(super) fn shadow_functions<'p, 'a: 'p>(&mut self, statements: impl IntoIterator<Item = &'p Statement<'a>>) {
        for statement in statements {
            if let Statement::FunctionDeclaration(function) = statement
                && self.copies(function)
                && let Some(id) = &function.id
            {
                self.shadows.push(id.name.to_string());
            }
        }
    }
}
