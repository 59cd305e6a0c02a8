//! Where names live, and how to tell after a failure whether they were set.

use oxc_ast::ast::*;
use oxc_syntax::symbol::SymbolId;

use super::names::{Assigned, Marker, emitted};
use super::rewrite::{Mode, Rewriter, Touch};

impl Rewriter<'_> {
    /// The object a declared name lives on, when it is not the plain global.
    pub(super) fn home_of(&self, symbol: SymbolId) -> Option<String> {
        if let Some((_, base)) = self.properties.iter().rev().find(|(property, _)| *property == symbol) {
            return Some(base.clone());
        }
        let binding = &self.bindings[self.binding(symbol)?];
        if self.is_block_function(&binding.name) {
            return Some(emitted::GLOBAL.to_owned());
        }
        binding.on_session.then(|| emitted::SESSION.to_owned())
    }

    /// The object the name of a pattern lives on.
    pub(super) fn home_of_name(&self, name: &BindingIdentifier<'_>) -> Option<String> {
        if self.is_shadowed(&name.name) {
            return None;
        }
        self.home_of(name.symbol_id.get()?)
    }

    fn is_shadowed(&self, name: &str) -> bool {
        self.shadows.iter().any(|shadow| shadow == name)
    }

    /// The object a reference has to go through, and a note of what it assigns.
    pub(super) fn home_of_reference(&mut self, name: &IdentifierReference<'_>) -> Option<String> {
        self.check_name(&name.name, name.span);
        if self.mode == Mode::Module && self.properties.is_empty() {
            return None;
        }
        if self.is_shadowed(&name.name) {
            return None;
        }
        let reference = self.scoping.get_reference(name.reference_id.get()?);
        let writes = reference.is_write();
        let Some(symbol) = reference.symbol_id() else { return self.home_of_unresolved(name, writes) };
        if let Some(index) = self.binding(symbol)
            && writes
        {
            let kind = self.bindings[index].kind;
            if kind.is_constant() {
                return Some(emitted::CONSTANT.to_owned());
            }
            if kind.has_dead_zone() && self.depth == 0 && name.span.start < self.declared_at[index] {
                return Some(emitted::EARLY.to_owned());
            }
        }
        self.home_of(symbol)
    }

    fn home_of_unresolved(&mut self, name: &IdentifierReference<'_>, writes: bool) -> Option<String> {
        if self.mode == Mode::Module {
            return None;
        }
        let text = name.name.as_str();
        let known = (self.options.known)(text);
        let on_session = known.is_some_and(|known| known.on_session);
        if writes && known.is_some_and(|known| known.constant) {
            return Some(emitted::CONSTANT.to_owned());
        }
        if writes && self.depth == 0 {
            let index = self.assigned.iter().position(|assigned| assigned.name == text).unwrap_or_else(|| {
                let assigned = Assigned { name: text.to_owned(), on_session, marker: Marker::Start };
                self.assigned.push(assigned);
                self.assigned.len() - 1
            });
            self.touched.push(Touch::Assigned(index));
        }
        if self.is_block_function(text) {
            return Some(emitted::GLOBAL.to_owned());
        }
        // In a `with` block the name may be a property of its object; that reading stays possible.
        (on_session && self.with_depth == 0).then(|| emitted::SESSION.to_owned())
    }

    /// Notes that the current statement sets a declared name.
    pub(super) fn touch(&mut self, symbol: Option<SymbolId>) {
        if self.depth == 0
            && let Some(index) = symbol.and_then(|symbol| self.binding(symbol))
        {
            self.touched.push(Touch::Binding(index));
        }
    }

    /// Settles, at the end of a top-level statement, how to tell whether it set its names.
    pub(super) fn mark(&mut self, end: u32, unconditional: bool, last: bool) {
        if self.touched.is_empty() {
            return;
        }
        let touched = std::mem::take(&mut self.touched);
        let marker = if last {
            Marker::End
        } else if unconditional {
            Marker::After(self.marks + 1)
        } else {
            Marker::Unknown
        };
        let mut used = false;
        for touch in touched {
            let target = match touch {
                Touch::Binding(index) => {
                    let binding = &mut self.bindings[index];
                    if binding.kind.has_dead_zone() {
                        continue;
                    }
                    &mut binding.marker
                }
                Touch::Assigned(index) => &mut self.assigned[index].marker,
            };
            if *target == Marker::Start {
                *target = marker;
                used = true;
            }
        }
        if used && let Marker::After(number) = marker {
            self.marks = number;
            self.edits.insert_after(end, format!(";{}={number};", emitted::AT));
        }
    }
}
