//! Preemption as far as it is arithmetic: what queues should have, what they must give, and whether a container is
//! taken for that.
//!
//! Follows rules/capacity.md 25; `ProportionalCapacityPreemptionPolicy` and its selectors. Pure; whose containers these
//! are its caller knows.

mod amounts;

mod ideal;

mod intra;

mod on_nodes;

pub(crate) use amounts::Taking;
pub(crate) use ideal::{Entry, Round};
pub(crate) use intra::{AppIn, Plan, UserIn, match_demands};
pub(crate) use on_nodes::{ByPriority, Held, HoldsRoom, SeenNode, Selection, Victim, by_priority, cheapest};
