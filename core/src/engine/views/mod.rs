//! Views: what the embedder sees, and what it looks at by asking a worker.

#[cfg(not(loom))]
pub(crate) mod current;

#[cfg(not(loom))]
pub(crate) mod inspect;

#[cfg(not(loom))]
pub(crate) mod requests;

#[cfg(all(feature = "faults", not(loom)))]
pub(crate) mod audit;
