//! Which of the two schedulers it is.

/// Which scheduler it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// The FairScheduler.
    Fair,
    /// The CapacityScheduler.
    Capacity,
}
