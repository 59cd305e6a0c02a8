//! The state of one rewrite, and the questions every part of it asks.

use oxc_semantic::Scoping;
use oxc_span::Span;
use oxc_syntax::symbol::{SymbolFlags, SymbolId};

use super::edits::Edits;
use super::failure::SyntaxFailure;
use super::names::{Assigned, Binding, BindingKind, Marker, emitted};
use super::survey::{RootName, Survey};
use super::{ImportRequest, TransformOptions};

/// What is being rewritten.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Mode {
    /// A cell: names outlive it, stops reach it.
    Cell,
    /// A file loaded by path: only its types go.
    Module,
}

/// A name set by the statement being rewritten.
#[derive(Clone, Copy, Debug)]
pub(super) enum Touch {
    Binding(usize),
    Assigned(usize),
}

pub(super) struct Rewriter<'s> {
    pub(super) source: &'s str,
    pub(super) options: &'s TransformOptions<'s>,
    pub(super) scoping: &'s Scoping,
    pub(super) mode: Mode,
    pub(super) typescript: bool,
    pub(super) edits: Edits,
    pub(super) bindings: Vec<Binding>,
    pub(super) assigned: Vec<Assigned>,
    pub(super) imports: Vec<ImportRequest>,
    /// Spans of the top-level functions, once rewritten.
    pub(super) functions: Vec<Span>,
    pub(super) failure: Option<SyntaxFailure>,
    pub(super) is_async: bool,
    /// Whether the cell stands in a function of ours, where its own block functions would stay local.
    pub(super) wrapped: bool,
    /// Functions around the current place; 0 is the cell's own level.
    pub(super) depth: u32,
    /// Blocks around the current place, at level 0.
    pub(super) blocks: u32,
    /// Whether the innermost function can pause (async, generator), so that code can resume in it.
    pub(super) resumable: bool,
    /// Whether the statement about to be visited stands in a list, where `;` may come before it.
    pub(super) in_list: bool,
    /// Where the statement starts, when a `(` put there could be taken for a call.
    pub(super) statement_start: Option<u32>,
    /// Where the name starts that is about to be visited as what is called.
    pub(super) callee: Option<u32>,
    pub(super) strict: bool,
    /// Whether the expression statement about to be visited is the value of a cell in a function of ours.
    pub(super) returns_value: bool,
    /// Labels around the `for await` about to be visited.
    pub(super) labelled: Option<Span>,
    pub(super) with_depth: u32,
    /// Base of names that became properties: enum members and exported names of namespaces.
    pub(super) properties: Vec<(SymbolId, String)>,
    /// Enums and namespaces that were declared already, which a second declaration adds to.
    pub(super) merged: Vec<SymbolId>,
    pub(super) binding_of: Vec<u32>,
    pub(super) block_functions: Vec<String>,
    /// Names of functions in blocks that the top level declares with `let`, `const` or `class`.
    pub(super) kept_in: Vec<String>,
    /// Names that mean something local here, whatever the top level makes of them.
    pub(super) shadows: Vec<String>,
    pub(super) declared_at: Vec<u32>,
    top_functions: Vec<Span>,
    pub(super) touched: Vec<Touch>,
    pub(super) marks: u32,
}

const NONE: u32 = u32::MAX;

impl<'s> Rewriter<'s> {
    pub(super) fn new(
        source: &'s str,
        options: &'s TransformOptions<'s>,
        scoping: &'s Scoping,
        mode: Mode,
        typescript: bool,
    ) -> Self {
        Self {
            source,
            options,
            scoping,
            mode,
            typescript,
            edits: Edits::default(),
            bindings: Vec::new(),
            assigned: Vec::new(),
            imports: Vec::new(),
            functions: Vec::new(),
            failure: None,
            is_async: false,
            wrapped: false,
            depth: u32::from(mode == Mode::Module),
            blocks: 0,
            resumable: false,
            in_list: false,
            statement_start: None,
            callee: None,
            strict: false,
            returns_value: false,
            labelled: None,
            with_depth: 0,
            properties: Vec::new(),
            merged: Vec::new(),
            binding_of: vec![NONE; scoping.symbols_len()],
            block_functions: Vec::new(),
            kept_in: Vec::new(),
            shadows: Vec::new(),
            declared_at: Vec::new(),
            top_functions: Vec::new(),
            touched: Vec::new(),
            marks: 0,
        }
    }

    /// Takes over what the survey found: the names the cell makes, and how it has to run.
    pub(super) fn declare(&mut self, survey: &Survey<'_>, roots: Vec<RootName>, strict: bool) {
        self.is_async = survey.awaits;
        self.wrapped = survey.awaits || survey.returns;
        self.resumable = survey.awaits;
        for RootName { symbol, kind, start } in roots {
            let name = self.scoping.symbol_name(symbol);
            if matches!(name, "undefined" | "NaN" | "Infinity") {
                if !matches!(kind, BindingKind::Var) {
                    let message = format!("Identifier '{name}' has already been declared");
                    self.fail(self.scoping.symbol_span(symbol), message);
                }
                continue;
            }
            if let Ok(index) = u32::try_from(self.bindings.len()) {
                self.binding_of[symbol.index()] = index;
            }
            self.declared_at.push(start);
            let on_session = kind != BindingKind::BlockFunction && (self.options.platform_names)(name);
            let marker = if kind == BindingKind::BlockFunction { Marker::Unknown } else { Marker::Start };
            self.bindings.push(Binding { name: name.to_owned(), kind, on_session, marker });
        }
        self.strict = strict;
        self.top_functions.clone_from(&survey.functions);
        if strict {
            return;
        }
        for name in &survey.block_functions {
            let declared = self.bindings.iter().find(|binding| binding.name == **name).map(|binding| binding.kind);
            match declared {
                None => {
                    self.declared_at.push(0);
                    let (name, kind) = ((*name).to_owned(), BindingKind::BlockFunction);
                    self.bindings.push(Binding { name, kind, on_session: false, marker: Marker::Unknown });
                }
                Some(BindingKind::BlockFunction | BindingKind::Var | BindingKind::Function) => {}
                Some(_) => {
                    self.kept_in.push((*name).to_owned());
                    continue;
                }
            }
            self.block_functions.push((*name).to_owned());
        }
    }

    pub(super) fn fail(&mut self, span: Span, message: impl Into<String>) {
        if self.failure.is_none() {
            self.failure = Some(SyntaxFailure::at(self.options.cell, self.source, span.start, span.end, message));
        }
    }

    pub(super) fn text(&self, span: Span) -> &'s str {
        &self.source[span.start as usize..span.end as usize]
    }

    pub(super) fn blank(&mut self, start: u32, end: u32, first: &str) {
        self.edits.blank(self.source, Span::new(start, end), first);
    }

    pub(super) fn binding(&self, symbol: SymbolId) -> Option<usize> {
        let index = self.binding_of[symbol.index()];
        (index != NONE).then_some(index as usize)
    }

    /// Whether a function in a block, in a cell that stands in a function of ours, has to be copied out by hand.
    pub(super) fn is_block_function(&self, name: &str) -> bool {
        self.wrapped && self.block_functions.iter().any(|function| function == name)
    }

    /// Refuses the runtime's own names.
    pub(super) fn check_name(&mut self, name: &str, span: Span) {
        if name.starts_with(emitted::PREFIX) && emitted::ALL.contains(&name) && self.mode == Mode::Cell {
            self.fail(span, format!("'{name}' is a reserved name of the cell runtime"));
        }
    }

    /// Whether the name is used as a value, or can be: names that are only types need no import.
    pub(super) fn is_only_type(&self, symbol: SymbolId) -> bool {
        let mut as_type = false;
        for reference in self.scoping.get_resolved_references(symbol) {
            if reference.is_value() {
                return false;
            }
            as_type |= reference.is_type();
        }
        self.typescript && (as_type || self.mode == Mode::Module)
    }

    /// Whether an earlier declaration, or a class or function, has the name too: then a declaration adds to it.
    pub(super) fn joins(&self, symbol: SymbolId) -> bool {
        self.merged.contains(&symbol)
            || self.scoping.symbol_flags(symbol).intersects(SymbolFlags::Class | SymbolFlags::Function)
    }

    pub(super) fn is_top_function(&self, span: Span) -> bool {
        self.top_functions.contains(&span)
    }

    pub(super) fn is_type_name(&self, symbol: SymbolId) -> bool {
        !self.scoping.symbol_flags(symbol).intersects(SymbolFlags::Value | SymbolFlags::Import)
    }

    /// The next place that is neither white space nor a comment.
    pub(super) fn skip_trivia(&self, from: u32) -> u32 {
        let mut at = from as usize;
        loop {
            let rest = &self.source[at..];
            let trimmed = rest.trim_start();
            at += rest.len() - trimmed.len();
            let end = if trimmed.starts_with("//") {
                trimmed.find(super::edits::is_line_end)
            } else if trimmed.starts_with("/*") {
                trimmed.find("*/").map(|end| end + 2)
            } else {
                return u32::try_from(at).unwrap_or(u32::MAX);
            };
            at += end.unwrap_or(trimmed.len());
        }
    }

    pub(super) fn byte(&self, at: u32) -> Option<u8> {
        self.source.as_bytes().get(at as usize).copied()
    }
}
