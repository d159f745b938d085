//! Memory asked for ahead: a line that will be read or written soon is on its way while there is other work.
//!
//! At thousands of applications most of what a container touches is cold, and waiting for it is most of what a container costs.
//! A hint changes nothing but time; where the processor has none, it is left out.
//!
//! A line that another core has written last has to come over *and* that core has to give its copy up before this one can write.
//! Stores wait for that one behind the other, and a locked operation waits for all stores before it. So what is written is asked
//! for with [`expect_write`]; ADR 13.

/// The line that `what` begins in will be needed soon.
#[inline(always)]
pub(crate) fn expect<T>(what: &T) {
    #[cfg(target_arch = "x86_64")]
    safe_arch::prefetch_t0(what);
    #[cfg(not(target_arch = "x86_64"))]
    let _ = what;
}

/// The line that `what` begins in will be written soon, and other cores have it, or it is in no cache.
#[inline(always)]
pub(crate) fn expect_write<T>(what: &T) {
    #[cfg(all(target_arch = "x86_64", target_pointer_width = "64", not(miri)))]
    prefetch_for_write(what);
    #[cfg(not(all(target_arch = "x86_64", target_pointer_width = "64", not(miri))))]
    let _ = what;
}

/// `prefetchw`, which the compiler makes of no intrinsic for an x86-64 of which it knows nothing more.
#[cfg(all(target_arch = "x86_64", target_pointer_width = "64", not(miri)))]
#[inline(always)]
#[expect(unsafe_code, reason = "a hint in one instruction, worth a tenth of a worker's time: ADR 13")]
fn prefetch_for_write<T>(what: &T) {
    // SAFETY: the instruction reads and writes nothing that a program can see, and does not fail whatever the address is. A
    // processor that knew neither it nor its opcode as one that does nothing would stop the program, and no memory would be wrong.
    unsafe {
        std::arch::asm!("prefetchw [{}]", in(reg) std::ptr::from_ref(what).addr(), options(nomem, nostack, preserves_flags));
    }
}
