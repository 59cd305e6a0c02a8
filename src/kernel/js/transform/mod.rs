//! Stand-in with the signatures of the real transform: no bindings, no checks, no imports.

pub struct TransformOptions<'a> {
    pub cell: &'a str,
    pub platform_names: &'a dyn Fn(&str) -> bool,
    pub known: &'a dyn Fn(&str) -> Option<Known>,
}
#[derive(Clone, Copy)]
pub struct Known {
    pub on_session: bool,
    pub constant: bool,
}
#[derive(Default)]
pub struct Names {}
impl Names {
    pub fn new() -> Self {
        Self {}
    }
    pub fn known(&self, _name: &str) -> Option<Known> {
        None
    }
    pub fn record(&mut self, _bindings: &[Binding], _bound: &dyn Fn(&str) -> bool) {}
    pub fn iter(&self) -> impl Iterator<Item = (&str, Known)> {
        std::iter::empty()
    }
}
pub struct Transformed {
    pub main: String,
    pub hoisted: Option<String>,
    pub is_async: bool,
    pub wrapped: bool,
    pub has_value: bool,
    pub imports: Vec<ImportRequest>,
    pub bindings: Vec<Binding>,
    pub assigned: Vec<Assigned>,
    pub main_segments: Vec<Segment>,
    pub hoisted_segments: Vec<Segment>,
    pub typescript: bool,
}
pub struct Binding {
    pub name: String,
    pub kind: BindingKind,
    pub on_session: bool,
    pub marker: Marker,
}
#[derive(Clone, Copy)]
pub enum BindingKind {
    Var,
    Let,
    Const,
    Class,
    Function,
    BlockFunction,
    Import,
    Enum,
    Namespace,
}
impl BindingKind {
    pub fn as_str(self) -> &'static str {
        "var"
    }
    pub fn has_dead_zone(self) -> bool {
        false
    }
}
pub struct Assigned {
    pub name: String,
    pub on_session: bool,
    pub marker: Marker,
}
#[derive(Clone, Copy)]
pub enum Marker {
    Start,
    After(u32),
    End,
    Unknown,
}
pub struct ImportRequest {
    pub specifier: String,
    pub attributes: Vec<(String, String)>,
    pub names: Vec<ImportName>,
    pub line: u32,
    pub column: u32,
}
pub struct ImportName {
    pub imported: Imported,
    pub local: String,
    pub on_session: bool,
    pub optional: bool,
}
pub enum Imported {
    Default,
    Namespace,
    Named(String),
}
#[derive(Clone, Copy)]
pub struct Segment {
    pub line: u32,
    pub generated: u32,
    pub original: u32,
}
pub fn original_column(_segments: &[Segment], _line: u32, column: u32) -> u32 {
    column
}
#[derive(Debug)]
pub struct SyntaxFailure {
    pub message: String,
    pub line: u32,
    pub column: u32,
    pub source_line: String,
    pub caret: String,
}
impl std::fmt::Display for SyntaxFailure {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(&self.message)
    }
}
pub fn transform(source: &str, _options: &TransformOptions<'_>) -> Result<Transformed, SyntaxFailure> {
    let is_async = source.contains("await");
    Ok(Transformed {
        main: if is_async { format!("(async () => {{\n{source}\n}})()") } else { source.to_string() },
        hoisted: None,
        is_async,
        wrapped: is_async,
        has_value: true,
        imports: Vec::new(),
        bindings: Vec::new(),
        assigned: Vec::new(),
        main_segments: Vec::new(),
        hoisted_segments: Vec::new(),
        typescript: false,
    })
}
pub fn transform_module(source: &str, _name: &str) -> Result<String, SyntaxFailure> {
    Ok(source.to_string())
}
