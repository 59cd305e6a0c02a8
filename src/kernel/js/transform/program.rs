//! The cell as a whole: its statements one by one, its value, and the scripts that come of it.

use oxc_ast::ast::*;
use oxc_ast_visit::Visit;
use oxc_span::{GetSpan, Span};

use super::edits::{Part, Segment};
use super::rewrite::Rewriter;
use super::survey::declared_function;

/// One script, and what moved in it.
pub(super) type Script = (String, Vec<Segment>);

/// What the cell's value is.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Last {
    /// The statement at this place is an expression.
    Expression(usize),
    /// The cell is one string: the parser takes it for a directive.
    Directive,
    /// The statement at this place has no value, or there is none.
    Other(Option<usize>),
}

impl Last {
    pub(super) fn of(program: &Program<'_>) -> Self {
        let silent = |statement: &Statement<'_>| {
            declared_function(statement).is_some()
                || is_type_only(statement)
                || matches!(statement, Statement::EmptyStatement(_))
        };
        match program.body.iter().rposition(|statement| !silent(statement)) {
            None if program.directives.is_empty() => Self::Other(None),
            None => Self::Directive,
            Some(index) => match &program.body[index] {
                Statement::ExpressionStatement(_) | Statement::TSExportAssignment(_) => Self::Expression(index),
                Statement::ExportDefaultDeclaration(export) => match &export.declaration {
                    ExportDefaultDeclarationKind::ClassDeclaration(class) if class.id.is_some() => {
                        Self::Other(Some(index))
                    }
                    _ => Self::Expression(index),
                },
                _ => Self::Other(Some(index)),
            },
        }
    }

    pub(super) fn has_value(self) -> bool {
        !matches!(self, Self::Other(_))
    }

    fn index(self) -> Option<usize> {
        match self {
            Self::Expression(index) => Some(index),
            Self::Other(index) => index,
            Self::Directive => None,
        }
    }
}

/// Statements that leave nothing behind when the cell runs.
fn is_type_only(statement: &Statement<'_>) -> bool {
    match statement {
        Statement::TSInterfaceDeclaration(_)
        | Statement::TSTypeAliasDeclaration(_)
        | Statement::TSGlobalDeclaration(_)
        | Statement::TSExternalModuleDeclaration(_)
        | Statement::TSNamespaceExportDeclaration(_)
        | Statement::ImportDeclaration(_)
        | Statement::ExportNamedDeclaration(_)
        | Statement::ExportFromDeclaration(_)
        | Statement::ExportAllDeclaration(_) => true,
        Statement::TSNamespaceDeclaration(namespace) => {
            namespace.declare || !super::lowered::has_values(&namespace.body)
        }
        Statement::ExportDeclaration(export) => {
            super::modules::is_ambient(&export.declaration)
                || matches!(
                    export.declaration,
                    Declaration::TSInterfaceDeclaration(_) | Declaration::TSTypeAliasDeclaration(_)
                )
        }
        Statement::VariableDeclaration(declaration) => declaration.declare,
        Statement::ClassDeclaration(declaration) => declaration.declare,
        Statement::TSEnumDeclaration(declaration) => declaration.declare,
        _ => false,
    }
}

/// Whether nothing can be seen of a statement running before the functions below it exist.
fn precedes_unseen(statement: &Statement<'_>) -> bool {
    match statement {
        Statement::EmptyStatement(_) => true,
        Statement::VariableDeclaration(declaration) => declaration.declarations.iter().all(|declarator| {
            matches!(declarator.id, BindingPattern::BindingIdentifier(_))
                && declarator.init.as_ref().is_none_or(is_literal)
        }),
        _ => declared_function(statement).is_some() || is_type_only(statement),
    }
}

fn is_literal(expression: &Expression<'_>) -> bool {
    match expression {
        Expression::BooleanLiteral(_)
        | Expression::NullLiteral(_)
        | Expression::NumericLiteral(_)
        | Expression::StringLiteral(_)
        | Expression::BigIntLiteral(_)
        | Expression::ArrowFunctionExpression(_)
        | Expression::FunctionExpression(_) => true,
        Expression::UnaryExpression(unary) => is_literal(&unary.argument),
        Expression::TemplateLiteral(template) => template.expressions.is_empty(),
        Expression::ArrayExpression(array) => {
            array.elements.iter().all(|element| element.as_expression().is_some_and(is_literal))
        }
        Expression::ObjectExpression(object) => object.properties.iter().all(|property| {
            matches!(property, ObjectPropertyKind::ObjectProperty(property) if !property.computed && is_literal(&property.value))
        }),
        _ => false,
    }
}

impl Rewriter<'_> {
    /// Rewrites every statement. Says whether the functions have to run before the others.
    pub(super) fn program(&mut self, program: &Program<'_>, last: Last) -> bool {
        if let Some(hashbang) = &program.hashbang {
            self.blank_span(hashbang.span);
        }
        let mut seen = matches!(last, Last::Directive);
        let mut hoists = false;
        for (index, statement) in program.body.iter().enumerate() {
            let is_last = last.index().is_none_or(|last| index >= last);
            self.returns_value = self.wrapped && last == Last::Expression(index);
            hoists |= seen && declared_function(statement).is_some();
            seen |= !precedes_unseen(statement);
            self.in_list = true;
            self.visit_statement(statement);
            let unconditional = matches!(
                statement,
                Statement::ExpressionStatement(_)
                    | Statement::VariableDeclaration(_)
                    | Statement::ExportDeclaration(_)
                    | Statement::TSEnumDeclaration(_)
                    | Statement::TSNamespaceDeclaration(_)
            );
            self.mark(statement.span().end, unconditional, is_last);
        }
        hoists
    }

    /// `expression;`, as the cell's value where it is the last statement.
    pub(super) fn expression_statement(&mut self, statement: &ExpressionStatement<'_>, list: bool) {
        let span = statement.expression.span();
        let returns = std::mem::take(&mut self.returns_value);
        if returns {
            self.edits.insert(span.start, ";return (");
        }
        self.statement_start = (list && !returns).then_some(span.start);
        self.visit_expression(&statement.expression);
        self.statement_start = None;
        if returns {
            self.edits.insert_after(span.end, ")");
        }
    }

    /// The scripts: the functions', when they have to run first, and the cell's.
    pub(super) fn scripts(&mut self, program: &Program<'_>, hoists: bool) -> (Option<Script>, Script) {
        let end = u32::try_from(self.source.len()).unwrap_or(u32::MAX);
        let (head, tail) = match (self.is_async, self.wrapped) {
            (true, _) => ("(async()=>{\n", "\n})()"),
            (false, true) => ("(()=>{\n", "\n})()"),
            (false, false) => ("", ""),
        };
        let whole = [Part { span: Span::new(0, end), kept: true, filler: "", last: true }];
        if !hoists {
            return (None, self.edits.apply(self.source, head, &whole, tail));
        }
        self.functions.sort_unstable_by_key(|span| span.start);
        let main = self.parts(end, |function| (!function, ";"));
        let main = self.edits.apply(self.source, head, &main, tail);
        let mut functions = self.parts(end, |function| (function, ""));
        // Strict functions stay strict.
        if let Some(last) = program.directives.last()
            && let Some(first) = functions.first_mut()
        {
            let rest = first.span.end;
            first.span.end = last.span.end;
            first.kept = true;
            functions.insert(1, Part { span: Span::new(last.span.end, rest), kept: false, filler: ";", last: false });
        }
        functions.truncate(functions.iter().rposition(|part| part.kept).map_or(0, |last| last + 1));
        (Some(self.edits.apply(self.source, "", &functions, "")), main)
    }

    /// The source as text and functions by turns.
    fn parts(&self, end: u32, kept: impl Fn(bool) -> (bool, &'static str)) -> Vec<Part> {
        let mut parts = Vec::with_capacity(self.functions.len() * 2 + 1);
        let mut at = 0;
        let mut push = |start: u32, end: u32, function: bool, last: bool| {
            let (kept, filler) = kept(function);
            parts.push(Part { span: Span::new(start, end), kept, filler: if kept { "" } else { filler }, last });
        };
        for function in &self.functions {
            push(at, function.start, false, false);
            push(function.start, function.end, true, false);
            at = function.end;
        }
        push(at, end, false, true);
        parts
    }
}
