//! The three policies of the FairScheduler: how much each may have, and who is offered a node first.
//!
//! Pure. Follows `FairSharePolicy`, `DominantResourceFairnessPolicy`, `FifoPolicy` and `ComputeFairShares`.

mod compute_shares;

mod drf;

mod fair;

mod fifo;

pub use drf::Drf;
pub use fair::Fair;
pub use fifo::Fifo;
