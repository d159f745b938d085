//! Drivers: who calls the stages, and what comes by time.

#[cfg(not(loom))]
pub(crate) mod threads_and_steps;

#[cfg(not(loom))]
pub(crate) mod steps;

#[cfg(not(loom))]
pub(crate) mod runner;

#[cfg(not(loom))]
pub(crate) mod tasks;

#[cfg(not(loom))]
pub(crate) mod deciders;

#[cfg(not(loom))]
pub(crate) mod events;

#[cfg_attr(not(loom), expect(unreachable_pub, reason = "public to the models, under cfg(loom)"))]
pub mod rounds;

#[cfg_attr(not(loom), expect(unreachable_pub, reason = "public to the models, under cfg(loom)"))]
pub mod quiet;
