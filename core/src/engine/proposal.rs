//! What a decider proposes, and the engine's answer if it refuses.
//!
//! A decider chooses an application, a request key and a node, and passes the choice to
//! [`try_grant`](crate::engine::shard::Shard::try_grant). The engine makes a container of it, or refuses. After a
//! refusal the decider may propose anything else.

use crate::id::Locality;
use crate::resource::Resource;

/// One container for one request key on one node. The decider makes sure that a proposal fits the node before it calls
/// `try_grant`; the FairScheduler reserves the node for a proposal that does not fit.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Proposal {
    /// The application's index in the shard (the index of its slot).
    pub(crate) app: u32,
    /// The request key's index among the application's keys.
    pub(crate) key: usize,
    /// The node's place in the shard.
    pub(crate) node: u32,
    pub(crate) locality: Locality,
    /// The size of the ask.
    pub(crate) size: Resource,
    /// The node is reserved for this request key, and the container takes the place of the reservation.
    pub(crate) reserved: bool,
}

/// Why the engine refused a proposal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Refusal {
    /// Nothing is outstanding any more, other workers hold all that is outstanding, or the AM has replaced the ask.
    AskGone,
    /// The AMs of the leaf queue have reached their limit.
    AmLimit,
    /// There is no room left under the limit of a queue on the application's path.
    NoRoomUnderLimit,
    /// The worker's arena has no mail record left.
    NoRecord,
    /// The application has moved to another queue. The next snapshot shows it.
    Moved,
}

impl Refusal {
    /// Whether the decider gives up a reservation for the refused proposal.
    pub(crate) fn is_final(self) -> bool {
        match self {
            Refusal::AskGone => true,
            Refusal::AmLimit | Refusal::NoRoomUnderLimit | Refusal::NoRecord | Refusal::Moved => false,
        }
    }
}
