//! A working directory of the worker's own thread. The host keeps its own: nothing here reaches another thread.

/// Detaches this thread's working directory from that of the process. False where that cannot be done or is forbidden.
#[cfg(target_os = "linux")]
pub fn separate() -> bool {
    // SAFETY: affects only the calling thread's own view of the file system (directory, root, umask); needs no privilege.
    unsafe { nix::libc::unshare(nix::libc::CLONE_FS) == 0 }
}

/// Only Linux has it.
#[cfg(not(target_os = "linux"))]
pub fn separate() -> bool {
    false
}

/// Moves the calling thread, after [`separate`] said yes. False when the directory cannot be entered.
pub fn enter(directory: &str) -> bool {
    std::env::set_current_dir(directory).is_ok()
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn a_thread_that_separated_moves_alone() {
        let before = std::env::current_dir().expect("the tests have a directory");
        let folder = tempfile::tempdir().expect("a temporary folder");
        let path = folder.path().to_str().expect("its name is text").to_string();
        let thread = std::thread::spawn(move || {
            if !separate() {
                // Containers may forbid it; then nothing is moved.
                return None;
            }
            assert!(enter(&path));
            std::env::current_dir().ok()
        });
        let inside = thread.join().expect("the thread ends");
        assert!(inside.is_none_or(|inside| inside != before));
        assert_eq!(std::env::current_dir().expect("still there"), before);
    }
}
