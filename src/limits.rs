//! Every timeout, limit and default, once, with its unit.

use std::time::Duration;

/// Deadline of a cell that names none (`timeouts.defaultMs`).
pub const DEFAULT_TIMEOUT: Duration = Duration::from_secs(30);
/// Shortest deadline a cell can get (`timeouts.minMs`).
pub const MIN_TIMEOUT: Duration = Duration::from_secs(1);
/// Longest deadline a cell can get (`timeouts.maxMs`); also what `t:0` means.
pub const MAX_TIMEOUT: Duration = Duration::from_secs(600);
/// How long an interrupted cell may take to end before its kernel is killed.
pub const INTERRUPT_GRACE: Duration = Duration::from_secs(2);
/// How long `dispose` and `disposeOwner` wait for a kernel that was asked to exit before they kill it.
pub const EXIT_GRACE: Duration = Duration::from_secs(2);
/// Start-up budget of a kernel (`python.startupTimeoutMs`), never the cell's.
pub const STARTUP_TIMEOUT: Duration = Duration::from_secs(30);
/// How long Node may take to end after its `exit` event before the process is ended for it.
pub const EXIT_WATCHDOG: Duration = Duration::from_millis(500);
/// Idle time after which a Python kernel is closed (`idleTimeoutMs`).
pub const IDLE_TIMEOUT: Duration = Duration::from_secs(300);
/// How many Python kernels may be idle at once (`maxKernels`).
pub const MAX_KERNELS: usize = 4;

/// Bytes of output shown (`output.maxBytes`).
pub const MAX_OUTPUT_BYTES: usize = 51_200;
/// Lines of output shown (`output.maxLines`).
pub const MAX_OUTPUT_LINES: usize = 3_000;
/// Bytes of a `returns: 'json'` value (`output.maxValueBytes`).
pub const MAX_VALUE_BYTES: usize = 32_768;
/// Characters of one `display[k]:` block in the text.
pub const MAX_DISPLAY_CHARACTERS: usize = 8_000;
/// Bytes of live output in one update.
pub const MAX_UPDATE_BYTES: usize = 100 * 1024;
/// Shortest time between two updates that are not status changes.
pub const UPDATE_INTERVAL: Duration = Duration::from_millis(50);

/// Bytes of one protocol line.
pub const FRAME_MAX_BYTES: usize = 64 * 1024 * 1024;

/// Heap of a JavaScript worker, in MB (`js.limits.maxOldGenerationSizeMb`).
pub const JS_HEAP_MB: u32 = 2_048;
/// Array buffers of a JavaScript worker, in MB (`js.limits.maxArrayBufferMb`).
pub const JS_ARRAY_BUFFER_MB: u32 = 4_096;

/// Bytes of source that are transformed on the caller's own stack; longer cells get a thread with a larger one.
pub const TRANSFORM_INLINE_BYTES: usize = 2_048;
/// Brackets within brackets that are transformed on the caller's own stack.
pub const TRANSFORM_INLINE_DEPTH: usize = 64;
/// Brackets within brackets that a cell may have at all.
pub const TRANSFORM_MAX_DEPTH: usize = 100_000;
/// Bytes of stack reserved (not used) for a transform of its own: least, and most for its brackets.
pub const TRANSFORM_MIN_STACK: usize = 16 * 1024 * 1024;
pub const TRANSFORM_MAX_STACK: usize = 1024 * 1024 * 1024;
