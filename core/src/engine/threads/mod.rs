//! The scheduler's own threads: how one begins and ends, what is told of its panic, which messages are still on their
//! way.

#[cfg(not(loom))]
pub(crate) mod tasks;

#[cfg(not(loom))]
pub(crate) mod events;

#[cfg_attr(not(loom), expect(unreachable_pub, reason = "public to the models, under cfg(loom)"))]
pub mod rounds;

#[cfg_attr(not(loom), expect(unreachable_pub, reason = "public to the models, under cfg(loom)"))]
pub mod quiet;
