//! Prelude helpers: one implementation for both languages.
