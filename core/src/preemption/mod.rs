//! Preemption, as far as it is arithmetic: who is starved, who is served first, for which requests, and what a node
//! owes.
//!
//! Pure. Follows `FSAppAttempt.fairShareStarvation`, `FSLeafQueue.updateStarvedApps`, `FSStarvedApps` and
//! `FSAppAttempt.getStarvedResourceRequests` (rules/preemption.md 1 to 6.2). Which containers go is decided where the
//! nodes are, in `fair::preemption`.

#[cfg(not(loom))]
mod requests;

#[cfg(not(loom))]
mod starvation;

#[cfg(not(loom))]
mod starved_queue;

#[cfg_attr(not(loom), expect(unreachable_pub, reason = "public to the models, under cfg(loom)"))]
pub mod owed;

#[cfg(not(loom))]
pub(crate) use requests::{Place, StoredAsk, Wanted, requests_to_serve};
#[cfg(not(loom))]
pub(crate) use starvation::{QueuePreemption, Starvation, Yardstick, is_busy, min_share_part, min_share_starvation};
#[cfg(not(loom))]
pub(crate) use starved_queue::StarvedQueue;
