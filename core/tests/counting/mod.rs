//! A global allocator that counts, thread by thread, what is asked of it, and remembers where the first few came from;
//! and how many bytes all threads hold together.

#![allow(dead_code, reason = "each user needs a part of it")]
#![allow(missing_docs, reason = "a test's helpers")]
#![allow(unsafe_code, reason = "a global allocator cannot be had without; it passes everything on")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::backtrace::Backtrace;
use std::cell::Cell;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Backtraces that are kept, of all threads together, and how many lines of each.
const PLACES: usize = 3;
const LINES: usize = 24;

thread_local! {
    /// Allocations of this thread while it was watched.
    static COUNT: Cell<u64> = const { Cell::new(0) };
    static WATCHED: Cell<bool> = const { Cell::new(false) };
}

/// Bytes that were asked for and not given back.
static HELD: AtomicUsize = AtomicUsize::new(0);

static FIRST_PLACES: Mutex<Vec<String>> = Mutex::new(Vec::new());
static ALONE: Mutex<()> = Mutex::new(());

/// The machine's allocator, counted.
#[derive(Debug)]
pub(crate) struct Counting;

fn hold(bytes: usize) {
    HELD.fetch_add(bytes, Ordering::Relaxed);
}

fn let_go(bytes: usize) {
    HELD.fetch_sub(bytes, Ordering::Relaxed);
}

fn note() {
    // A thread that ends has no cells any more, and nobody watches it.
    let watched = WATCHED.try_with(Cell::get).unwrap_or(false);
    if !watched {
        return;
    }
    COUNT.set(COUNT.get() + 1);
    // What a backtrace allocates is not the watched code's.
    WATCHED.set(false);
    if let Ok(mut places) = FIRST_PLACES.lock()
        && places.len() < PLACES
    {
        let trace = Backtrace::force_capture().to_string();
        places.push(trace.lines().take(LINES).collect::<Vec<_>>().join("\n"));
    }
    WATCHED.set(true);
}

// SAFETY: every call goes to `System` as it came, which keeps what `GlobalAlloc` asks for; counting touches neither.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        note();
        hold(layout.size());
        // SAFETY: as the caller promises.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        note();
        hold(layout.size());
        // SAFETY: as the caller promises.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        note();
        hold(size);
        let_go(layout.size());
        // SAFETY: as the caller promises; the block is `System`'s, as all are.
        unsafe { System.realloc(block, layout, size) }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        let_go(layout.size());
        // SAFETY: as above.
        unsafe { System.dealloc(block, layout) }
    }
}

/// Whether the calling thread's allocations count from now on.
pub(crate) fn watch(on: bool) {
    WATCHED.set(on);
}

/// Bytes that all threads hold.
pub(crate) fn held() -> usize {
    HELD.load(Ordering::Relaxed)
}

/// Allocations of the calling thread while it was watched.
pub(crate) fn count() -> u64 {
    COUNT.get()
}

/// Keeps other tests waiting, so that the places are the caller's.
pub(crate) fn alone() -> MutexGuard<'static, ()> {
    // A test that failed has left nothing that the next one needs.
    let alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    FIRST_PLACES.lock().unwrap_or_else(PoisonError::into_inner).clear();
    alone
}

/// Where the first ones came from, of whatever thread.
pub(crate) fn places() -> String {
    FIRST_PLACES.lock().map(|places| places.join("\n----\n")).unwrap_or_default()
}
