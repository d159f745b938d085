//! The queue tree as a control keeps it, and what every scheduler knows of its queues: who runs and who waits, who may
//! enter.
//!
//! Plain data of one thread. Running limits follow `MaxRunningAppsEnforcer` (rules/fair-shares.md 7) and, in the
//! CapacityScheduler, `CSMaxRunningAppsEnforcer`.

mod acls;

mod lines;

mod names;

mod runnable;

mod running;

mod tree;

mod waiting;

pub(crate) use acls::QueueAcls;
pub(crate) use lines::{Crowd, Line, start_waiting};
pub(crate) use names::{above, java_name_order};
pub use running::RunningLimit;
pub(crate) use running::{Apps, AtLimit, Running, UserLimits};
pub(crate) use tree::{Queue, QueueTree};
pub(crate) use waiting::Waiting;
