//! Ctrl-C ends what is under way instead of the program.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use evenweave_bench::Failure;

/// The flag that Ctrl-C puts up from now on.
///
/// # Errors
/// When it cannot be caught.
pub(crate) fn flag() -> Result<Arc<AtomicBool>, Failure> {
    let stop = Arc::new(AtomicBool::new(false));
    let flag = Arc::clone(&stop);
    // ORDERING: Relaxed. The flag carries no data.
    ctrlc::set_handler(move || flag.store(true, Ordering::Relaxed))
        .map_err(|error| Failure::input(format!("Ctrl-C cannot be caught: {error}")))?;
    Ok(stop)
}
