//! The end of the host's process: what neither cleanup hooks nor dropped futures see.

use napi::bindgen_prelude::{FnArgs, Function};
use napi::{Env, Result};

use crate::kernel::registry;
use crate::process;

/// The function `host.js` calls from the `exit` event: `(code, whole process)`.
///
/// `process.exit()` and an uncaught error run no cleanup hook, so kernels are ended here. Node then joins its worker
/// threads; one that is blocked in a system call would make that wait for ever, so a timer of ours ends the process.
pub fn function(env: &Env, environment: u64) -> Result<Function<'_, FnArgs<(i32, bool)>, ()>> {
    env.create_function_from_closure("exiting", move |context| {
        let (code, whole_process): (i32, bool) = (context.get(0)?, context.get(1)?);
        registry::environment_ended(environment);
        if whole_process {
            process::kill_everything_now();
            arm_watchdog(code);
        }
        Ok(())
    })
}

#[cfg(unix)]
fn arm_watchdog(code: i32) {
    let thread = std::thread::Builder::new().name("evalcell-exit".into()).stack_size(64 * 1024);
    // Without the thread Node may hang on a blocked worker: no worse than without us.
    let _ = thread.spawn(move || {
        std::thread::sleep(crate::limits::EXIT_WATCHDOG);
        // SAFETY: `_exit` may be called from any thread and runs none of the handlers that could wait for the others.
        unsafe { nix::libc::_exit(code) }
    });
}

#[cfg(not(unix))]
fn arm_watchdog(_code: i32) {}
