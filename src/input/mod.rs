//! The input language: from what a model wrote to cells, each with its language. Pure: nothing here knows Node, starts
//! a process or reads a clock.
//!
//! Text arrives as a Rust string, so it is well formed: where a host's string held half of a surrogate pair, U+FFFD
//! stands in its place. That is one character of a title or of a string literal, never a reason to refuse the input.
//!
//! Everything runs in time linear in the length of the text: each line is classified once, a header line is tokenized
//! once, and a body is looked at a fixed number of times.

mod body;
mod canonical;
mod cell;
mod choose;
mod description;
mod fence;
mod grammar;
mod header;
mod json;
mod marker;
mod notice;
mod parse;
mod python_strings;
mod schema;
mod sniff;
mod text;
mod timeout;
mod tokens;

pub use canonical::canonical;
pub use cell::{LanguageOrigin, ParsedCell, ParsedEvalInput};
pub use choose::{Availability, Choice, choose};
pub use description::description;
pub use grammar::grammar;
pub use json::input_from_json;
pub use parse::parse;
pub use schema::parameters_schema;
pub use sniff::sniff;
pub use timeout::{Timeout, clamp_timeout};

#[cfg(test)]
mod tests;
