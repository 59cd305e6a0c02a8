//! Room on the stack: the parser and the walk recurse as deep as the source nests, and a cell must not end the host.

use std::thread;

use crate::limits::{
    TRANSFORM_INLINE_BYTES, TRANSFORM_INLINE_DEPTH, TRANSFORM_MAX_DEPTH, TRANSFORM_MAX_STACK, TRANSFORM_MIN_STACK,
};

/// The most stack one byte of source can cost: an opening bracket, in a build without optimisations.
const BYTES_PER_BRACKET: usize = 4 * 1024;
/// The same for what nests without brackets: a prefix operator.
const BYTES_PER_OPERATOR: usize = 400;

/// Runs `work` where `source` has room. `None`: it nests deeper than anything could hold.
pub(super) fn with_room<T: Send>(source: &str, work: impl FnOnce() -> T + Send) -> Option<T> {
    let depth = bracket_depth(source);
    if source.len() <= TRANSFORM_INLINE_BYTES && depth <= TRANSFORM_INLINE_DEPTH {
        return Some(work());
    }
    if depth > TRANSFORM_MAX_DEPTH {
        return None;
    }
    let brackets = source.len().saturating_mul(BYTES_PER_BRACKET).min(TRANSFORM_MAX_STACK);
    let stack = brackets.max(source.len().saturating_mul(BYTES_PER_OPERATOR)).max(TRANSFORM_MIN_STACK);
    thread::scope(|scope| {
        let worker = thread::Builder::new().name("transform".to_owned()).stack_size(stack).spawn_scoped(scope, work);
        // A panic over there is one here.
        worker.ok()?.join().map_or_else(|panic| std::panic::resume_unwind(panic), Some)
    })
}

/// How deep brackets nest. Counted in the bare text, strings and comments included, so never too low.
fn bracket_depth(source: &str) -> usize {
    let (mut depth, mut deepest) = (0_usize, 0);
    for byte in source.bytes() {
        match byte {
            b'(' | b'[' | b'{' => {
                depth += 1;
                deepest = deepest.max(depth);
            }
            b')' | b']' | b'}' => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    deepest
}
