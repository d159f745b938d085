//! What a worker keeps of a queue, an application, a request key, a node and a container: data, with the decider's
//! [`Parts`](crate::engine::parts::Parts) in it. One thread writes it.

#[cfg(not(loom))]
pub(crate) mod queue;

#[cfg(not(loom))]
pub(crate) mod app;

#[cfg(not(loom))]
pub(crate) mod key;

#[cfg(not(loom))]
pub(crate) mod rows;

#[cfg(not(loom))]
pub(crate) mod node;

#[cfg(not(loom))]
pub(crate) mod node_list;

#[cfg(not(loom))]
pub(crate) mod containers;

#[cfg_attr(not(loom), expect(unreachable_pub, reason = "public to the models, under cfg(loom)"))]
pub mod fate;

#[cfg(not(loom))]
pub(crate) mod expiry_scans;
