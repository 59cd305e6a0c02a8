//! The walk: each kind of node goes to the part of the rewrite that knows it. One trait, so one (long) file.

use oxc_allocator::Vec as ArenaVec;
use oxc_ast::ast::*;
use oxc_ast_visit::{Visit, walk};
use oxc_span::GetSpan;
use oxc_syntax::scope::ScopeFlags;

use super::declarations::Place;
use super::rewrite::Rewriter;

impl<'a> Visit<'a> for Rewriter<'_> {
    fn visit_statements(&mut self, statements: &ArenaVec<'a, Statement<'a>>) {
        for statement in statements {
            self.in_list = true;
            self.visit_statement(statement);
        }
    }

    fn visit_statement(&mut self, statement: &Statement<'a>) {
        let list = std::mem::take(&mut self.in_list);
        match statement {
            Statement::ExpressionStatement(expression) => self.expression_statement(expression, list),
            Statement::VariableDeclaration(declaration) => self.variables(declaration, list),
            Statement::FunctionDeclaration(function) => self.function_declaration(function),
            _ => {
                self.in_list = list;
                walk::walk_statement(self, statement);
                self.in_list = false;
            }
        }
    }

    fn visit_declaration(&mut self, declaration: &Declaration<'a>) {
        let list = std::mem::take(&mut self.in_list);
        match declaration {
            Declaration::VariableDeclaration(declaration) => self.variables(declaration, list),
            Declaration::FunctionDeclaration(function) => self.function_declaration(function),
            Declaration::ClassDeclaration(class) if self.is_top_class(class) => self.assign_class(class),
            Declaration::ClassDeclaration(class) if class.declare => {
                self.blank(class.span.start, class.span.end, ";");
            }
            _ => walk::walk_declaration(self, declaration),
        }
    }

    fn visit_block_statement(&mut self, block: &BlockStatement<'a>) {
        self.block(block);
    }

    fn visit_switch_statement(&mut self, statement: &SwitchStatement<'a>) {
        self.switch(statement);
    }

    fn visit_if_statement(&mut self, statement: &IfStatement<'a>) {
        self.if_statement(statement);
    }

    fn visit_labeled_statement(&mut self, statement: &LabeledStatement<'a>) {
        self.labelled_statement(statement);
    }

    fn visit_for_of_statement(&mut self, statement: &ForOfStatement<'a>) {
        self.for_of(statement);
    }

    fn visit_for_in_statement(&mut self, statement: &ForInStatement<'a>) {
        self.for_in(statement);
    }

    fn visit_for_statement(&mut self, statement: &ForStatement<'a>) {
        self.for_loop(statement);
    }

    fn visit_while_statement(&mut self, statement: &WhileStatement<'a>) {
        self.while_loop(statement);
    }

    fn visit_do_while_statement(&mut self, statement: &DoWhileStatement<'a>) {
        self.do_while(statement);
    }

    fn visit_with_statement(&mut self, statement: &WithStatement<'a>) {
        self.with_block(statement);
    }

    fn visit_try_statement(&mut self, statement: &TryStatement<'a>) {
        self.try_checks(statement);
        walk::walk_try_statement(self, statement);
    }

    fn visit_catch_clause(&mut self, clause: &CatchClause<'a>) {
        self.catch_clause(clause);
    }

    fn visit_variable_declaration(&mut self, declaration: &VariableDeclaration<'a>) {
        if declaration.declare {
            return self.blank(declaration.span.start, declaration.span.end, ";");
        }
        walk::walk_variable_declaration(self, declaration);
    }

    fn visit_variable_declarator(&mut self, declarator: &VariableDeclarator<'a>) {
        self.visit_binding_pattern(&declarator.id);
        self.types_of(declarator);
        if let Some(init) = &declarator.init {
            self.visit_expression(init);
        }
    }

    fn visit_for_statement_init(&mut self, init: &ForStatementInit<'a>) {
        match init {
            ForStatementInit::VariableDeclaration(declaration) if self.outlives(declaration) => {
                self.assign(declaration, Place::Head);
            }
            _ => walk::walk_for_statement_init(self, init),
        }
    }

    fn visit_for_statement_left(&mut self, left: &ForStatementLeft<'a>) {
        match left {
            ForStatementLeft::VariableDeclaration(declaration) if self.outlives(declaration) => {
                self.assign_each(declaration);
            }
            _ => walk::walk_for_statement_left(self, left),
        }
    }

    fn visit_binding_identifier(&mut self, name: &BindingIdentifier<'a>) {
        self.bound_name(name);
    }

    fn visit_binding_property(&mut self, property: &BindingProperty<'a>) {
        self.bound_property(property);
    }

    fn visit_assignment_pattern(&mut self, pattern: &AssignmentPattern<'a>) {
        let name = match &pattern.left {
            BindingPattern::BindingIdentifier(name) => {
                name.symbol_id.get().and_then(|symbol| self.home_of(symbol)).map(|_| name.span)
            }
            _ => None,
        };
        self.visit_binding_pattern(&pattern.left);
        match name {
            Some(span) => self.named_value(&pattern.right, self.text(span), true),
            None => self.visit_expression(&pattern.right),
        }
    }

    fn visit_identifier_reference(&mut self, name: &IdentifierReference<'a>) {
        self.reference(name);
    }

    fn visit_object_property(&mut self, property: &ObjectProperty<'a>) {
        if property.shorthand
            && let Expression::Identifier(name) = &property.value
        {
            let base = self.home_of_reference(name);
            return self.shorthand(property.span, base, self.text(name.span));
        }
        walk::walk_object_property(self, property);
    }

    fn visit_assignment_target_property_identifier(&mut self, property: &AssignmentTargetPropertyIdentifier<'a>) {
        let base = self.home_of_reference(&property.binding);
        let redirected = base.is_some();
        let name = self.text(property.binding.span);
        self.shorthand(property.span, base, name);
        if let Some(default) = &property.init {
            self.named_value(default, name, redirected);
        }
    }

    fn visit_assignment_expression(&mut self, assignment: &AssignmentExpression<'a>) {
        if let AssignmentTarget::AssignmentTargetIdentifier(name) = &assignment.left {
            let base = self.home_of_reference(name);
            let redirected = base.is_some();
            if let Some(base) = base {
                self.edits.insert(name.span.start, format!("{base}."));
            }
            let name = self.text(name.span);
            return self.named_value(&assignment.right, name, redirected);
        }
        walk::walk_assignment_expression(self, assignment);
    }

    fn visit_call_expression(&mut self, call: &CallExpression<'a>) {
        self.expect_call(&call.callee);
        walk::walk_call_expression(self, call);
    }

    fn visit_tagged_template_expression(&mut self, template: &TaggedTemplateExpression<'a>) {
        self.expect_call(&template.tag);
        walk::walk_tagged_template_expression(self, template);
    }

    fn visit_unary_expression(&mut self, expression: &UnaryExpression<'a>) {
        if !self.delete(expression) {
            walk::walk_unary_expression(self, expression);
        }
    }

    fn visit_await_expression(&mut self, expression: &AwaitExpression<'a>) {
        self.step_start(expression.span);
        walk::walk_await_expression(self, expression);
        self.step_end(expression.span);
    }

    fn visit_yield_expression(&mut self, expression: &YieldExpression<'a>) {
        self.step_start(expression.span);
        walk::walk_yield_expression(self, expression);
        self.step_end(expression.span);
    }

    fn visit_import_expression(&mut self, import: &ImportExpression<'a>) {
        self.dynamic_import(import);
    }

    fn visit_import_meta(&mut self, meta: &ImportMeta) {
        self.meta(meta.span);
    }

    fn visit_function(&mut self, function: &Function<'a>, _: ScopeFlags) {
        if let Some(id) = &function.id {
            self.check_name(&id.name, id.span);
        }
        if function.declare
            || (function.body.is_none() && function.r#type != FunctionType::TSEmptyBodyFunctionExpression)
        {
            return self.blank(function.span.start, function.span.end, ";");
        }
        self.function_parts(function, None);
    }

    fn visit_arrow_function_expression(&mut self, arrow: &ArrowFunctionExpression<'a>) {
        self.arrow_function(arrow);
    }

    fn visit_formal_parameter(&mut self, parameter: &FormalParameter<'a>) {
        self.formal_parameter(parameter);
    }

    fn visit_class(&mut self, class: &Class<'a>) {
        self.class_parts(class);
    }

    fn visit_decorator(&mut self, decorator: &Decorator<'a>) {
        self.fail(decorator.span, "Decorators are not supported in cells; call the decorating function instead");
    }

    fn visit_import_declaration(&mut self, import: &ImportDeclaration<'a>) {
        self.import(import);
    }

    fn visit_export_declaration(&mut self, export: &ExportDeclaration<'a>) {
        self.export_declaration(export);
    }

    fn visit_export_default_declaration(&mut self, export: &ExportDefaultDeclaration<'a>) {
        self.export_default(export);
    }

    fn visit_export_named_declaration(&mut self, export: &ExportNamedDeclaration<'a>) {
        self.export_names(export);
    }

    fn visit_export_from_declaration(&mut self, export: &ExportFromDeclaration<'a>) {
        let with = export.with_clause.as_deref();
        self.export_from(export.span, &export.source, with, &export.specifiers, export.export_kind);
    }

    fn visit_export_all_declaration(&mut self, export: &ExportAllDeclaration<'a>) {
        self.export_from(export.span, &export.source, export.with_clause.as_deref(), &[], export.export_kind);
    }

    fn visit_ts_export_assignment(&mut self, export: &TSExportAssignment<'a>) {
        self.export_assignment(export);
    }

    fn visit_ts_import_equals_declaration(&mut self, import: &TSImportEqualsDeclaration<'a>) {
        self.import_equals(import);
    }

    fn visit_ts_namespace_export_declaration(&mut self, export: &TSNamespaceExportDeclaration<'a>) {
        self.blank(export.span.start, export.span.end, ";");
    }

    fn visit_ts_enum_declaration(&mut self, declaration: &TSEnumDeclaration<'a>) {
        self.enumeration(declaration, None);
    }

    fn visit_ts_namespace_declaration(&mut self, declaration: &TSNamespaceDeclaration<'a>) {
        self.namespace(declaration, None);
    }

    fn visit_ts_external_module_declaration(&mut self, declaration: &TSExternalModuleDeclaration<'a>) {
        self.blank(declaration.span.start, declaration.span.end, ";");
    }

    fn visit_ts_global_declaration(&mut self, declaration: &TSGlobalDeclaration<'a>) {
        self.blank(declaration.span.start, declaration.span.end, ";");
    }

    fn visit_ts_interface_declaration(&mut self, declaration: &TSInterfaceDeclaration<'a>) {
        self.blank(declaration.span.start, declaration.span.end, ";");
    }

    fn visit_ts_type_alias_declaration(&mut self, declaration: &TSTypeAliasDeclaration<'a>) {
        self.blank(declaration.span.start, declaration.span.end, ";");
    }

    fn visit_ts_type_annotation(&mut self, annotation: &TSTypeAnnotation<'a>) {
        self.blank_span(annotation.span);
    }

    fn visit_ts_type_parameter_declaration(&mut self, parameters: &TSTypeParameterDeclaration<'a>) {
        self.blank_span(parameters.span);
    }

    fn visit_ts_type_parameter_instantiation(&mut self, arguments: &TSTypeParameterInstantiation<'a>) {
        self.blank_span(arguments.span);
    }

    fn visit_ts_as_expression(&mut self, typed: &TSAsExpression<'a>) {
        self.visit_expression(&typed.expression);
        self.blank_after(typed.expression.span().end, typed.span.end);
    }

    fn visit_ts_satisfies_expression(&mut self, typed: &TSSatisfiesExpression<'a>) {
        self.visit_expression(&typed.expression);
        self.blank_after(typed.expression.span().end, typed.span.end);
    }

    fn visit_ts_non_null_expression(&mut self, typed: &TSNonNullExpression<'a>) {
        self.visit_expression(&typed.expression);
        self.blank(typed.expression.span().end, typed.span.end, "");
    }

    fn visit_ts_instantiation_expression(&mut self, typed: &TSInstantiationExpression<'a>) {
        self.visit_expression(&typed.expression);
        self.blank_after(typed.expression.span().end, typed.span.end);
    }

    fn visit_ts_type_assertion(&mut self, typed: &TSTypeAssertion<'a>) {
        self.blank(typed.span.start, typed.expression.span().start, "");
        self.visit_expression(&typed.expression);
    }
}
