//! The prelude's helpers, answered here: they never reach the host's tools.

use std::path::PathBuf;

use serde_json::value::RawValue;

use crate::prelude::{self, HelperContext};

/// Answers one call of a helper, from a thread that may wait for the disk. The answer says itself whether it went well.
pub fn answer(
    name: String,
    request: &RawValue,
    session_file: Option<PathBuf>,
    reply: impl FnOnce(Result<String, String>) + Send + 'static,
) {
    let request = request.get().to_owned();
    // The request names its directory: the kernel's own, wherever the cell has moved it.
    let context = HelperContext { cwd: PathBuf::from("/"), session_file };
    tokio::task::spawn_blocking(move || reply(Ok(prelude::answer(&name, &request, &context))));
}
