//! A limit for what V8 does not count as heap: the memory of array buffers and `Buffer`s.
//!
//! Every worker's isolate has an allocator object of its own. Its virtual table is replaced, for that one object, by a copy
//! whose allocating functions count. A large request over the limit is refused where the one who asks can bear it, which
//! JavaScript sees as a `RangeError` (V8 collects garbage and tries again first). Elsewhere a refusal would abort the whole
//! process: there the request is granted and the worker is ended.

use std::ffi::c_void;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use crate::limits::JS_SMALL_ARRAY_BUFFER_BYTES;

type Allocate = unsafe extern "C" fn(*mut c_void, usize) -> *mut c_void;
type Free = unsafe extern "C" fn(*mut c_void, *mut c_void, usize);

/// Places in the virtual table of `v8::ArrayBuffer::Allocator`: two destructors come first; later ones are only copied.
const ALLOCATE: usize = 2;
const ALLOCATE_UNINITIALIZED: usize = 3;
const FREE: usize = 4;
/// More than any version has; what lies behind a table is read-only data of the executable as well.
const SLOTS: usize = 16;

/// Itanium layout: two words before the address that objects point to.
#[repr(C)]
struct Table {
    offset_to_top: *const c_void,
    type_info: *const c_void,
    slots: [*const c_void; SLOTS],
    original: *const *const c_void,
    used: AtomicUsize,
    limit: usize,
    exhausted: AtomicBool,
    guard: Guard,
}

/// How the isolate's owner decides, on the allocating thread. Neither may run JavaScript.
#[derive(Clone, Copy)]
pub struct Guard {
    /// Whether the code that asks can bear a refusal.
    pub may_refuse: fn() -> bool,
    /// A request went over the limit and was granted all the same.
    pub exhausted: fn(),
}

/// Limits the allocator at `allocator` to `limit` bytes.
///
/// # Safety
/// `allocator` is the live allocator of the calling thread's isolate, not limited before.
pub unsafe fn limit(allocator: *mut c_void, limit: usize, guard: Guard) {
    let object = allocator.cast::<*const *const c_void>();
    // SAFETY: a C++ object with virtual functions begins with the pointer to its table; the table has two words before
    // that address and at least `FREE + 1` after it, the rest of what is copied is mapped data of the executable.
    unsafe {
        let original = *object;
        let mut slots = [std::ptr::null(); SLOTS];
        for (index, slot) in slots.iter_mut().enumerate() {
            *slot = *original.add(index);
        }
        slots[ALLOCATE] = allocate as *const c_void;
        slots[ALLOCATE_UNINITIALIZED] = allocate_uninitialized as *const c_void;
        slots[FREE] = free as *const c_void;
        // Never freed: buffers that were transferred to another thread keep the allocator alive beyond its worker.
        let table = Box::leak(Box::new(Table {
            offset_to_top: *original.sub(2),
            type_info: *original.sub(1),
            slots,
            original,
            used: AtomicUsize::new(0),
            limit,
            exhausted: AtomicBool::new(false),
            guard,
        }));
        *object = table.slots.as_ptr();
    }
}

/// # Safety
/// `this` is an allocator that [`limit`] has changed.
unsafe fn table_of<'a>(this: *mut c_void) -> &'a Table {
    let before = std::mem::offset_of!(Table, slots);
    // SAFETY: the object points at the `slots` of a leaked `Table`.
    unsafe { &*(*this.cast::<*const u8>()).sub(before).cast::<Table>() }
}

unsafe fn counted(this: *mut c_void, length: usize, slot: usize) -> *mut c_void {
    // SAFETY: V8 calls this through the table that `limit` made.
    let table = unsafe { table_of(this) };
    let used = table.used.fetch_add(length, Ordering::Relaxed);
    if used.saturating_add(length) > table.limit {
        if length > JS_SMALL_ARRAY_BUFFER_BYTES && (table.guard.may_refuse)() {
            table.used.fetch_sub(length, Ordering::Relaxed);
            return std::ptr::null_mut();
        }
        if !table.exhausted.swap(true, Ordering::Relaxed) {
            (table.guard.exhausted)();
        }
    }
    // SAFETY: the original function of this slot, called with what V8 passed.
    let memory = unsafe {
        let original: Allocate = std::mem::transmute(*table.original.add(slot));
        original(this, length)
    };
    if memory.is_null() {
        table.used.fetch_sub(length, Ordering::Relaxed);
    }
    memory
}

unsafe extern "C" fn allocate(this: *mut c_void, length: usize) -> *mut c_void {
    // SAFETY: as for `counted`.
    unsafe { counted(this, length, ALLOCATE) }
}

unsafe extern "C" fn allocate_uninitialized(this: *mut c_void, length: usize) -> *mut c_void {
    // SAFETY: as for `counted`.
    unsafe { counted(this, length, ALLOCATE_UNINITIALIZED) }
}

unsafe extern "C" fn free(this: *mut c_void, memory: *mut c_void, length: usize) {
    // SAFETY: as for `counted`.
    unsafe {
        let table = table_of(this);
        // What was allocated before the limit was set is freed through here too.
        let _ = table.used.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |used| Some(used.saturating_sub(length)));
        let original: Free = std::mem::transmute(*table.original.add(FREE));
        original(this, memory, length);
    }
}
