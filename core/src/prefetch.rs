//! Prefetches memory that a worker will read or write soon, so that the line is on its way while there is other work.
//!
//! With thousands of applications most of what a container touches is in no cache, and waiting for memory is most of
//! what a container costs. A prefetch changes nothing but time. Where the processor has no such instruction, it does
//! nothing.
//!
//! A line that another core wrote last must come over, and that core must give up its copy, before this core can write
//! it. Later stores wait for that store, and a locked operation waits for all stores before it. So lines that will be
//! written are prefetched for writing, with [`prefetch_write`]. ADR 13 has the figures.

use std::ops::Range;

/// Prefetches the line that `what` begins in, to read it.
#[inline(always)]
pub(crate) fn prefetch<T>(what: &T) {
    #[cfg(target_arch = "x86_64")]
    safe_arch::prefetch_t0(what);
    #[cfg(not(target_arch = "x86_64"))]
    let _ = what;
}

/// Prefetches the line that `what` begins in, to write it. For lines that other cores have, or that are in no cache.
#[inline(always)]
pub(crate) fn prefetch_write<T>(what: &T) {
    prefetch_lines(what, 0..1);
}

/// So many bytes are one cache line.
pub(crate) const CACHE_LINE: usize = 64;

/// Prefetches so many lines of `what`, counted from the one that it begins in, to write them. None of it is read, so it
/// may be in no cache yet.
#[inline(always)]
pub(crate) fn prefetch_lines<T>(what: &T, lines: Range<usize>) {
    #[cfg(all(target_arch = "x86_64", target_pointer_width = "64", not(miri)))]
    lines.for_each(|line| prefetch_for_write(std::ptr::from_ref(what).addr().wrapping_add(line * CACHE_LINE)));
    #[cfg(not(all(target_arch = "x86_64", target_pointer_width = "64", not(miri))))]
    let _ = (what, lines);
}

/// `prefetchw`, which the compiler makes of no intrinsic for an x86-64 of which it knows nothing more.
#[cfg(all(target_arch = "x86_64", target_pointer_width = "64", not(miri)))]
#[inline(always)]
#[expect(unsafe_code, reason = "a hint in one instruction, worth a tenth of a worker's time: ADR 13")]
fn prefetch_for_write(address: usize) {
    // SAFETY: the instruction reads and writes nothing that a program can see, and does not fail whatever the address
    // is. A processor that knew neither it nor its opcode as one that does nothing would stop the program, and no
    // memory would be wrong.
    unsafe {
        std::arch::asm!("prefetchw [{}]", in(reg) address, options(nomem, nostack, preserves_flags));
    }
}
