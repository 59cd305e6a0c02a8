//! `enum` and `namespace` have values: they become functions that fill an object, on the same lines.

use oxc_ast::ast::*;
use oxc_ast_visit::Visit;
use oxc_span::{GetSpan, Span};
use oxc_syntax::operator::{BinaryOperator, UnaryOperator};
use oxc_syntax::symbol::SymbolId;

use super::rewrite::{Mode, Rewriter};

/// What is known of an enum member's value without running anything.
#[derive(Clone, Debug, PartialEq)]
enum Value {
    Number(f64),
    Text,
    Unknown,
}

impl Rewriter<'_> {
    /// The text in front of the function, and what the function is called with: `A=` and `{}`, or `A` for what is
    /// added to an earlier declaration. `exported_from` is the namespace the declaration is exported from.
    fn object_start(&mut self, id: &BindingIdentifier<'_>, exported_from: Option<&str>) -> (String, String) {
        let name = self.text(id.span);
        let symbol = id.symbol_id.get();
        let joins = symbol.is_some_and(|symbol| self.joins(symbol));
        self.merged.extend(symbol.filter(|_| !joins));
        if let Some(owner) = exported_from {
            return (format!(";{owner}.{name}="), format!("{owner}.{name}||{{}}"));
        }
        let top = self.depth == 0 && symbol.is_some_and(|symbol| self.binding(symbol).is_some());
        if top {
            self.touch(symbol);
            let base =
                symbol.and_then(|symbol| self.home_of(symbol)).map(|base| format!("{base}.")).unwrap_or_default();
            // A class or function of this name in the cell is added to; what an earlier cell left is not.
            let argument = if joins { format!("{base}{name}") } else { "{}".to_owned() };
            return (format!(";{base}{name}="), argument);
        }
        if joins {
            return (format!(";{name}="), name.to_owned());
        }
        let keyword = if self.mode == Mode::Module && self.depth == 1 { "var" } else { "let" };
        (format!("{keyword} {name}="), "{}".to_owned())
    }

    /// Replaces the text up to and including the opening brace, keeping its line ends.
    fn open(&mut self, start: u32, brace: u32, text: &str) {
        let lines: String =
            self.text(Span::new(start, brace)).chars().filter(|letter| super::edits::is_line_end(*letter)).collect();
        self.edits.replace(Span::new(start, brace + 1), format!("{text}{lines}"));
    }

    pub(super) fn enumeration<'a>(&mut self, declaration: &TSEnumDeclaration<'a>, exported_from: Option<&str>) {
        if declaration.declare {
            return self.blank(declaration.span.start, declaration.span.end, ";");
        }
        self.check_name(&declaration.id.name, declaration.id.span);
        let name = self.text(declaration.id.span).to_owned();
        let (before, argument) = self.object_start(&declaration.id, exported_from);
        self.open(declaration.span.start, declaration.body.span.start, &format!("{before}(function({name}){{"));
        let outer = self.enter(false);
        let mut values: Vec<(String, Value)> = Vec::new();
        let scope = declaration.body.scope_id.get();
        for member in &declaration.body.members {
            let symbol =
                scope.and_then(|scope| self.scoping.get_binding(scope, member.id.static_name().as_str().into()));
            self.properties.extend(symbol.map(|symbol| (symbol, name.clone())));
        }
        for member in &declaration.body.members {
            let value = self.enum_member(member, &name, &values);
            values.push((member.id.static_name().to_string(), value));
        }
        if let Some(last) = declaration.body.members.last() {
            let comma = self.skip_trivia(last.span.end);
            if self.byte(comma) == Some(b',') {
                self.blank(comma, comma + 1, "");
            }
        }
        self.leave(outer);
        let end = declaration.body.span.end;
        self.edits.replace(Span::new(end - 1, end), format!(";return {name}}})({argument});"));
    }

    /// `X` becomes `A[A["X"]=0]="X"`; a text has no way back: `A["X"]='x'`.
    fn enum_member<'a>(&mut self, member: &TSEnumMember<'a>, name: &str, earlier: &[(String, Value)]) -> Value {
        let key = match &member.id {
            TSEnumMemberName::Identifier(id) => format!("\"{}\"", self.text(id.span)),
            TSEnumMemberName::String(text) | TSEnumMemberName::ComputedString(text) => self.text(text.span).to_owned(),
            TSEnumMemberName::ComputedTemplateString(text) => self.text(text.span).to_owned(),
        };
        let Some(init) = &member.initializer else {
            let (value, text) = match earlier.last() {
                None => (Value::Number(0.0), "0".to_owned()),
                Some((_, Value::Number(number))) => (Value::Number(number + 1.0), format!("{}", number + 1.0)),
                Some((previous, _)) => (Value::Unknown, format!("{name}[{previous:?}]+1")),
            };
            self.edits.replace(member.span, format!("{name}[{name}[{key}]={text}]={key}"));
            return value;
        };
        let value = evaluate(init, earlier);
        let (before, after) = match &value {
            Value::Text => (format!("{name}[{key}]="), String::new()),
            Value::Number(_) => (format!("{name}[{name}[{key}]="), format!("]={key}")),
            Value::Unknown => {
                (format!("(typeof({name}[{key}]="), format!(")===\"string\"||({name}[{name}[{key}]]={key}))"))
            }
        };
        let init_start = init.span().start;
        let lines: String = self
            .text(Span::new(member.span.start, init_start))
            .chars()
            .filter(|letter| super::edits::is_line_end(*letter))
            .collect();
        self.edits.replace(Span::new(member.span.start, init_start), format!("{before}{lines}"));
        self.visit_expression(init);
        self.edits.insert_after(init.span().end, after);
        value
    }

    pub(super) fn namespace<'a>(&mut self, declaration: &TSNamespaceDeclaration<'a>, exported_from: Option<&str>) {
        if declaration.declare || !has_values(&declaration.body) {
            return self.blank(declaration.span.start, declaration.span.end, ";");
        }
        self.check_name(&declaration.id.name, declaration.id.span);
        let name = self.text(declaration.id.span).to_owned();
        let (before, argument) = self.object_start(&declaration.id, exported_from);
        let head = format!("{before}(function({name}){{");
        let outer = self.enter(false);
        match &declaration.body {
            TSNamespaceDeclarationBody::TSNamespaceDeclaration(inner) => {
                // `namespace A.B {}`: the inner one is exported from the outer one.
                self.open(declaration.span.start, inner.span.start - 1, &head);
                self.namespace(inner, Some(&name));
                self.edits.insert_after(declaration.span.end, format!("return {name}}})({argument});"));
            }
            TSNamespaceDeclarationBody::TSModuleBlock(block) => {
                self.open(declaration.span.start, block.span.start, &head);
                self.namespace_body(block, &name);
                let end = block.span.end;
                self.edits.replace(Span::new(end - 1, end), format!(";return {name}}})({argument});"));
            }
        }
        self.leave(outer);
    }

    fn namespace_body<'a>(&mut self, block: &TSModuleBlock<'a>, name: &str) {
        for statement in &block.body {
            self.exported_variables(statement, name);
        }
        let start = block.span.start + 1;
        for statement in &block.body {
            let Statement::ExportDeclaration(export) = statement else {
                self.in_list = true;
                self.visit_statement(statement);
                continue;
            };
            let declaration = &export.declaration;
            let keyword = (export.span.start, declaration.span().start);
            match declaration {
                Declaration::FunctionDeclaration(function) if function.body.is_some() && !function.declare => {
                    self.blank(keyword.0, keyword.1, ";");
                    if let Some(id) = &function.id {
                        let function_name = self.text(id.span);
                        self.edits.insert(start, format!("{name}.{function_name}={function_name};"));
                    }
                    self.in_list = true;
                    self.visit_declaration(declaration);
                }
                Declaration::ClassDeclaration(class) if !class.declare => {
                    self.blank(keyword.0, keyword.1, ";");
                    self.visit_declaration(declaration);
                    if let Some(id) = &class.id {
                        let class_name = self.text(id.span);
                        self.edits.insert_after(class.span.end, format!(";{name}.{class_name}={class_name};"));
                    }
                }
                Declaration::VariableDeclaration(variables) if !variables.declare => {
                    self.blank(keyword.0, keyword.1, ";");
                    self.in_list = true;
                    self.visit_declaration(declaration);
                }
                Declaration::TSEnumDeclaration(inner) if !inner.declare => {
                    self.blank(keyword.0, keyword.1, ";");
                    self.export_object(inner.id.symbol_id.get(), name);
                    self.enumeration(inner, Some(name));
                }
                Declaration::TSNamespaceDeclaration(inner) if !inner.declare && has_values(&inner.body) => {
                    self.blank(keyword.0, keyword.1, ";");
                    self.export_object(inner.id.symbol_id.get(), name);
                    self.namespace(inner, Some(name));
                }
                Declaration::TSImportEqualsDeclaration(import) => {
                    self.blank(keyword.0, keyword.1, ";");
                    self.export_object(import.id.symbol_id.get(), name);
                    self.visit_declaration(declaration);
                }
                _ => self.blank(export.span.start, export.span.end, ";"),
            }
        }
    }

    /// Exported variables are properties of the namespace, everywhere in it.
    fn exported_variables(&mut self, statement: &Statement<'_>, name: &str) {
        if let Statement::ExportDeclaration(export) = statement
            && let Declaration::VariableDeclaration(variables) = &export.declaration
        {
            for declarator in &variables.declarations {
                for id in declarator.id.get_binding_identifiers() {
                    self.properties.extend(id.symbol_id.get().map(|symbol| (symbol, name.to_owned())));
                }
            }
        }
    }

    fn export_object(&mut self, symbol: Option<SymbolId>, name: &str) {
        self.properties.extend(symbol.map(|symbol| (symbol, name.to_owned())));
    }
}

/// Whether a namespace has anything but types in it.
pub(super) fn has_values(body: &TSNamespaceDeclarationBody<'_>) -> bool {
    match body {
        TSNamespaceDeclarationBody::TSNamespaceDeclaration(inner) => !inner.declare && has_values(&inner.body),
        TSNamespaceDeclarationBody::TSModuleBlock(block) => block.body.iter().any(|statement| match statement {
            Statement::TSInterfaceDeclaration(_) | Statement::TSTypeAliasDeclaration(_) => false,
            Statement::TSNamespaceDeclaration(inner) => !inner.declare && has_values(&inner.body),
            Statement::ExportDeclaration(export) => match &export.declaration {
                Declaration::TSInterfaceDeclaration(_) | Declaration::TSTypeAliasDeclaration(_) => false,
                Declaration::TSNamespaceDeclaration(inner) => !inner.declare && has_values(&inner.body),
                _ => true,
            },
            _ => true,
        }),
    }
}

fn evaluate(expression: &Expression<'_>, earlier: &[(String, Value)]) -> Value {
    let known = |name: &str| earlier.iter().rev().find(|(known, _)| known == name).map(|(_, value)| value.clone());
    match expression {
        Expression::NumericLiteral(literal) => Value::Number(literal.value),
        Expression::StringLiteral(_) => Value::Text,
        Expression::TemplateLiteral(template) if template.expressions.is_empty() => Value::Text,
        Expression::ParenthesizedExpression(inner) => evaluate(&inner.expression, earlier),
        Expression::Identifier(name) => known(&name.name).unwrap_or(Value::Unknown),
        Expression::StaticMemberExpression(member) => known(&member.property.name).unwrap_or(Value::Unknown),
        Expression::UnaryExpression(unary) => match (unary.operator, evaluate(&unary.argument, earlier)) {
            (UnaryOperator::UnaryNegation, Value::Number(number)) => Value::Number(-number),
            (UnaryOperator::UnaryPlus, Value::Number(number)) => Value::Number(number),
            _ => Value::Unknown,
        },
        Expression::BinaryExpression(binary) => {
            let sides = (evaluate(&binary.left, earlier), evaluate(&binary.right, earlier));
            match (binary.operator, sides) {
                (BinaryOperator::Addition, (Value::Text, Value::Text | Value::Number(_)))
                | (BinaryOperator::Addition, (Value::Number(_), Value::Text)) => Value::Text,
                (operator, (Value::Number(left), Value::Number(right))) => arithmetic(operator, left, right),
                _ => Value::Unknown,
            }
        }
        _ => Value::Unknown,
    }
}

fn arithmetic(operator: BinaryOperator, left: f64, right: f64) -> Value {
    /// The 32 bits JavaScript's bit operators see, where the number is in their range.
    fn bits(number: f64) -> Option<i32> {
        let whole = number as i32;
        (f64::from(whole) == number).then_some(whole)
    }
    let both = bits(left).zip(bits(right));
    let number = match operator {
        BinaryOperator::Addition => Some(left + right),
        BinaryOperator::Subtraction => Some(left - right),
        BinaryOperator::Multiplication => Some(left * right),
        BinaryOperator::Division => Some(left / right),
        BinaryOperator::BitwiseOR => both.map(|(left, right)| f64::from(left | right)),
        BinaryOperator::BitwiseAnd => both.map(|(left, right)| f64::from(left & right)),
        BinaryOperator::BitwiseXOR => both.map(|(left, right)| f64::from(left ^ right)),
        BinaryOperator::ShiftLeft => {
            both.map(|(left, right)| f64::from(left.wrapping_shl(u32::try_from(right & 31).unwrap_or(0))))
        }
        _ => None,
    };
    number.filter(|number| number.is_finite()).map_or(Value::Unknown, Value::Number)
}
