//! What a decider proposes, and what the engine says to it.
//!
//! A decider chooses, and hands its choice to [`try_grant`](crate::engine::shard::Shard::try_grant). That makes a
//! container of it, or says why not; the decider is then as free as before.

use crate::id::Locality;
use crate::resource::Resource;

/// A placement that fits the node.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Proposal {
    pub(crate) app: u32,
    /// Index of the request key.
    pub(crate) key: usize,
    pub(crate) node: u32,
    pub(crate) locality: Locality,
    /// The size of the ask.
    pub(crate) size: Resource,
    /// This fulfils the node's reservation.
    pub(crate) reserved: bool,
}

/// Why a proposal came to nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Refusal {
    /// Nothing is outstanding any more, or others hold what is, or the AM has replaced the ask.
    AskGone,
    /// The leaf's AMs may use no more.
    AmLimit,
    /// No room is left under the limit of a queue.
    QueueFull,
    /// The arena has no record left.
    NoRecord,
    /// The application has moved to another queue. The next snapshot shows it.
    Moved,
}

impl Refusal {
    /// Whether a reservation has lost its reason.
    pub(crate) fn is_final(self) -> bool {
        match self {
            Refusal::AskGone => true,
            Refusal::AmLimit | Refusal::QueueFull | Refusal::NoRecord | Refusal::Moved => false,
        }
    }
}
