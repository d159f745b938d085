//! Intake: what arrives. Messages between threads, the two lanes of a worker, and the edge, where an AM's call enters.

#[cfg(not(loom))]
pub(crate) mod waiting;

#[cfg(not(loom))]
pub(crate) mod messages;

#[cfg_attr(not(loom), expect(unreachable_pub, reason = "public to the models, under cfg(loom)"))]
pub mod inbox;

#[cfg(not(loom))]
pub(crate) mod edge;

#[cfg(not(loom))]
pub(crate) mod warnings;
