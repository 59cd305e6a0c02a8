//! The JavaScript that runs inside a worker, embedded so that the addon file is all there is.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

/// The variable by which a kernel's processes are found.
pub use crate::process::TAG;

/// What `new Worker(…, {eval: true})` evaluates: it loads the addon and then the [`PARTS`].
pub const BOOTSTRAP: &str = include_str!("runtime/bootstrap.js");

/// Evaluated in this order, each as a function of the one object that they share; those named `create…` are kept on it
/// as they are.
pub const PARTS: &[(&str, &str)] = &[
    ("createLossless", include_str!("runtime/lossless.js")),
    ("createPrelude", include_str!("runtime/prelude.js")),
    ("store", include_str!("runtime/store.js")),
    ("mend", include_str!("runtime/mend.js")),
    ("stop", include_str!("runtime/stop.js")),
    ("process", include_str!("runtime/process.js")),
    ("output", include_str!("runtime/output.js")),
    ("stacks", include_str!("runtime/stacks.js")),
    ("errors", include_str!("runtime/errors.js")),
    ("changes", include_str!("runtime/changes.js")),
    ("typescript", include_str!("runtime/typescript.js")),
    ("loader", include_str!("runtime/loader.js")),
    ("modules", include_str!("runtime/modules.js")),
    ("names", include_str!("runtime/names.js")),
    ("functions", include_str!("runtime/functions.js")),
    ("tools", include_str!("runtime/tools.js")),
    ("display", include_str!("runtime/display.js")),
    ("variables", include_str!("runtime/variables.js")),
    ("timers", include_str!("runtime/timers.js")),
    ("requests", include_str!("runtime/requests.js")),
    ("files", include_str!("runtime/files.js")),
    ("children", include_str!("runtime/children.js")),
    ("idle", include_str!("runtime/idle.js")),
    ("cells", include_str!("runtime/cells.js")),
];

/// V8's code of the parts, by name: one process has one V8, so what one worker compiled suits the next.
static CODE: Mutex<BTreeMap<String, Vec<u8>>> = Mutex::new(BTreeMap::new());

/// The kept code of a part. V8 checks that it belongs to the source, and to itself.
pub fn kept_code(name: &str) -> Option<Vec<u8>> {
    CODE.lock().unwrap_or_else(PoisonError::into_inner).get(name).cloned()
}

/// Keeps the code of a part of ours; anything else is ignored.
pub fn keep_code(name: String, code: &[u8]) {
    if PARTS.iter().any(|(part, _)| *part == name) {
        CODE.lock().unwrap_or_else(PoisonError::into_inner).insert(name, code.to_vec());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sources_are_ascii_which_v8_takes_as_they_are() {
        for (name, source) in PARTS {
            assert!(source.is_ascii(), "{name}");
        }
    }
}
