//! What a worker's runtime says of the processes that cells start, and where its thread is.

use napi::Result;
use napi_derive::napi;

use super::js_worker::attached;

/// The thread is about to wait for a child process, or has come back from it.
#[napi(namespace = "__worker", skip_typescript, catch_unwind)]
pub fn synchronous_child(waiting: bool) -> Result<()> {
    attached()?.synchronous_child(waiting);
    Ok(())
}

/// A child has been started as the leader of its own group.
#[napi(namespace = "__worker", skip_typescript, catch_unwind)]
pub fn child_started(pid: i32) -> Result<()> {
    attached()?.child_started(pid);
    Ok(())
}

/// A child has ended. True when others of its group live on.
#[napi(namespace = "__worker", skip_typescript, catch_unwind)]
pub fn child_ended(pid: i32) -> Result<bool> {
    Ok(attached()?.child_ended(pid))
}

/// Ends the whole group that a child led.
#[napi(namespace = "__worker", skip_typescript, catch_unwind)]
pub fn kill_group(pid: i32) -> Result<()> {
    attached()?.kill_child(pid);
    Ok(())
}

/// Gives this thread a working directory of its own, when the system can, and enters `directory`.
#[napi(namespace = "__worker", skip_typescript, catch_unwind)]
pub fn own_directory(directory: String) -> bool {
    crate::kernel::js::directory::separate() && crate::kernel::js::directory::enter(&directory)
}

/// Moves this thread, which has a directory of its own.
#[napi(namespace = "__worker", skip_typescript, catch_unwind)]
pub fn change_directory(directory: String) -> bool {
    crate::kernel::js::directory::enter(&directory)
}
