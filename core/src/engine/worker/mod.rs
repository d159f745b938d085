//! A worker: the one writer of its nodes and of its copy of the asks. Plain data, one thread.

/// So many containers one heartbeat grants at most, whatever its node has and however many are asked for: its worker goes on with its
/// other messages then, and the next heartbeat grants more. Far beyond what a machine holds.
#[cfg(not(loom))]
pub(crate) const MOST_GRANTS_A_HEARTBEAT: i32 = 100_000;

#[cfg(not(loom))]
pub(crate) mod handling;

#[cfg(not(loom))]
mod asks;

#[cfg(not(loom))]
mod nodes;

#[cfg(not(loom))]
mod prefetching;

#[cfg(not(loom))]
pub(crate) mod shard;

#[cfg(not(loom))]
pub(crate) mod queue;

#[cfg(not(loom))]
pub(crate) mod app;

#[cfg(not(loom))]
pub(crate) mod key;

#[cfg(not(loom))]
pub(crate) mod node;

#[cfg(not(loom))]
pub(crate) mod reserving;

#[cfg(not(loom))]
pub(crate) mod node_list;

#[cfg(not(loom))]
pub(crate) mod rows;

#[cfg(not(loom))]
pub(crate) mod containers;

#[cfg_attr(not(loom), expect(unreachable_pub, reason = "public to the models, under cfg(loom)"))]
pub mod fate;

#[cfg(not(loom))]
pub(crate) mod expiry;

#[cfg(not(loom))]
pub(crate) mod attempts;

#[cfg(not(loom))]
mod recovering;

#[cfg(not(loom))]
pub(crate) mod anew;

#[cfg(not(loom))]
pub(crate) mod waits;
