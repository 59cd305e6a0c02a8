//! The memory that a tree is made in, kept from one cell to the next.

use std::cell::Cell;

use oxc_allocator::Allocator;

use crate::limits::TRANSFORM_ARENA_BYTES;

thread_local! {
    static KEPT: Cell<Option<Allocator>> = const { Cell::new(None) };
}

/// Lends an arena; what `work` makes in it is gone afterwards.
pub(super) fn with<T>(work: impl FnOnce(&Allocator) -> T) -> T {
    let mut allocator = KEPT.take().unwrap_or_default();
    let made = work(&allocator);
    if allocator.capacity() <= TRANSFORM_ARENA_BYTES {
        allocator.reset();
        KEPT.set(Some(allocator));
    }
    made
}
