//! Names: those the emitted code uses, those a cell declares, those a session remembers.

use std::collections::BTreeMap;

/// Names the worker's runtime puts on the global. Their meaning stands where they are emitted.
pub mod emitted {
    /// Whether some run was stopped. `false` for ever in most sessions, so V8 folds the check away.
    pub const STOP: &str = "_$stop";
    /// Ends the current run when it is a stopped one.
    pub const HALT: &str = "_$halt";
    /// Gives its argument back, after the same check.
    pub const STEP: &str = "_$step";
    /// `import()` from the session's directory; as wide as the word it replaces.
    pub const LOAD: &str = "_$load";
    /// `import.meta`.
    pub const META: &str = "_$meta";
    /// The session's names that the platform also has.
    pub const SESSION: &str = "_$s";
    /// The global object.
    pub const GLOBAL: &str = "_$g";
    /// Writes to constants: throws.
    pub const CONSTANT: &str = "_$const";
    /// Writes that stand before their `let`: throws while that has not run.
    pub const EARLY: &str = "_$early";
    /// How far the cell came.
    pub const AT: &str = "_$at";

    /// Does nothing; V8 looks for interrupts when it is entered.
    pub const TICK: &str = "_$tick";

    pub const ALL: [&str; 11] = [STOP, HALT, STEP, LOAD, META, SESSION, GLOBAL, CONSTANT, EARLY, AT, TICK];
    /// What every reserved name begins with.
    pub const PREFIX: &str = "_$";
    /// The check at function entry, exactly as emitted.
    pub const CHECK: &str = "if(_$stop)_$halt();";
    /// In each round of a loop, exactly as emitted; and around a body that is no block.
    pub const TICK_CALL: &str = "_$tick();";
    pub const TICK_OPEN: &str = "{/*_$*/_$tick();";
    pub const TICK_CLOSE: &str = "/*_$*/}";
    /// The check in front of an arrow function's expression, exactly as emitted.
    pub const CHECK_EXPRESSION: &str = "_$stop&&_$halt(),";
}

/// What kind of declaration made a top-level name.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum BindingKind {
    Var,
    Let,
    Const,
    Class,
    Function,
    /// A function declared in a block: a sloppy script gives it a top-level name too.
    BlockFunction,
    Import,
    Enum,
    Namespace,
}

impl BindingKind {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Var => "var",
            Self::Let => "let",
            Self::Const => "const",
            Self::Class => "class",
            Self::Function => "function",
            Self::BlockFunction => "block-function",
            Self::Import => "import",
            Self::Enum => "enum",
            Self::Namespace => "namespace",
        }
    }

    /// Whether reading the name before its declaration has run is an error.
    pub fn has_dead_zone(self) -> bool {
        matches!(self, Self::Let | Self::Const | Self::Class)
    }

    /// Whether assigning to the name is an error.
    pub fn is_constant(self) -> bool {
        matches!(self, Self::Const | Self::Import)
    }
}

/// A top-level name a cell declares.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Binding {
    pub name: String,
    pub kind: BindingKind,
    /// Whether it lives on the session object, because the platform's global has the name too.
    pub on_session: bool,
    /// How to tell after a failure whether it was set; kinds with a dead zone tell by themselves.
    pub marker: Marker,
}

/// A name that top-level code assigns without declaring it here (`total += 1`).
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Assigned {
    pub name: String,
    pub on_session: bool,
    pub marker: Marker,
}

/// When a name counts as set.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Marker {
    /// As soon as the cell's code has started.
    Start,
    /// When the progress mark has reached this number, or the value has changed.
    After(u32),
    /// When the cell ended normally, or the value has changed.
    End,
    /// When the value has changed: it is set in a branch, a loop or a `try`.
    Unknown,
}

/// What an earlier cell of the session declared.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Known {
    pub on_session: bool,
    pub constant: bool,
}

/// The session's memory of declared names.
#[derive(Clone, Debug, Default)]
pub struct Names {
    known: BTreeMap<String, Known>,
}

impl Names {
    pub fn new() -> Self {
        Self::default()
    }

    pub fn known(&self, name: &str) -> Option<Known> {
        self.known.get(name).copied()
    }

    /// Remembers what a cell declared, once it has ended. `bound` says which names it came to set: a `const` whose
    /// initialiser threw is no constant, and leaves an older binding what it was.
    pub fn record(&mut self, bindings: &[Binding], bound: &dyn Fn(&str) -> bool) {
        for binding in bindings.iter().filter(|binding| bound(&binding.name)) {
            let known = Known { on_session: binding.on_session, constant: binding.kind.is_constant() };
            self.known.insert(binding.name.clone(), known);
        }
    }

    /// Every name, sorted.
    pub fn iter(&self) -> impl Iterator<Item = (&str, Known)> {
        self.known.iter().map(|(name, known)| (name.as_str(), *known))
    }
}
