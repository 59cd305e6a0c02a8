//! Lossless JSON at the border between a kernel, this crate and the host.
//!
//! What crosses is JSON **text**, checked here and carried digit for digit; nothing in this module recurses, so depth is
//! limited by size alone. Rules beyond plain JSON (RFC 8259):
//!
//! - a number must be one that a JavaScript number holds: no NaN, no infinity (`1e400`), no negative zero;
//! - a literal without fraction and exponent must be held **exactly** (`2**53`, `2**60` yes, `2**53 + 1` no);
//! - lone surrogates cross as `\udXXX` escapes, which JavaScript and Python read and [`repair_surrogates`] replaces for Rust.
//!
//! The same rules are applied by the senders, in `src/kernel/*/runtime/lossless.*`; this is the receiver's half.

mod check;
mod number;
mod place;
mod scan;
mod text;

pub use check::{check, depth, is_json};
pub use place::Place;
pub use text::{quote, repair_surrogates, string_value};

use std::fmt;

/// Why a text is not lossless JSON.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Refused {
    /// Where, e.g. `args.rows[3].id`; empty for the top of a text whose root has no name.
    pub place: String,
    /// What is wrong there, e.g. `NaN`, `9007199254740993 is an integer that a JavaScript number cannot hold exactly`.
    pub problem: String,
}

impl fmt::Display for Refused {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.place.is_empty() {
            write!(formatter, "not lossless JSON: {}", self.problem)
        } else {
            write!(formatter, "not lossless JSON at {}: {}", self.place, self.problem)
        }
    }
}

impl std::error::Error for Refused {}
