//! Every timeout, limit and default, once, with its unit.

use std::time::Duration;

/// Deadline of a cell that names none (`timeouts.defaultMs`).
pub const DEFAULT_TIMEOUT: Duration = Duration::from_secs(30);
/// Shortest deadline a cell can get (`timeouts.minMs`).
pub const MIN_TIMEOUT: Duration = Duration::from_secs(1);
/// Longest deadline a cell can get (`timeouts.maxMs`); also what `t:0` means.
pub const MAX_TIMEOUT: Duration = Duration::from_secs(600);
/// What a larger request for a deadline is taken for, before the host's maximum is applied: far from any overflow.
pub const LONGEST_TIMEOUT_REQUEST: Duration = Duration::from_secs(30 * 24 * 3_600);
/// How long an interrupted cell may take to end before its kernel is killed. With the kill itself, within 2 s.
pub const INTERRUPT_GRACE: Duration = Duration::from_millis(1_950);
/// How long a killed kernel may take to end its run before the call ends without it.
pub const KILL_GRACE: Duration = Duration::from_secs(2);
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

/// How often the hunt for a kernel's processes starts over when it still finds some.
pub const KILL_ROUNDS: usize = 20;
/// How long the hunt waits for one killed process to be gone before it looks again.
pub const KILL_WAIT: Duration = Duration::from_millis(100);
/// How long a run may wait behind a background task of the idle Python kernel before that task is interrupted.
pub const IDLE_TASK_GRACE: Duration = Duration::from_millis(150);
/// When SIGINT is sent again to a Python cell that has not ended, counted from the signal before.
pub const INTERRUPT_REPEATS: [Duration; 5] = [
    Duration::from_millis(20),
    Duration::from_millis(80),
    Duration::from_millis(300),
    Duration::from_millis(600),
    Duration::from_millis(900),
];
/// Capacity of a Python kernel's output pipe, in bytes, where the system allows it.
pub const PYTHON_PIPE_BYTES: usize = 1024 * 1024;
/// Bytes of a Python kernel's output or frames read at once.
pub const PYTHON_READ_BYTES: usize = 256 * 1024;
/// Characters of one text that a Python cell displays; the rest is cut. At twelve bytes each it still fits one line.
pub const PYTHON_TEXT_MAX: usize = 5 * 1024 * 1024;
/// Bytes of one image that a Python cell displays; of a larger one only its size is told.
pub const PYTHON_IMAGE_MAX: usize = 32 * 1024 * 1024;
/// How deep a status event of a Python kernel may be nested: hosts write events as JSON, which recurses.
pub const PYTHON_STATUS_DEPTH: usize = 100;
/// How long somebody who connects to a kernel's local socket may take to say who it is.
pub const PYTHON_INTRODUCTION: Duration = Duration::from_secs(10);
/// How long frames that a kernel sent just before its end are waited for, where they come over a local socket.
pub const PYTHON_LAST_FRAMES: Duration = Duration::from_millis(100);
/// Bytes of the answer of an executable that is asked which Python it is.
pub const PYTHON_ANSWER_BYTES: usize = 16 * 1024;
/// The oldest Python that runs cells.
pub const PYTHON_OLDEST: (u32, u32) = (3, 9);
/// Lines and bytes of a failed start's output that its message shows: the last ones.
pub const START_OUTPUT: (usize, usize) = (20, 2_000);
/// Bytes of output between cells that are kept for the next result; the newest.
pub const BACKGROUND_BYTES: usize = 64 * 1024;

/// Heap of a JavaScript worker, in MB (`js.limits.maxOldGenerationSizeMb`).
pub const JS_HEAP_MB: u32 = 2_048;
/// Array buffers of a JavaScript worker, in MB (`js.limits.maxArrayBufferMb`).
pub const JS_ARRAY_BUFFER_MB: u32 = 4_096;

/// How long the host's `allocateArtifact` may take for all files of one call; what has no place then stays where it is.
pub const ALLOCATE_TIMEOUT: Duration = Duration::from_secs(5);
/// Decoded bytes of one image in a result; a larger one goes to a file.
pub const MAX_IMAGE_BYTES: usize = 5 * 1024 * 1024;
/// Decoded bytes of all images in a result.
pub const MAX_DETAILS_IMAGE_BYTES: usize = 32 * 1024 * 1024;
/// Bytes of all JSON outputs in a result, and of all status events.
pub const MAX_DETAILS_JSON_BYTES: usize = 16 * 1024 * 1024;
/// JSON outputs, images or status events in a result.
pub const MAX_DETAILS_ENTRIES: usize = 10_000;
/// JSON text of a prelude helper's result: it must fit one protocol line with room for its frame.
pub const HELPER_RESULT_MAX_BYTES: usize = FRAME_MAX_BYTES - 1024 * 1024;
/// Entries that `tree` shows.
pub const TREE_MAX_ENTRIES: usize = 10_000;
/// Bytes of JavaScript background output kept between two results.
pub const JS_BACKGROUND_BYTES: usize = 1024 * 1024;
/// Stray rejections and late throws kept between two results.
pub const JS_BACKGROUND_ERRORS: usize = 50;
/// Shortest time between two interrupts of one JavaScript run.
pub const JS_INTERRUPT_INTERVAL: Duration = Duration::from_millis(50);
/// After this an interrupt is requested again that arrived where a termination does harm.
pub const JS_INTERRUPT_RETRY: Duration = Duration::from_micros(100);
/// How long an interrupt is put off, [`JS_INTERRUPT_RETRY`] at a time, while it meets only Node's own code. Loading `fetch` is
/// the longest that must be waited for.
pub const JS_INTERRUPT_PATIENCE: Duration = Duration::from_millis(500);
/// An array buffer up to this size is granted over the limit, and the worker ended: Node cannot bear its refusal.
pub const JS_SMALL_ARRAY_BUFFER_BYTES: usize = 1024 * 1024;
/// Bytes read at once from what a JavaScript cell's children print.
pub const JS_PIPE_READ_BYTES: usize = 64 * 1024;
/// How many scripts' column tables a JavaScript session keeps for its stacks.
pub const JS_REMEMBERED_CELLS: usize = 2_000;
/// How long `close` waits for a killed JavaScript thread before it abandons it.
pub const JS_ABANDON_WAIT: Duration = Duration::from_millis(500);

/// Shortest budget of an evaluated runtime's `dispose` and of a case's `cleanup`, where there is one at all.
pub const EVAL_CLOSE_TIMEOUT: Duration = Duration::from_secs(10);
/// Longest `timeoutMs` of an eval case, in milliseconds: what a Node timer can wait.
pub const EVAL_MAX_TIMEOUT_MS: u32 = 2_147_483_647;
/// Most trials and retries of one eval case.
pub const EVAL_MAX_COUNT: u32 = 1_000_000;
/// Lines of code or output in a rendered preview.
pub const PREVIEW_LINES: usize = 10;
/// Depth and items of a level of a rendered JSON tree: collapsed.
pub const TREE_COLLAPSED: (usize, usize) = (2, 5);
/// Depth and items of a level of a rendered JSON tree: expanded.
pub const TREE_EXPANDED: (usize, usize) = (6, 20);

/// The most memory that a thread keeps, in bytes, for the tree of the next cell.
pub const TRANSFORM_ARENA_BYTES: usize = 256 * 1024;

/// Bytes of source that are transformed on the caller's own stack; longer cells get a thread with a larger one.
pub const TRANSFORM_INLINE_BYTES: usize = 2_048;
/// Brackets within brackets that are transformed on the caller's own stack.
pub const TRANSFORM_INLINE_DEPTH: usize = 64;
/// Brackets within brackets that a cell may have at all.
pub const TRANSFORM_MAX_DEPTH: usize = 100_000;
/// Bytes of stack reserved (not used) for a transform of its own: least, and most for its brackets.
pub const TRANSFORM_MIN_STACK: usize = 16 * 1024 * 1024;
pub const TRANSFORM_MAX_STACK: usize = 1024 * 1024 * 1024;

/// Time that `diff` looks for the shortest difference; then it finishes the quick way. Below [`INTERRUPT_GRACE`]: in a
/// JavaScript cell nothing can interrupt it.
pub const DIFF_EFFORT: Duration = Duration::from_secs(1);

/// A run that ends within this is quick: the next one is waited for where it was started, at most so long. It is the
/// longest that one call holds up the host's event loop.
pub const QUICK_RUN: Duration = Duration::from_micros(200);

/// Longest input, in bytes of JSON, that the host's own thread begins to read; more is left to another thread.
pub const INLINE_INPUT_BYTES: usize = 16 * 1024;
