//! Publishing: snapshots of structure and shares, and how a worker takes them over.

#[cfg_attr(not(loom), expect(unreachable_pub, reason = "public to the models, under cfg(loom)"))]
pub mod published;

#[cfg(not(loom))]
pub(crate) mod snapshot;

#[cfg(not(loom))]
pub(crate) mod members;

#[cfg(not(loom))]
pub(crate) mod adopt;
