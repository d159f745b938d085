//! Memory asked for ahead: a line that will be read or written soon is on its way while there is other work.
//!
//! At thousands of applications most of what a container touches is cold, and waiting for it is most of what a container costs.
//! A hint changes nothing but time; where the processor has none, it is left out.

/// The line that `what` begins in will be needed soon.
#[inline(always)]
pub(crate) fn expect<T>(what: &T) {
    #[cfg(target_arch = "x86_64")]
    safe_arch::prefetch_t0(what);
    #[cfg(not(target_arch = "x86_64"))]
    let _ = what;
}
