//! `import` and `export`. A cell's imports are loaded before it runs; its exports are ordinary declarations.

use oxc_ast::ast::*;
use oxc_ast_visit::Visit;
use oxc_span::{GetSpan, Span};

use super::failure::position;
use super::names::BindingKind;
use super::rewrite::{Mode, Rewriter};
use super::{ImportName, ImportRequest, Imported};

impl Rewriter<'_> {
    pub(super) fn import<'a>(&mut self, import: &ImportDeclaration<'a>) {
        if self.mode == Mode::Module {
            return self.import_of_file(import);
        }
        if let Some(phase) = import.phase {
            return self.fail(import.span, format!("'import {phase:?}' is not supported").to_lowercase());
        }
        self.blank(import.span.start, import.span.end, ";");
        let specifiers = import.specifiers.as_deref();
        if import.import_kind == ImportOrExportKind::Type {
            return;
        }
        let names: Vec<ImportName> =
            specifiers.into_iter().flatten().filter_map(|specifier| self.import_name(specifier)).collect();
        if specifiers.is_some_and(|specifiers| !specifiers.is_empty()) && names.is_empty() {
            // Only types.
            return;
        }
        self.request(import.span, &import.source, import.with_clause.as_deref(), names);
    }

    fn request(
        &mut self,
        span: Span,
        source: &StringLiteral<'_>,
        with: Option<&WithClause<'_>>,
        names: Vec<ImportName>,
    ) {
        let (line, column) = position(self.source, span.start);
        let attributes = with.map(|with| with.with_entries.as_slice()).unwrap_or_default();
        let attributes = attributes.iter().map(|entry| {
            let key = match &entry.key {
                ImportAttributeKey::Identifier(name) => name.name.to_string(),
                ImportAttributeKey::StringLiteral(text) => text.value.to_string(),
            };
            (key, entry.value.value.to_string())
        });
        let attributes = attributes.collect();
        self.imports.push(ImportRequest { specifier: source.value.to_string(), attributes, names, line, column });
    }

    fn import_name(&mut self, specifier: &ImportDeclarationSpecifier<'_>) -> Option<ImportName> {
        let (imported, local) = match specifier {
            ImportDeclarationSpecifier::ImportSpecifier(named) => {
                if named.import_kind == ImportOrExportKind::Type {
                    return None;
                }
                let name = named.imported.name().to_string();
                (if name == "default" { Imported::Default } else { Imported::Named(name) }, &named.local)
            }
            ImportDeclarationSpecifier::ImportDefaultSpecifier(default) => (Imported::Default, &default.local),
            ImportDeclarationSpecifier::ImportNamespaceSpecifier(all) => (Imported::Namespace, &all.local),
        };
        self.check_name(&local.name, local.span);
        let symbol = local.symbol_id.get();
        let on_session =
            symbol.and_then(|symbol| self.binding(symbol)).is_some_and(|index| self.bindings[index].on_session);
        let optional = symbol.is_some_and(|symbol| self.is_only_type(symbol));
        Some(ImportName { imported, local: local.name.to_string(), on_session, optional })
    }

    /// In a file the imports stay; what is only a type goes.
    fn import_of_file<'a>(&mut self, import: &ImportDeclaration<'a>) {
        let specifiers = import.specifiers.as_ref().map(|specifiers| specifiers.as_slice()).unwrap_or_default();
        let is_type = |specifier: &ImportDeclarationSpecifier<'a>| {
            let named_type = matches!(specifier, ImportDeclarationSpecifier::ImportSpecifier(named)
                if named.import_kind == ImportOrExportKind::Type);
            named_type || specifier.local().symbol_id.get().is_some_and(|symbol| self.is_only_type(symbol))
        };
        let types: Vec<Span> = specifiers.iter().filter(|specifier| is_type(specifier)).map(GetSpan::span).collect();
        let only_types = !specifiers.is_empty() && types.len() == specifiers.len();
        if import.import_kind == ImportOrExportKind::Type || only_types {
            return self.blank(import.span.start, import.span.end, ";");
        }
        for span in types {
            self.blank_item(span);
        }
    }

    /// Blanks one item of a list, with the comma behind it.
    fn blank_item(&mut self, span: Span) {
        let comma = self.skip_trivia(span.end);
        let end = if self.byte(comma) == Some(b',') { comma + 1 } else { span.end };
        self.blank(span.start, end, "");
    }

    pub(super) fn export_declaration<'a>(&mut self, export: &ExportDeclaration<'a>) {
        let declaration = &export.declaration;
        if matches!(declaration, Declaration::TSInterfaceDeclaration(_) | Declaration::TSTypeAliasDeclaration(_))
            || is_ambient(declaration)
        {
            return self.blank(export.span.start, export.span.end, ";");
        }
        let lowered = match declaration {
            Declaration::TSEnumDeclaration(_) => true,
            Declaration::TSNamespaceDeclaration(namespace) => super::lowered::has_values(&namespace.body),
            _ => false,
        };
        if self.mode == Mode::Cell {
            self.blank(export.span.start, declaration.span().start, "");
        } else if lowered && self.is_again(declaration) {
            // Only the first of several declarations is exported.
            self.blank(export.span.start, declaration.span().start, ";");
        } else if !lowered && matches!(declaration, Declaration::TSNamespaceDeclaration(_)) {
            return self.blank(export.span.start, export.span.end, ";");
        }
        self.in_list = true;
        self.visit_declaration(declaration);
    }

    fn is_again(&self, declaration: &Declaration<'_>) -> bool {
        let id = match declaration {
            Declaration::TSEnumDeclaration(declaration) => &declaration.id,
            Declaration::TSNamespaceDeclaration(declaration) => &declaration.id,
            _ => return false,
        };
        id.symbol_id.get().is_some_and(|symbol| self.joins(symbol))
    }

    pub(super) fn export_default<'a>(&mut self, export: &ExportDefaultDeclaration<'a>) {
        let start = export.declaration.span().start;
        let cell = self.mode == Mode::Cell;
        match &export.declaration {
            ExportDefaultDeclarationKind::TSInterfaceDeclaration(_) => {
                self.blank(export.span.start, export.span.end, ";");
            }
            ExportDefaultDeclarationKind::FunctionDeclaration(function) if function.body.is_none() => {
                self.blank(export.span.start, export.span.end, ";");
            }
            ExportDefaultDeclarationKind::ClassDeclaration(class) if cell && class.id.is_some() => {
                self.blank(export.span.start, start, "");
                self.assign_class(class);
            }
            ExportDefaultDeclarationKind::FunctionDeclaration(function) if cell && function.id.is_some() => {
                self.blank(export.span.start, start, "");
                self.assign_function(function);
            }
            declaration => {
                let end = declaration.span().end;
                if cell {
                    self.blank(export.span.start, start, "");
                    let before = if std::mem::take(&mut self.returns_value) { ";return (" } else { ";(" };
                    self.edits.insert(export.span.start, before);
                }
                self.visit_export_default_declaration_kind(declaration);
                if cell {
                    self.edits.insert_after(end, ")");
                }
            }
        }
    }

    /// `export {a, b}`.
    pub(super) fn export_names<'a>(&mut self, export: &ExportNamedDeclaration<'a>) {
        if self.mode == Mode::Cell || export.export_kind == ImportOrExportKind::Type {
            return self.blank(export.span.start, export.span.end, ";");
        }
        for specifier in &export.specifiers {
            let only_type = match &specifier.local {
                ModuleExportName::IdentifierReference(name) => {
                    let reference = name.reference_id.get().map(|id| self.scoping.get_reference(id));
                    let symbol = reference.and_then(|reference| reference.symbol_id());
                    symbol.is_some_and(|symbol| self.is_type_name(symbol))
                }
                _ => false,
            };
            if only_type || specifier.export_kind == ImportOrExportKind::Type {
                self.blank_item(specifier.span);
            }
        }
    }

    /// `export … from 'x'` in a cell loads the module and binds nothing.
    pub(super) fn export_from(
        &mut self,
        span: Span,
        source: &StringLiteral<'_>,
        with: Option<&WithClause<'_>>,
        specifiers: &[ExportSpecifier<'_>],
        kind: ImportOrExportKind,
    ) {
        if kind == ImportOrExportKind::Type {
            return self.blank(span.start, span.end, ";");
        }
        if self.mode == Mode::Cell {
            self.blank(span.start, span.end, ";");
            return self.request(span, source, with, Vec::new());
        }
        let types = specifiers.iter().filter(|specifier| specifier.export_kind == ImportOrExportKind::Type);
        for span in types.map(|specifier| specifier.span).collect::<Vec<_>>() {
            self.blank_item(span);
        }
    }

    /// `import x = require('y')` and `import x = A.B`.
    pub(super) fn import_equals<'a>(&mut self, import: &TSImportEqualsDeclaration<'a>) {
        if import.import_kind == ImportOrExportKind::Type {
            return self.blank(import.span.start, import.span.end, ";");
        }
        let symbol = import.id.symbol_id.get();
        let property = symbol.is_some_and(|symbol| self.is_property(symbol));
        let index = symbol.and_then(|symbol| self.binding(symbol)).filter(|_| self.depth == 0);
        if let Some(index) = index {
            self.bindings[index].kind = BindingKind::Const;
        }
        let keyword = if index.is_some() || property { ";" } else { "const" };
        self.blank(import.span.start, import.span.start + 6, keyword);
        self.bound_name(&import.id);
        match &import.module_reference {
            TSModuleReference::ExternalModuleReference(_) => {}
            TSModuleReference::IdentifierReference(name) => self.reference(name),
            TSModuleReference::QualifiedName(name) => self.visit_ts_qualified_name(name),
        }
    }

    pub(super) fn export_assignment<'a>(&mut self, export: &TSExportAssignment<'a>) {
        let start = export.expression.span().start;
        if self.mode == Mode::Cell {
            self.blank(export.span.start, start, "");
            let before = if std::mem::take(&mut self.returns_value) { ";return (" } else { ";(" };
            self.edits.insert(export.span.start, before);
        } else {
            self.edits.replace(Span::new(export.span.start, start), "module.exports = ");
        }
        self.visit_expression(&export.expression);
        if self.mode == Mode::Cell {
            self.edits.insert_after(export.expression.span().end, ")");
        }
    }
}

pub(super) fn is_ambient(declaration: &Declaration<'_>) -> bool {
    match declaration {
        Declaration::VariableDeclaration(declaration) => declaration.declare,
        Declaration::FunctionDeclaration(declaration) => declaration.declare || declaration.body.is_none(),
        Declaration::ClassDeclaration(declaration) => declaration.declare,
        Declaration::TSEnumDeclaration(declaration) => declaration.declare,
        Declaration::TSNamespaceDeclaration(declaration) => declaration.declare,
        Declaration::TSExternalModuleDeclaration(_) | Declaration::TSGlobalDeclaration(_) => true,
        _ => false,
    }
}
