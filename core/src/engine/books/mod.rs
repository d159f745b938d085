//! The books: what is true now, who may close what, and how a worker learns what the others have done.

#[cfg(not(loom))]
pub(crate) mod ledger;

#[cfg(not(loom))]
pub(crate) mod node_table;

#[cfg_attr(not(loom), expect(unreachable_pub, reason = "public to the models, under cfg(loom)"))]
pub mod usage;

#[cfg(not(loom))]
pub(crate) mod counted;

#[cfg_attr(not(loom), expect(unreachable_pub, reason = "public to the models, under cfg(loom)"))]
pub mod reserved;

#[cfg_attr(not(loom), expect(unreachable_pub, reason = "public to the models, under cfg(loom)"))]
pub mod marks;

#[cfg_attr(not(loom), expect(unreachable_pub, reason = "public to the models, under cfg(loom)"))]
pub mod pace;

#[cfg_attr(not(loom), expect(unreachable_pub, reason = "public to the models, under cfg(loom)"))]
pub mod turn;

#[cfg_attr(not(loom), expect(unreachable_pub, reason = "public to the models, under cfg(loom)"))]
pub mod closed;

#[cfg_attr(not(loom), expect(unreachable_pub, reason = "public to the models, under cfg(loom)"))]
pub mod closing;

#[cfg_attr(not(loom), expect(unreachable_pub, reason = "public to the models, under cfg(loom)"))]
pub mod resting;

#[cfg_attr(not(loom), expect(unreachable_pub, reason = "public to the models, under cfg(loom)"))]
pub mod standing;
