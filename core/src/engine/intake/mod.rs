//! Intake: what arrives. Messages to workers and to the control, the two lanes of a worker, and how an answer goes
//! back.

#[cfg_attr(not(loom), expect(unreachable_pub, reason = "public to the models, under cfg(loom)"))]
pub mod future_wakeup;

#[cfg(not(loom))]
pub(crate) mod awaited;

#[cfg(not(loom))]
pub(crate) mod reply;

#[cfg(not(loom))]
pub(crate) mod to_worker;

#[cfg_attr(not(loom), expect(unreachable_pub, reason = "public to the models, under cfg(loom)"))]
pub mod inbox;

#[cfg(not(loom))]
pub(crate) mod submission;

#[cfg(not(loom))]
pub(crate) mod to_control;

#[cfg(not(loom))]
pub(crate) mod locations;
