//! Which grammar a cell is in: JavaScript as JavaScript first, TypeScript only when that fails (the TypeScript goal
//! changes what valid JavaScript means).

use oxc_allocator::Allocator;
use oxc_ast::ast::{Expression, IdentifierReference, Program};
use oxc_ast_visit::{Visit, walk};
use oxc_diagnostics::OxcDiagnostic;
use oxc_parser::{ParseOptions, Parser};
use oxc_semantic::{Scoping, SemanticBuilder};
use oxc_span::{GetSpan, SourceType};

use super::failure::SyntaxFailure;

pub(super) struct Parsed<'a> {
    pub(super) program: &'a Program<'a>,
    pub(super) typescript: bool,
    pub(super) scoping: Scoping,
}

/// What the parser made of the source under one goal.
enum Attempt<'a> {
    Parsed(Program<'a>),
    Failed(OxcDiagnostic),
}

impl Attempt<'_> {
    fn reached(&self) -> u32 {
        match self {
            Self::Parsed(_) => u32::MAX,
            Self::Failed(error) => error.labels.first().map_or(0, |label| label.offset()),
        }
    }
}

/// Parses and analyses one cell. `is_value` says whether a name certainly is a value (and so no type).
pub(super) fn parse<'a>(
    allocator: &'a Allocator,
    source: &'a str,
    cell: &str,
    is_value: &dyn Fn(&str) -> bool,
) -> Result<Parsed<'a>, SyntaxFailure> {
    let javascript = SourceType::unambiguous();
    let typescript = SourceType::ts().with_unambiguous(true);
    let mut chosen = attempt(allocator, source, javascript);
    let mut as_typescript = false;
    let looks_typed =
        matches!(&chosen, Attempt::Parsed(program) if source.contains('<') && TypeArguments::found(program, is_value));
    if looks_typed || matches!(chosen, Attempt::Failed(_)) {
        let other = attempt(allocator, source, typescript);
        if matches!(other, Attempt::Parsed(_)) {
            as_typescript = true;
            chosen = other;
        } else if other.reached() > chosen.reached() {
            chosen = other;
        }
    }
    let program = match chosen {
        Attempt::Parsed(program) => program,
        Attempt::Failed(error) => return Err(explain(allocator, source, cell, &error)),
    };
    analyse(allocator, program, source, cell, as_typescript)
}

/// Parses a TypeScript file, whose module goal is its own.
pub(super) fn parse_module<'a>(
    allocator: &'a Allocator,
    source: &'a str,
    name: &str,
) -> Result<Parsed<'a>, SyntaxFailure> {
    match attempt(allocator, source, SourceType::ts().with_unambiguous(true)) {
        Attempt::Parsed(program) => analyse(allocator, program, source, name, true),
        Attempt::Failed(error) => Err(explain(allocator, source, name, &error)),
    }
}

fn analyse<'a>(
    allocator: &'a Allocator,
    mut program: Program<'a>,
    source: &'a str,
    cell: &str,
    typescript: bool,
) -> Result<Parsed<'a>, SyntaxFailure> {
    // A cell is a sloppy script, whatever it imports; only with that settled are the early errors the right ones.
    program.source_type = program.source_type.with_script(true);
    let program = &*allocator.alloc(program);
    let analysed = SemanticBuilder::new().with_check_syntax_error(true).build(program);
    let wrong = analysed.diagnostics.errors().find(|error| {
        // These two complain about what cells may do.
        !error.message.ends_with("outside a module")
            && !error.message.starts_with("'using' declarations are not allowed at the top level")
    });
    if let Some(error) = wrong {
        return Err(SyntaxFailure::from_diagnostic(cell, source, error));
    }
    Ok(Parsed { program, typescript, scoping: analysed.semantic.into_scoping() })
}

/// One goal, both ways `await` can be read: as a name where that works, else as the keyword.
fn attempt<'a>(allocator: &'a Allocator, source: &'a str, source_type: SourceType) -> Attempt<'a> {
    let first = run(allocator, source, source_type);
    if !source.contains("await") {
        return first;
    }
    if matches!(&first, Attempt::Parsed(program) if !AwaitAsName::found(program)) {
        return first;
    }
    let second = run(allocator, source, source_type.with_module(true));
    if second.reached() > first.reached() { second } else { keep_name(first, second) }
}

/// `await` can be read as a name and as the keyword: the keyword, unless the cell declares that name.
fn keep_name<'a>(as_name: Attempt<'a>, as_keyword: Attempt<'a>) -> Attempt<'a> {
    match (&as_name, &as_keyword) {
        (Attempt::Parsed(_), Attempt::Parsed(_)) => as_keyword,
        _ => as_name,
    }
}

fn run<'a>(allocator: &'a Allocator, source: &'a str, source_type: SourceType) -> Attempt<'a> {
    let options = ParseOptions { allow_return_outside_function: true, ..ParseOptions::default() };
    let parsed = Parser::new(allocator, source, source_type).with_options(options).parse();
    match parsed.diagnostics.errors().next() {
        Some(error) => Attempt::Failed(error.clone()),
        None => Attempt::Parsed(parsed.program),
    }
}

/// The failure, or a clearer one where we know what was meant.
fn explain(allocator: &Allocator, source: &str, cell: &str, error: &OxcDiagnostic) -> SyntaxFailure {
    for source_type in [SourceType::jsx(), SourceType::tsx()] {
        if let Attempt::Parsed(program) = run(allocator, source, source_type.with_module(true))
            && let Some(span) = FirstJsx::find(&program)
        {
            let message = "JSX is not supported in cells; call the element function of your library instead";
            return SyntaxFailure::at(cell, source, span.start, span.end, message);
        }
    }
    SyntaxFailure::from_diagnostic(cell, source, error)
}

/// Whether `await` is used as a name that the cell does not declare.
struct AwaitAsName(bool);

impl AwaitAsName {
    fn found(program: &Program<'_>) -> bool {
        let mut search = Self(false);
        search.visit_program(program);
        search.0
    }
}

impl<'a> Visit<'a> for AwaitAsName {
    fn visit_identifier_reference(&mut self, name: &IdentifierReference<'a>) {
        self.0 |= name.name == "await";
    }
}

/// `f<string>(x)` is two comparisons in JavaScript. Between `<` and `>` stands the name of a TypeScript type that is
/// no value here, so the JavaScript reading could only throw.
struct TypeArguments<'f> {
    is_value: &'f dyn Fn(&str) -> bool,
    found: bool,
}

const TYPE_NAMES: [&str; 9] = ["string", "number", "boolean", "any", "unknown", "never", "object", "symbol", "bigint"];

impl<'f> TypeArguments<'f> {
    fn found(program: &Program<'_>, is_value: &'f dyn Fn(&str) -> bool) -> bool {
        let mut search = Self { is_value, found: false };
        search.visit_program(program);
        search.found
    }
}

impl<'a> Visit<'a> for TypeArguments<'_> {
    fn visit_binary_expression(&mut self, outer: &oxc_ast::ast::BinaryExpression<'a>) {
        if let Expression::BinaryExpression(inner) = &outer.left
            && outer.operator.as_str() == ">"
            && inner.operator.as_str() == "<"
            && let Expression::Identifier(name) = &inner.right
            && matches!(outer.right, Expression::ParenthesizedExpression(_))
        {
            self.found |= TYPE_NAMES.contains(&name.name.as_str()) && !(self.is_value)(&name.name);
        }
        walk::walk_binary_expression(self, outer);
    }
}

struct FirstJsx(Option<oxc_span::Span>);

impl FirstJsx {
    fn find(program: &Program<'_>) -> Option<oxc_span::Span> {
        let mut search = Self(None);
        search.visit_program(program);
        search.0
    }
}

impl<'a> Visit<'a> for FirstJsx {
    fn visit_expression(&mut self, expression: &Expression<'a>) {
        if matches!(expression, Expression::JSXElement(_) | Expression::JSXFragment(_)) {
            self.0.get_or_insert(expression.span());
        }
        walk::walk_expression(self, expression);
    }
}
