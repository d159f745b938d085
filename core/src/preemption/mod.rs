//! The FairScheduler's preemption, as far as it is arithmetic: which application is starved, which one is served first,
//! for which requests, and how much room a node owes. The CapacityScheduler's is in `capacity::rules::preemption`.
//!
//! Pure. Follows `FSAppAttempt.fairShareStarvation`, `FSLeafQueue.updateStarvedApps`, `FSStarvedApps` and
//! `FSAppAttempt.getStarvedResourceRequests` (rules/preemption.md 1 to 6.2). `fair::preemption` chooses the containers,
//! on the workers that own the nodes.

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
