//! The concurrent path, one file a stage, listed in the order of the story.
//!
//! ```text
//! heartbeat ──> worker ──> snapshot ──> assignment ──> grant ──> mailbox ──> allocate
//!                             ^                          | usage cells, leases
//!                             └──── update <── ledger <──┘
//! ```
//!
//! Under `cfg(loom)` only the protocols are built; the stages that call them are plain, single-threaded code.

#[cfg(not(loom))]
mod messages;

#[cfg(not(loom))]
mod shared;

#[cfg_attr(not(loom), expect(unreachable_pub, reason = "public to the models, under cfg(loom)"))]
pub mod inbox;

#[cfg(not(loom))]
mod worker;

#[cfg(not(loom))]
mod node_list;
#[cfg(not(loom))]
mod rows;

#[cfg(not(loom))]
mod shard;

#[cfg(not(loom))]
mod adopt;

#[cfg(not(loom))]
mod placing;

#[cfg_attr(not(loom), expect(unreachable_pub, reason = "public to the models, under cfg(loom)"))]
pub mod publish;

#[cfg(not(loom))]
mod snapshot;

#[cfg(not(loom))]
mod members;

#[cfg(not(loom))]
mod assignment;

#[cfg_attr(not(loom), expect(unreachable_pub, reason = "public to the models, under cfg(loom)"))]
pub mod preemption;

#[cfg(not(loom))]
mod decision;

#[cfg(not(loom))]
mod trace;

#[cfg(not(loom))]
mod containers;

#[cfg(not(loom))]
mod grant;

#[cfg(not(loom))]
mod ledger;

#[cfg_attr(not(loom), expect(unreachable_pub, reason = "public to the models, under cfg(loom)"))]
pub mod usage;

#[cfg_attr(not(loom), expect(unreachable_pub, reason = "public to the models, under cfg(loom)"))]
pub mod standing;

#[cfg_attr(not(loom), expect(unreachable_pub, reason = "public to the models, under cfg(loom)"))]
pub mod reserved;

#[cfg_attr(not(loom), expect(unreachable_pub, reason = "public to the models, under cfg(loom)"))]
pub mod watch;

#[cfg_attr(not(loom), expect(unreachable_pub, reason = "public to the models, under cfg(loom)"))]
pub mod lease;

#[cfg_attr(not(loom), expect(unreachable_pub, reason = "public to the models, under cfg(loom)"))]
pub mod mailbox;

#[cfg_attr(not(loom), expect(unreachable_pub, reason = "public to the models, under cfg(loom)"))]
pub mod pace;

#[cfg(not(loom))]
mod reconcile;

#[cfg(not(loom))]
mod expiry;

#[cfg(not(loom))]
mod attempts;

#[cfg(not(loom))]
mod anew;

#[cfg_attr(not(loom), expect(unreachable_pub, reason = "public to the models, under cfg(loom)"))]
pub mod closed;

#[cfg_attr(not(loom), expect(unreachable_pub, reason = "public to the models, under cfg(loom)"))]
pub mod closing;

#[cfg(not(loom))]
mod control;

#[cfg(not(loom))]
mod update;

#[cfg(not(loom))]
mod allocations;

#[cfg(not(loom))]
mod edge;

#[cfg(not(loom))]
mod events;

#[cfg(not(loom))]
pub(crate) mod views;

#[cfg(not(loom))]
mod inspect;

#[cfg_attr(not(loom), expect(unreachable_pub, reason = "public to the models, under cfg(loom)"))]
pub mod rounds;

#[cfg_attr(not(loom), expect(unreachable_pub, reason = "public to the models, under cfg(loom)"))]
pub mod quiet;

#[cfg(not(loom))]
mod driver;

#[cfg(not(loom))]
mod exports {
    pub use super::control::{AmRequest, NewAttempt, QueueConfig, Submission};
    pub use super::decision::{
        AmShare, AppOutcome, AppVisit, Claim, Decision, KeyOutcome, KeyVisit, NotOffered, NotReserved, Obstacle,
        PassEnd, QueueOutcome, QueueVisit, ReservationOutcome, ReservationVisit, RunningLimit,
    };
    pub use super::edge::{AllocateRequest, Allocation};
    pub use super::inspect::ContainerView;
    pub use super::mailbox::{Container, EndReason, EndedContainer};
    pub use super::messages::Heartbeat;
    pub use super::shared::{HeartbeatProbe, WakeUp};
    pub use super::views::{AppView, NodeView, QueueView, Stats};

    pub(crate) use super::allocations::{ControlLane, NEVER, Reloads, WatchCall, WatchTimes, Watcher, apply};
    pub(crate) use super::closed::Closed;
    pub(crate) use super::control::{Call, Control, NodeSpec};
    pub(crate) use super::decision::Notes;
    #[cfg(feature = "faults")]
    pub(crate) use super::driver::wait;
    pub(crate) use super::driver::{Parts, Setup, Stepper, Threads, UpdateCall, quiesce};
    pub(crate) use super::edge::{allocate, collect, drain, expect_calls, send_changes};
    pub(crate) use super::events::{EventSink, EventSource, events};
    #[cfg(feature = "faults")]
    pub use super::inspect::Kept;
    pub(crate) use super::inspect::{Noted, Reserved, ask_workers};
    pub(crate) use super::ledger::{AppShared, NodeShared};
    pub(crate) use super::messages::{ControlMessage, External, Parcel, Report};
    #[cfg(feature = "faults")]
    pub(crate) use super::messages::{Internal, Look};
    pub(crate) use super::preemption::{MarkedFor, OwedRoom, PreemptionCall};
    pub(crate) use super::shard::Shard;
    pub(crate) use super::shared::Shared;
}
#[cfg(not(loom))]
pub use exports::*;
