//! Whoever waits for runs is told how far they are, and says whether they go on.

use evenweave_tools::Failure;

/// How far a run has come.
#[derive(Clone, Copy, Debug, Default)]
pub struct Moment {
    /// Which of the runs.
    pub run: usize,
    /// Virtual ms gone by.
    pub now_ms: u64,
    /// Jobs that have come, and of these those that have not ended.
    pub jobs: u64,
    /// Jobs that have not ended.
    pub open: usize,
    /// Containers granted.
    pub granted: u64,
}

/// Is told how far a run is, and says whether it goes on.
pub(super) type Watch<'w> = dyn Fn(Moment) -> bool + Sync + 'w;

/// What is said of a run that was told to stop.
pub(super) fn interrupted() -> Failure {
    Failure::input("interrupted; nothing is written")
}
