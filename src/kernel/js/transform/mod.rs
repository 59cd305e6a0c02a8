//! The cell transform.
