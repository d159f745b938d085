//! The one door to atomics, threads, channels, maps and the snapshot cell.
//!
//! `real.rs` is std, crossbeam, arc-swap, dashmap and parking_lot; `model.rs`, under `cfg(loom)`, is loom's types, and
//! `schedules`, under `cfg(shuttle)`, shuttle's; both with plain stand-ins for the crates that these cannot see into.
//! So a model or a schedule shows *our* protocol over sound parts, not the parts. Nothing outside this module names
//! those crates (`tests/layers.rs` checks it). With the feature `sharing` the real words and lanes are counted ones.

#[cfg(not(any(loom, shuttle)))]
#[expect(unreachable_pub, reason = "public to the models, under cfg(loom), and to the schedules, under cfg(shuttle)")]
mod real;
#[cfg(not(any(loom, shuttle)))]
pub use real::*;

#[cfg(all(feature = "sharing", not(any(loom, shuttle))))]
#[expect(unreachable_pub, reason = "of which the crate shows the counts alone")]
pub(crate) mod sharing;
#[cfg(all(feature = "sharing", not(any(loom, shuttle))))]
pub(crate) use sharing::{atomic, channel};

#[cfg(any(loom, shuttle))]
mod stand_ins;

#[cfg(loom)]
mod model;
#[cfg(loom)]
pub use model::*;

#[cfg(shuttle)]
pub mod schedules;
#[cfg(shuttle)]
pub use schedules::*;

#[cfg(not(loom))]
mod process;
#[cfg(not(loom))]
pub(crate) use process::ProcessCount;
