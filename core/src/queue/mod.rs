//! The queue tree as the control keeps it: structure, settings, who runs and who waits.
//!
//! Plain data of one thread. Follows `QueueManager` and `FSQueue` (fair-shares reference 2 and 7).

mod runnable;

mod running;

mod tree;

mod waiting;

pub(crate) use running::{Apps, AtLimit, Running, UserLimits};
pub(crate) use tree::{OwnPreemption, Queue, QueueTree};
