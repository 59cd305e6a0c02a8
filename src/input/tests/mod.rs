//! One file per topic; the snapshots show input and parsed cells side by side, for a person to review.

mod canonical;
mod choose;
mod description;
mod errors;
mod examples;
mod json;
mod properties;
mod sheet;
mod sniff;
mod timeout;
