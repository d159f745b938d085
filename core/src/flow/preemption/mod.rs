//! Preemption: starved applications get containers back.
//!
//! ```text
//! update ──marks──> book ──takes──> round ──search, take──> owner of the nodes: victims, owed room
//!                                     └──kill, later──────>   └─> grants to the starved application first
//! ```
//! # Who owns what
//! The *book* (who is starved, since when, who waits to be served) is shared by the update task and the preemption task,
//! behind a mutex that no worker takes. A *round* is the preemption task's: one application, its requests, the containers
//! found for each. Victims belong to nodes and nodes to workers: the owner searches its own nodes, marks, kills (what is
//! still to come to a container is its *fate*), and keeps the *owed room* of a node. What is marked of an application is
//! published by each worker for its own nodes (`marks`), for the AM's `allocate` and for the next search.
//!
//! Follows the preemption reference; section numbers in these modules are its. Under `cfg(loom)` the parts alone are built that
//! the models use.

#[cfg(not(loom))]
mod book;

pub mod fate;

pub mod marks;

pub mod owed;

#[cfg(not(loom))]
mod serve;

#[cfg(not(loom))]
mod recheck;

#[cfg(not(loom))]
mod round;

#[cfg(not(loom))]
mod thread;

#[cfg(not(loom))]
mod victims;

#[cfg(not(loom))]
mod exports {
    pub(in crate::flow) use super::book::Book;
    pub(crate) use super::round::{MarkedFor, Owners, Preemptor};
    pub(in crate::flow) use super::serve::Creditor;
    pub(crate) use super::serve::OwedRoom;
    pub(in crate::flow) use super::thread::PreemptionThread;
    pub(crate) use super::thread::{PreemptionCall, VictimCall};
    pub(crate) use super::victims::{Found, OutstandingAsk, Search, Victims};
}
#[cfg(not(loom))]
pub(crate) use exports::*;
