//! Intake: what arrives. Messages between threads, the two lanes of a worker, and the edge, where an AM's call enters.

#[cfg_attr(not(loom), expect(unreachable_pub, reason = "public to the models, under cfg(loom)"))]
pub mod waiting;

#[cfg(not(loom))]
pub(crate) mod reply;

#[cfg(not(loom))]
pub(crate) mod reported;

#[cfg(not(loom))]
pub(crate) mod messages;

#[cfg_attr(not(loom), expect(unreachable_pub, reason = "public to the models, under cfg(loom)"))]
pub mod inbox;

#[cfg(not(loom))]
pub(crate) mod edge;

#[cfg(not(loom))]
pub(crate) mod warnings;
