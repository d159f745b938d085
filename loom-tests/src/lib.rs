//! Models of the lock-free protocols of `evenweave`; see `tests/` and the README.

#[cfg(loom)]
pub mod asks;
#[cfg(not(loom))]
pub mod claims;
#[cfg(loom)]
pub mod preemption;
#[cfg(loom)]
pub mod workers;

/// Runs `model` under all interleavings within `LOOM_MAX_PREEMPTIONS` (2 if unset, none with `EVENWEAVE_UNBOUNDED`) and
/// says how many there were, and whether those were all or `LOOM_MAX_DURATION` seconds were over first.
#[cfg(loom)]
pub fn check(claim: &str, model: impl Fn() + Sync + Send + 'static) {
    use evenweave::clock::{Clock as _, MonotonicClock};
    use std::sync::Arc;
    use std::sync::atomic::{AtomicU64, Ordering};

    const LOOKS: usize = 1000;

    let executions = Arc::new(AtomicU64::new(0));
    let counter = executions.clone();
    let mut builder = loom::model::Builder::new();
    let bound = builder.preemption_bound.unwrap_or(2);
    let is_bounded = std::env::var_os("EVENWEAVE_UNBOUNDED").is_none();
    builder.preemption_bound = is_bounded.then_some(bound);
    builder.max_branches = 10_000;
    // How often it looks at the time.
    builder.checkpoint_interval = LOOKS;
    let most_ms = builder.max_duration.map_or(u128::MAX, |most| most.as_millis());
    let clock = MonotonicClock::default();
    let start = clock.now_ms();
    builder.check(move || {
        // ORDERING: Relaxed. One thread at a time; a statistic.
        counter.fetch_add(1, Ordering::Relaxed);
        model();
    });
    let took = clock.now_ms() - start;
    let bound = if is_bounded { bound.to_string() } else { "unbounded".to_owned() };
    let executions = executions.load(Ordering::Relaxed);
    // It gives up before an execution at which it looks at the time, and says nothing of it.
    let is_cut = u128::from(took) >= most_ms && (executions + 1).is_multiple_of(LOOKS as u64);
    let end = if is_cut { "cut" } else { "complete" };
    // On a line of its own, whatever the test harness has begun to print.
    println!("\nmodel {claim}: {executions} executions, {took} ms, {bound} preemptions, {end}");
}

/// A waker that notes that it was called.
#[cfg(loom)]
#[derive(Debug)]
pub struct Alarm(evenweave::sync::atomic::AtomicBool);

#[cfg(loom)]
impl Alarm {
    /// One that was not.
    #[must_use]
    pub fn new() -> std::sync::Arc<Alarm> {
        std::sync::Arc::new(Alarm(evenweave::sync::atomic::AtomicBool::new(false)))
    }

    /// It, for a context.
    #[must_use]
    pub fn waker(alarm: &std::sync::Arc<Alarm>) -> std::task::Waker {
        alarm.clone().into()
    }

    /// Whether it was called.
    #[must_use]
    pub fn rang(&self) -> bool {
        // ORDERING: Relaxed. Who has joined the threads sees all; who has not may poll later than it could.
        self.0.load(evenweave::sync::atomic::Ordering::Relaxed)
    }
}

#[cfg(loom)]
impl std::task::Wake for Alarm {
    fn wake(self: std::sync::Arc<Self>) {
        // ORDERING: Relaxed, as in `rang`.
        self.0.store(true, evenweave::sync::atomic::Ordering::Relaxed);
    }
}

/// Allocates all records that an arena can still give, and sorts them: one in use twice would stand there twice.
#[cfg(loom)]
pub fn all_records(
    arena: &evenweave::engine::mail::mailbox::Arena,
    own: &mut evenweave::engine::mail::mailbox::FreeRecords,
) -> Vec<u32> {
    let mut all: Vec<u32> = std::iter::from_fn(|| arena.allocate(own)).collect();
    all.sort_unstable();
    all
}
