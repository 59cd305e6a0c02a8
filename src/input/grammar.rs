//! The grammar that constrains what a model writes.

/// A Lark grammar of cell text, stricter than the parser: the canonical header with its attributes in their fixed order,
/// `py` and `js` only, and a final `*** End`. It uses no look-around, so that constrained decoders can run it.
pub fn grammar() -> &'static str {
    include_str!("grammar.lark")
}
