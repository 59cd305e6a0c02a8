//! Where on the JavaScript stack a termination does harm.

/// Files of Node, and of ours, that keep state which a termination half-way would leave torn: a list of timers that is in
/// one table and no longer in the other keeps the thread spinning, a half-loaded module stays half loaded.
const KEEPERS: [&[u8]; 11] = [
    b"node:internal/timers",
    b"node:timers",
    b"node:internal/priority_queue",
    b"node:internal/linkedlist",
    b"node:internal/fixed_queue",
    b"node:internal/process/",
    b"node:internal/bootstrap/",
    b"node:internal/modules/",
    b"node:internal/deps/undici/",
    b"evalcell:timers.js",
    b"evalcell:mend.js",
];

/// Between the start of a child and our note of it. The rest of the file waits for children, which a stop cuts short.
const SPAWN: (&[u8], &[u8]) = (b"evalcell:children.js", b"spawn");

/// Files that a cell did not write. Node uses WebAssembly itself; what a cell runs of it, a function of the cell called.
const NOBODYS: [&[u8]; 3] = [b"node:", b"wasm:", b"evalcell:idle.js"];

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Verdict {
    Terminate,
    /// Soon, but not here; here only when it never comes out.
    Later,
    /// Anything thrown here ends the process.
    Never,
}

/// What an interrupt has seen of the stack, innermost frame first.
#[derive(Debug, Default)]
pub struct Seen {
    in_hook: bool,
    in_keeper: bool,
    in_cell: bool,
}

impl Seen {
    /// Takes the next frame. True when no other can change the verdict.
    pub fn frame(&mut self, script: &[u8], function: &[u8]) -> bool {
        // Node calls the hooks of `async_hooks`, and whoever handles an uncaught error, so that anything thrown in them
        // ends the process, a termination included. The one function of the first file that calls users' callbacks
        // itself is the trampoline; the second file is ours.
        self.in_hook |= (script == b"node:internal/async_hooks" && function != b"callbackTrampoline")
            || script == b"evalcell:errors.js";
        // Below a function of the cell, Node's own have called it, and are prepared for its failure.
        let is_keeper = KEEPERS.iter().any(|keeper| script.starts_with(keeper)) || (script, function) == SPAWN;
        self.in_keeper |= !self.in_cell && is_keeper;
        self.in_cell |= !NOBODYS.iter().any(|prefix| script.starts_with(prefix));
        self.in_hook
    }

    pub fn verdict(&self) -> Verdict {
        if self.in_hook {
            Verdict::Never
        } else if self.in_keeper || !self.in_cell {
            // Without a function of the cell on the stack there is nothing of it to stop.
            Verdict::Later
        } else {
            Verdict::Terminate
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn verdict(frames: &[(&str, &str)]) -> Verdict {
        let mut seen = Seen::default();
        for (script, function) in frames {
            if seen.frame(script.as_bytes(), function.as_bytes()) {
                break;
            }
        }
        seen.verdict()
    }

    #[test]
    fn code_of_a_cell_is_terminated_wherever_node_called_it() {
        let timers =
            [("cell-1", ""), ("node:internal/timers", "listOnTimeout"), ("node:internal/timers", "processTimers")];
        assert_eq!(verdict(&timers), Verdict::Terminate);
        assert_eq!(verdict(&[("node:fs", "statSync"), ("cell-1", "")]), Verdict::Terminate);
        assert_eq!(verdict(&[("evalcell:store.js", "_$tick"), ("cell-1", "")]), Verdict::Terminate);
        assert_eq!(verdict(&[("cell-1", ""), ("node:internal/async_hooks", "callbackTrampoline")]), Verdict::Terminate);
    }

    #[test]
    fn nodes_own_state_is_left_whole() {
        let timers = [("node:internal/timers", "listOnTimeout"), ("node:internal/timers", "processTimers")];
        assert_eq!(verdict(&timers), Verdict::Later);
        let loading = [("node:zlib", ""), ("node:internal/bootstrap/realm", "compileForPublicLoader"), ("cell-1", "")];
        assert_eq!(verdict(&loading), Verdict::Later);
        assert_eq!(verdict(&[("node:internal/deps/undici/undici", "fetch")]), Verdict::Later);
        let noting = [("evalcell:timers.js", "note"), ("evalcell:timers.js", "setTimeout"), ("cell-1", "")];
        assert_eq!(verdict(&noting), Verdict::Later);
        let starting = [("node:internal/child_process", "spawn"), ("evalcell:children.js", "spawn"), ("cell-1", "")];
        assert_eq!(verdict(&starting), Verdict::Later);
        assert_eq!(verdict(&[("evalcell:children.js", "spawnSync"), ("cell-1", "")]), Verdict::Terminate);
        let idle = [("evalcell:idle.js", "step"), ("node:internal/timers", "processImmediate")];
        assert_eq!(verdict(&idle), Verdict::Later);
        let parsing =
            [("node:internal/deps/undici/undici", "onBody"), ("wasm://wasm/1", ""), ("node:net", "onStreamRead")];
        assert_eq!(verdict(&parsing), Verdict::Later);
        assert_eq!(verdict(&[]), Verdict::Later);
    }

    #[test]
    fn nothing_is_thrown_where_it_would_end_the_process() {
        let hook = [("cell-1", "before"), ("node:internal/async_hooks", "emitHook"), ("cell-2", "")];
        assert_eq!(verdict(&hook), Verdict::Never);
        assert_eq!(verdict(&[("cell-1", "get stack"), ("evalcell:errors.js", "stray")]), Verdict::Never);
    }
}
