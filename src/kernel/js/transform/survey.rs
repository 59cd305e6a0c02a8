//! What must be known of a cell before the first edit: how it has to run, and which names it makes.

use oxc_ast::ast::*;
use oxc_ast_visit::{Visit, walk};
use oxc_semantic::Scoping;
use oxc_span::{GetSpan, Span};
use oxc_syntax::scope::ScopeFlags;
use oxc_syntax::symbol::{SymbolFlags, SymbolId};

use super::names::BindingKind;

/// Facts of the top level; functions are not looked into.
#[derive(Debug, Default)]
pub(super) struct Survey<'a> {
    pub(super) awaits: bool,
    pub(super) returns: bool,
    /// Functions declared at the top level, labels and `export` included.
    pub(super) functions: Vec<Span>,
    /// Names of plain functions declared in blocks.
    pub(super) block_functions: Vec<&'a str>,
    /// Statements that declare names at the top level itself.
    declarations: Vec<Span>,
    /// Names declared by the blocks around the current place: a function in a block of such a name stays there.
    around: Vec<Vec<&'a str>>,
}

/// A name of the root scope.
#[derive(Debug)]
pub(super) struct RootName {
    pub(super) symbol: SymbolId,
    pub(super) kind: BindingKind,
    pub(super) start: u32,
}

impl<'a> Survey<'a> {
    pub(super) fn of(program: &Program<'a>) -> Self {
        let mut survey = Self::default();
        for statement in &program.body {
            match declared_function(statement) {
                Some(function) => survey.functions.push(function.span),
                None => survey.visit_statement(statement),
            }
            if matches!(
                statement,
                Statement::VariableDeclaration(_)
                    | Statement::ClassDeclaration(_)
                    | Statement::ExportDeclaration(_)
                    | Statement::ExportDefaultDeclaration(_)
            ) {
                survey.declarations.push(statement.span());
            }
        }
        survey
    }

    /// The names of the root scope that are values, in source order.
    pub(super) fn root_names(&self, scoping: &Scoping) -> Vec<RootName> {
        let mut names: Vec<RootName> = scoping
            .get_bindings(scoping.root_scope_id())
            .iter()
            .filter_map(|(_, symbol)| {
                let start = scoping.symbol_span(*symbol).start;
                let kind = self.kind_of(scoping, *symbol)?;
                Some(RootName { symbol: *symbol, kind, start })
            })
            .collect();
        names.sort_by_key(|name| name.start);
        names
    }

    fn kind_of(&self, scoping: &Scoping, symbol: SymbolId) -> Option<BindingKind> {
        let flags = scoping.symbol_flags(symbol);
        let is = |wanted: SymbolFlags| flags.intersects(wanted);
        if is(SymbolFlags::Import) {
            return Some(BindingKind::Import);
        }
        if !is(SymbolFlags::Value) || is(SymbolFlags::Ambient) {
            return None;
        }
        let start = scoping.symbol_span(symbol).start;
        let lexical = is(SymbolFlags::BlockScopedVariable | SymbolFlags::Class);
        if lexical && !self.declarations.iter().any(|statement| (statement.start..statement.end).contains(&start)) {
            // The analysis took a block's name along with a function of that name.
            return None;
        }
        Some(if is(SymbolFlags::ConstVariable) {
            BindingKind::Const
        } else if is(SymbolFlags::BlockScopedVariable) {
            BindingKind::Let
        } else if is(SymbolFlags::Class) {
            BindingKind::Class
        } else if is(SymbolFlags::Function) {
            let at = |start: u32| self.functions.iter().any(|function| (function.start..function.end).contains(&start));
            let declared = std::iter::once(scoping.symbol_span(symbol).start)
                .chain(scoping.symbol_redeclarations(symbol).iter().map(|again| again.span.start));
            let mut at_top = declared.filter(|start| at(*start));
            if at_top.next().is_some() {
                BindingKind::Function
            } else if is(SymbolFlags::FunctionScopedVariable) {
                BindingKind::Var
            } else if self.block_functions.contains(&scoping.symbol_name(symbol)) {
                BindingKind::BlockFunction
            } else {
                // It stays in its block.
                return None;
            }
        } else if is(SymbolFlags::Enum) {
            BindingKind::Enum
        } else if is(SymbolFlags::ValueModule) {
            BindingKind::Namespace
        } else {
            BindingKind::Var
        })
    }
}

/// The function a top-level statement declares, seen through labels and `export`.
pub(super) fn declared_function<'p, 'a>(statement: &'p Statement<'a>) -> Option<&'p Function<'a>> {
    match statement {
        Statement::FunctionDeclaration(function) => Some(function),
        Statement::LabeledStatement(labeled) => declared_function(&labeled.body),
        Statement::ExportDeclaration(export) => match &export.declaration {
            Declaration::FunctionDeclaration(function) => Some(function),
            _ => None,
        },
        Statement::ExportDefaultDeclaration(export) => match &export.declaration {
            ExportDefaultDeclarationKind::FunctionDeclaration(function) if function.id.is_some() => Some(function),
            _ => None,
        },
        _ => None,
    }
}

impl<'a> Survey<'a> {
    fn list(&mut self, statements: &[Statement<'a>]) {
        self.around.push(lexical_names(statements));
        statements.iter().for_each(|statement| self.item(statement));
        self.around.pop();
    }

    /// A statement of the innermost list: a function there is not in the way of itself.
    fn item(&mut self, statement: &Statement<'a>) {
        let own = match statement {
            Statement::FunctionDeclaration(_) => self.around.pop(),
            _ => None,
        };
        self.visit_statement(statement);
        self.around.extend(own);
    }
}

/// Names that a list of statements declares for itself.
fn lexical_names<'a>(statements: &[Statement<'a>]) -> Vec<&'a str> {
    let mut names = Vec::new();
    for statement in statements {
        match statement {
            Statement::VariableDeclaration(declaration) => names.extend(declared_lexically(declaration)),
            Statement::ClassDeclaration(class) => names.extend(class.id.as_ref().map(|id| id.name.as_str())),
            Statement::FunctionDeclaration(function) => {
                names.extend(function.id.as_ref().map(|id| id.name.as_str()));
            }
            _ => {}
        }
    }
    names
}

fn declared_lexically<'a>(declaration: &VariableDeclaration<'a>) -> Vec<&'a str> {
    if declaration.kind.is_var() {
        return Vec::new();
    }
    declaration.declarations.iter().flat_map(|declarator| names_of(&declarator.id)).collect()
}

fn each_names<'a>(left: &ForStatementLeft<'a>) -> Vec<&'a str> {
    match left {
        ForStatementLeft::VariableDeclaration(declaration) => declared_lexically(declaration),
        _ => Vec::new(),
    }
}

fn names_of<'a>(pattern: &BindingPattern<'a>) -> Vec<&'a str> {
    pattern.get_binding_identifiers().iter().map(|name| name.name.as_str()).collect()
}

impl<'a> Visit<'a> for Survey<'a> {
    fn visit_await_expression(&mut self, expression: &AwaitExpression<'a>) {
        self.awaits = true;
        walk::walk_await_expression(self, expression);
    }

    fn visit_for_of_statement(&mut self, statement: &ForOfStatement<'a>) {
        self.awaits |= statement.r#await;
        self.around.push(each_names(&statement.left));
        walk::walk_for_of_statement(self, statement);
        self.around.pop();
    }

    fn visit_return_statement(&mut self, statement: &ReturnStatement<'a>) {
        self.returns = true;
        walk::walk_return_statement(self, statement);
    }

    fn visit_block_statement(&mut self, block: &BlockStatement<'a>) {
        self.list(&block.body);
    }

    fn visit_switch_statement(&mut self, statement: &SwitchStatement<'a>) {
        self.visit_expression(&statement.discriminant);
        self.around.push(statement.cases.iter().flat_map(|case| lexical_names(&case.consequent)).collect());
        for case in &statement.cases {
            if let Some(test) = &case.test {
                self.visit_expression(test);
            }
            case.consequent.iter().for_each(|statement| self.item(statement));
        }
        self.around.pop();
    }

    fn visit_for_statement(&mut self, statement: &ForStatement<'a>) {
        let head = match &statement.init {
            Some(ForStatementInit::VariableDeclaration(head)) => declared_lexically(head),
            _ => Vec::new(),
        };
        self.around.push(head);
        walk::walk_for_statement(self, statement);
        self.around.pop();
    }

    fn visit_for_in_statement(&mut self, statement: &ForInStatement<'a>) {
        self.around.push(each_names(&statement.left));
        walk::walk_for_in_statement(self, statement);
        self.around.pop();
    }

    fn visit_catch_clause(&mut self, clause: &CatchClause<'a>) {
        // A plain `catch (f)` does not keep the function `f` in; a pattern does.
        let names = match clause.param.as_ref().map(|parameter| &parameter.pattern) {
            None | Some(BindingPattern::BindingIdentifier(_)) => Vec::new(),
            Some(pattern) => names_of(pattern),
        };
        self.around.push(names);
        walk::walk_catch_clause(self, clause);
        self.around.pop();
    }

    fn visit_function(&mut self, function: &Function<'a>, _: ScopeFlags) {
        if function.r#type == FunctionType::FunctionDeclaration
            && !function.r#async
            && !function.generator
            && let Some(name) = &function.id
            && !self.around.iter().any(|names| names.contains(&name.name.as_str()))
        {
            self.block_functions.push(name.name.as_str());
        }
    }

    fn visit_arrow_function_expression(&mut self, _: &ArrowFunctionExpression<'a>) {}

    fn visit_method_definition(&mut self, method: &MethodDefinition<'a>) {
        self.visit_property_key(&method.key);
    }

    fn visit_property_definition(&mut self, property: &PropertyDefinition<'a>) {
        self.visit_property_key(&property.key);
    }

    fn visit_static_block(&mut self, _: &StaticBlock<'a>) {}

    fn visit_ts_namespace_declaration(&mut self, _: &TSNamespaceDeclaration<'a>) {}

    fn visit_ts_global_declaration(&mut self, _: &TSGlobalDeclaration<'a>) {}

    fn visit_ts_external_module_declaration(&mut self, _: &TSExternalModuleDeclaration<'a>) {}
}
