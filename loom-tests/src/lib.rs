//! Models of the lock-free protocols of `evenweave`; see `tests/` and the README.

#[cfg(loom)]
pub mod preemption;

/// Runs `model` under all interleavings within `LOOM_MAX_PREEMPTIONS` (2 if unset) and says how many there were.
#[cfg(loom)]
pub fn check(claim: &str, model: impl Fn() + Sync + Send + 'static) {
    use evenweave::{Clock as _, MonotonicClock};
    use std::sync::Arc;
    use std::sync::atomic::{AtomicU64, Ordering};

    let executions = Arc::new(AtomicU64::new(0));
    let counter = executions.clone();
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound.get_or_insert(2);
    builder.max_branches = 10_000;
    let clock = MonotonicClock::default();
    let start = clock.now_ms();
    builder.check(move || {
        // ORDERING: Relaxed. One thread at a time; a statistic.
        counter.fetch_add(1, Ordering::Relaxed);
        model();
    });
    let took = clock.now_ms() - start;
    println!("{claim}: {} executions, {took} ms", executions.load(Ordering::Relaxed));
}

/// Allocates all records that an arena can still give, and sorts them: one in use twice would stand there twice.
#[cfg(loom)]
pub fn all_records(
    arena: &evenweave::flow::mailbox::Arena,
    own: &mut evenweave::flow::mailbox::FreeRecords,
) -> Vec<u32> {
    let mut all: Vec<u32> = std::iter::from_fn(|| arena.allocate(own)).collect();
    all.sort_unstable();
    all
}
