//! A worker: the one writer of its nodes and of its copy of the asks. Plain data, one thread.

#[cfg(not(loom))]
pub(crate) mod handling;

#[cfg(not(loom))]
mod asks;

#[cfg(not(loom))]
mod nodes;

#[cfg(not(loom))]
mod hints;

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
pub(crate) mod anew;

#[cfg(not(loom))]
pub(crate) mod waits;
