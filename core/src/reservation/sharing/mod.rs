//! Hadoop's sharing policies: who may have how much of a plan.

mod capacity_over_time;

mod integral;

mod no_over_commit;

pub use capacity_over_time::CapacityOverTime;
pub use no_over_commit::NoOverCommit;
