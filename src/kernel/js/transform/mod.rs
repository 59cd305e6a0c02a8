//! The cell transform: one cell's source in, what a worker runs out. Pure; knows nothing of Node.
//!
//! Top-level names become properties of the worker's global object (or of a session object, where the platform has the
//! name already), so that they outlive the cell; everything else stays where the user wrote it. The text is edited by
//! spans: lines never change, and columns that moved are in a segment table. What the emitted code calls, and in which
//! order the runtime compiles, loads and runs, is described in `docs/javascript.md`.

mod arena;
mod blocks;
mod declarations;
mod edits;
mod failure;
mod functions;
mod homes;
mod loops;
mod lowered;
mod modules;
mod names;
mod parse;
mod program;
mod references;
mod rewrite;
mod room;
mod statements;
mod survey;
mod types;
mod visitor;

use oxc_allocator::Allocator;

pub use edits::{Segment, is_line_end, original_column};
pub use failure::SyntaxFailure;
pub use names::{Assigned, Binding, BindingKind, Known, Marker, Names, emitted};
use program::Last;
use rewrite::{Mode, Rewriter};
use survey::Survey;

/// What the transform is told about the session.
pub struct TransformOptions<'a> {
    /// The cell's name, for messages.
    pub cell: &'a str,
    /// Whether the worker's global had this name before the first cell.
    pub platform_names: &'a (dyn Fn(&str) -> bool + Sync),
    /// What earlier cells declared.
    pub known: &'a (dyn Fn(&str) -> Option<Known> + Sync),
}

/// What a worker runs: load `imports`, define `bindings`, run `hoisted`, run `main`.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Transformed {
    /// The cell.
    pub main: String,
    /// The cell's function declarations, where they have to exist before its other statements run.
    pub hoisted: Option<String>,
    /// Whether `main` gives a promise of the value.
    pub is_async: bool,
    /// Whether `main` has one line in front of the user's first.
    pub wrapped: bool,
    /// Whether the completion of `main` is the cell's value.
    pub has_value: bool,
    /// Modules to load before anything runs, in order.
    pub imports: Vec<ImportRequest>,
    /// Top-level names the cell declares, in source order.
    pub bindings: Vec<Binding>,
    /// Other names that its top-level code assigns.
    pub assigned: Vec<Assigned>,
    /// What moved within the lines of `main`.
    pub main_segments: Vec<Segment>,
    /// What moved within the lines of `hoisted`.
    pub hoisted_segments: Vec<Segment>,
    /// Whether the cell is TypeScript (and no JavaScript).
    pub typescript: bool,
}

/// One static `import` (or `export … from`).
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct ImportRequest {
    pub specifier: String,
    /// `with {type: 'json'}`, as pairs.
    pub attributes: Vec<(String, String)>,
    pub names: Vec<ImportName>,
    /// Where the statement stands, from 1.
    pub line: u32,
    pub column: u32,
}

/// One name an import binds.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct ImportName {
    pub imported: Imported,
    pub local: String,
    pub on_session: bool,
    /// TypeScript uses it only as a type here: no error when the module does not have it.
    pub optional: bool,
}

#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Imported {
    Default,
    Namespace,
    Named(String),
}

/// Transforms one cell.
///
/// # Errors
///
/// Everything that real engines report before a script runs, and what cells do not support (JSX, decorators, top-level
/// `using`), with its place.
pub fn transform(source: &str, options: &TransformOptions<'_>) -> Result<Transformed, SyntaxFailure> {
    room::with_room(source, || transform_here(source, options)).unwrap_or_else(|| Err(too_deep(options.cell, source)))
}

fn too_deep(cell: &str, source: &str) -> SyntaxFailure {
    SyntaxFailure::at(cell, source, 0, 0, "The source is nested too deeply")
}

fn transform_here(source: &str, options: &TransformOptions<'_>) -> Result<Transformed, SyntaxFailure> {
    arena::with(|allocator| transform_in(allocator, source, options))
}

fn transform_in(
    allocator: &Allocator,
    source: &str,
    options: &TransformOptions<'_>,
) -> Result<Transformed, SyntaxFailure> {
    let is_value = |name: &str| (options.platform_names)(name) || (options.known)(name).is_some();
    let parsed = parse::parse(allocator, source, options.cell, &is_value)?;
    let program = parsed.program;
    let survey = Survey::of(program);
    let mut rewriter = Rewriter::new(source, options, &parsed.scoping, Mode::Cell, parsed.typescript);
    rewriter.declare(&survey, survey.root_names(&parsed.scoping), program.has_use_strict_directive());
    let last = Last::of(program);
    let hoists = rewriter.program(program, last);
    if let Some(failure) = rewriter.failure.take() {
        return Err(failure);
    }
    let (hoisted, (main, main_segments)) = rewriter.scripts(program, hoists);
    let (hoisted, hoisted_segments) = hoisted.map_or((None, Vec::new()), |(text, moved)| (Some(text), moved));
    Ok(Transformed {
        main,
        hoisted,
        is_async: rewriter.is_async,
        wrapped: rewriter.wrapped,
        has_value: last.has_value() || survey.returns,
        imports: rewriter.imports,
        bindings: rewriter.bindings,
        assigned: rewriter.assigned,
        main_segments,
        hoisted_segments,
        typescript: parsed.typescript,
    })
}

/// Removes the types of a TypeScript file that is loaded by path. Imports and exports stay, and so do lines and columns.
///
/// # Errors
///
/// As [`transform`]; `name` is the file's.
pub fn transform_module(source: &str, name: &str) -> Result<String, SyntaxFailure> {
    room::with_room(source, || module_here(source, name)).unwrap_or_else(|| Err(too_deep(name, source)))
}

fn module_here(source: &str, name: &str) -> Result<String, SyntaxFailure> {
    let allocator = Allocator::default();
    let options = TransformOptions { cell: name, platform_names: &|_| false, known: &|_| None };
    let parsed = parse::parse_module(&allocator, source, name)?;
    let mut rewriter = Rewriter::new(source, &options, &parsed.scoping, Mode::Module, true);
    rewriter.program(parsed.program, Last::Other(None));
    if let Some(failure) = rewriter.failure.take() {
        return Err(failure);
    }
    let (_, (text, _)) = rewriter.scripts(parsed.program, false);
    Ok(text)
}
