//! Code of the embedder's that may panic: what it returns, or what it said.
//!
//! Any thread. What the code was at is the caller's matter: nothing of his may be half done there.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// What it returns; of a panic the message.
#[inline]
pub(crate) fn caught<T>(act: impl FnOnce() -> T) -> Result<T, String> {
    catch_unwind(AssertUnwindSafe(act)).map_err(|panic| message_of(&*panic))
}

#[cold]
pub(crate) fn message_of(panic: &(dyn Any + Send)) -> String {
    panic
        .downcast_ref::<&str>()
        .map(|text| (*text).to_owned())
        .or_else(|| panic.downcast_ref::<String>().cloned())
        .unwrap_or_else(|| "a panic without a message".to_owned())
}
