//! Preemption: starved applications get containers back.
//!
//! ```text
//! update ──marks──> book ──takes──> round ──search, take──> owner of the nodes: victims, owed room
//!                                     └──kill, later──────>   └─> grants to the starved application first
//! ```
//! # Who owns what
//! The *book* (who is starved, since when, who waits to be served) is shared by the update task and the preemption
//! task, behind a mutex that no worker takes. A *round* is the preemption task's: one application, its requests, the
//! containers found for each. Victims belong to nodes and nodes to workers: the owner searches its own nodes, marks,
//! kills (what is still to come to a container is its *fate*), and keeps the *owed room* of a node. What is marked of
//! an application is published by each worker for its own nodes (`marks`), for the AM's `allocate` and for the next
//! search.
//!
//! Follows rules/preemption.md 1 to 8.

mod book;
mod serve;

mod recheck;

mod round;

mod thread;

mod victims;

#[cfg(test)]
mod tests;

pub(crate) use book::Book;
pub(crate) use round::{MarkedFor, Preemptor};
pub(crate) use serve::{FairNode, OwedRoom};
pub(crate) use thread::{PreemptionCall, VictimCall};
