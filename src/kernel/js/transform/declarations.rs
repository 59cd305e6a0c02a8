//! Top-level declarations become assignments in the same columns.

use oxc_ast::ast::*;
use oxc_ast_visit::Visit;
use oxc_span::GetSpan;
use oxc_syntax::symbol::SymbolId;

use super::references::is_anonymous_function;
use super::rewrite::{Mode, Rewriter};

/// Where a declaration stands, which decides what may take the place of its keyword.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Place {
    /// A statement among others.
    List,
    /// The only statement of an `if`, a loop or a label.
    Single,
    /// The head of a `for`.
    Head,
}

impl Rewriter<'_> {
    /// Whether the names of this declaration outlive their block: then they are no variables of ours.
    pub(super) fn outlives(&self, declaration: &VariableDeclaration<'_>) -> bool {
        if declaration.declare {
            return false;
        }
        let mut outlives = false;
        for declarator in &declaration.declarations {
            for name in declarator.id.get_binding_identifiers() {
                outlives |= name.symbol_id.get().is_some_and(|symbol| {
                    (self.depth == 0 && self.binding(symbol).is_some()) || self.is_property(symbol)
                });
            }
        }
        // Without names (`var {} = x`) it is still our job when nothing else would let it stand.
        outlives || (self.depth == 0 && self.mode == Mode::Cell && declaration.kind.is_var())
    }

    pub(super) fn is_property(&self, symbol: SymbolId) -> bool {
        self.properties.iter().any(|(property, _)| *property == symbol)
    }

    /// `const {a} = x` becomes `;    ({a} = x)`, `let x` becomes `;   x=void 0;`.
    pub(super) fn assign(&mut self, declaration: &VariableDeclaration<'_>, place: Place) {
        if declaration.kind.is_using() {
            let message = "'using' at the top level of a cell is not supported; put it in a block or a function";
            return self.fail(declaration.span, message);
        }
        let start = declaration.span.start;
        let keyword = if declaration.kind.is_const() { 5 } else { 3 };
        let Some(first) = declaration.declarations.first() else { return };
        let pattern = matches!(first.id, BindingPattern::ObjectPattern(_)) && place != Place::Head;
        let filler = match (place, pattern) {
            (Place::List, true) => "; (",
            (Place::List, false) => ";",
            (Place::Single, true) => "  (",
            (Place::Single | Place::Head, _) => "",
        };
        self.blank(start, start + keyword, filler);
        let lexical = declaration.kind.is_lexical();
        let all_bare = declaration.declarations.iter().all(|declarator| declarator.init.is_none());
        if place == Place::List && !lexical && all_bare {
            return self.blank(start + keyword, declaration.span.end, "");
        }
        let last = declaration.declarations.len() - 1;
        let closed = self.source.as_bytes().get(declaration.span.end as usize - 1) == Some(&b';');
        for (index, declarator) in declaration.declarations.iter().enumerate() {
            self.declarator(declarator, lexical);
            if index == 0 && pattern {
                self.edits.insert_after(declarator.span.end, ")");
            }
            if index == last && declarator.init.is_none() && !closed && place != Place::Head {
                self.edits.insert_after(declarator.span.end, ";");
            }
        }
    }

    /// The left side of `for (var x of …)`.
    pub(super) fn assign_each(&mut self, declaration: &VariableDeclaration<'_>) {
        let start = declaration.span.start;
        let Some(declarator) = declaration.declarations.first() else { return };
        if declarator.init.is_some() {
            // `for (var x = 1 in y)`: only a declaration can have it.
            return self.visit_binding_pattern(&declarator.id);
        }
        self.blank(start, start + 3, "");
        // `for (async of` and `for (let of` mean something else.
        let guarded = matches!(&declarator.id, BindingPattern::BindingIdentifier(name)
            if matches!(name.name.as_str(), "async" | "let"));
        if guarded {
            self.edits.insert(declarator.id.span().start, "(");
        }
        self.touch_all(declarator);
        self.visit_binding_pattern(&declarator.id);
        self.types_of(declarator);
        if guarded {
            self.edits.insert_after(declarator.id.span().end, ")");
        }
    }

    fn declarator<'a>(&mut self, declarator: &VariableDeclarator<'a>, lexical: bool) {
        let Some(init) = &declarator.init else {
            if lexical {
                self.visit_binding_pattern(&declarator.id);
                self.types_of(declarator);
                self.edits.insert_after(declarator.span.end, "=void 0");
            } else {
                // Declares, and sets nothing.
                self.blank(declarator.span.start, declarator.span.end, "0");
            }
            return;
        };
        self.touch_all(declarator);
        let single = match &declarator.id {
            BindingPattern::BindingIdentifier(name) => name.symbol_id.get().map(|symbol| (symbol, name.span)),
            _ => None,
        };
        let redirected =
            single.is_some_and(|(symbol, _)| self.home_of(symbol).is_some()) && is_anonymous_function(init);
        self.visit_binding_pattern(&declarator.id);
        self.types_of(declarator);
        match single {
            Some((_, span)) if redirected => {
                let name = self.text(span);
                self.named_value(init, name, true);
            }
            _ => self.visit_expression(init),
        }
    }

    fn touch_all(&mut self, declarator: &VariableDeclarator<'_>) {
        for name in declarator.id.get_binding_identifiers() {
            self.touch(name.symbol_id.get());
        }
    }

    pub(super) fn types_of<'a>(&mut self, declarator: &VariableDeclarator<'a>) {
        if declarator.definite {
            let at = self.skip_trivia(declarator.id.span().end);
            self.blank(at, at + 1, "");
        }
        if let Some(annotation) = &declarator.type_annotation {
            self.visit_ts_type_annotation(annotation);
        }
    }

    /// `function f(a) {…}` becomes `f=function /*f*/(a) {…};`: the name stays readable, and inside the function it is
    /// the session's, not a constant of the function itself.
    pub(super) fn assign_function<'a>(&mut self, function: &Function<'a>) {
        let Some(id) = &function.id else { return };
        if function.body.is_none() || function.declare {
            return self.blank(function.span.start, function.span.end, ";");
        }
        self.check_name(&id.name, id.span);
        let name = self.text(id.span);
        let base = id.symbol_id.get().and_then(|symbol| self.home_of(symbol));
        let (before, after) = match base {
            Some(base) => (format!("{base}.{name}=({{{name}:"), format!("}}).{name};")),
            None => (format!("{name}="), ";".to_owned()),
        };
        self.functions.push(function.span);
        self.edits.insert(function.span.start, before);
        self.edits.replace(id.span, format!("/*{name}*/"));
        self.function_parts(function, None);
        self.edits.insert_after(function.span.end, after);
    }

    /// `class A {…}` becomes `;A=class A {…};`.
    pub(super) fn assign_class<'a>(&mut self, class: &Class<'a>) {
        let Some(id) = &class.id else { return };
        if class.declare {
            return self.blank(class.span.start, class.span.end, ";");
        }
        let base = id.symbol_id.get().and_then(|symbol| self.home_of(symbol));
        let base = base.map(|base| format!("{base}.")).unwrap_or_default();
        self.edits.insert(class.span.start, format!(";{base}{}=", self.text(id.span)));
        self.visit_class(class);
        self.edits.insert_after(class.span.end, ";");
    }

    /// The names of a pattern: each goes to where it lives.
    pub(super) fn bound_name(&mut self, name: &BindingIdentifier<'_>) {
        self.check_name(&name.name, name.span);
        if let Some(base) = self.home_of_name(name) {
            self.edits.insert(name.span.start, format!("{base}."));
        }
    }

    pub(super) fn bound_property<'a>(&mut self, property: &BindingProperty<'a>) {
        if !property.shorthand {
            if property.computed {
                self.visit_property_key(&property.key);
            }
            return self.visit_binding_pattern(&property.value);
        }
        let (name, default) = match &property.value {
            BindingPattern::BindingIdentifier(name) => (name, None),
            BindingPattern::AssignmentPattern(pattern) => match &pattern.left {
                BindingPattern::BindingIdentifier(name) => (name, Some(&pattern.right)),
                _ => return,
            },
            _ => return,
        };
        self.check_name(&name.name, name.span);
        let base = self.home_of_name(name);
        let redirected = base.is_some();
        self.shorthand(property.span, base, self.text(name.span));
        if let Some(default) = default {
            self.named_value(default, self.text(name.span), redirected);
        }
    }
}
