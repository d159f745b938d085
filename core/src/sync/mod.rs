//! The one door to atomics, threads, channels, maps and the snapshot cell.
//!
//! `real.rs` is std, crossbeam, arc-swap, dashmap and parking_lot; `model.rs`, under `cfg(loom)`, is loom's types and
//! plain stand-ins for the crates that loom cannot see into. So a model proves *our* protocol over sound parts, not the
//! parts. Nothing outside this module names those crates (`tests/layers.rs` checks it).

#[cfg(not(loom))]
#[expect(unreachable_pub, reason = "public to the models, under cfg(loom)")]
mod real;
#[cfg(not(loom))]
pub use real::*;

#[cfg(loom)]
mod model;
#[cfg(loom)]
pub use model::*;
