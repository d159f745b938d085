//! Preemption, as far as it is arithmetic: who is starved, who is served first, and for which requests.
//!
//! Pure. Follows `FSAppAttempt.fairShareStarvation`, `FSLeafQueue.updateStarvedApps`, `FSStarvedApps` and
//! `FSAppAttempt.getStarvedResourceRequests` (preemption reference 1 to 6.2). Which containers go is decided where the nodes
//! are, in `fair::preemption`.

mod requests;

mod starvation;

mod starved_queue;

pub(crate) use requests::{Place, StoredAsk, Wanted, requests_to_serve};
pub(crate) use starvation::{QueuePreemption, Starvation, Yardstick, is_busy, min_share_part, min_share_starvation};
pub(crate) use starved_queue::StarvedQueue;
