//! Publishing: snapshots of structure and of the decider's figures.

#[cfg_attr(not(loom), expect(unreachable_pub, reason = "public to the models, under cfg(loom)"))]
pub mod published;

#[cfg(not(loom))]
pub(crate) mod snapshot;

#[cfg(not(loom))]
pub(crate) mod members;
