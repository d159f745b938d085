//! The concurrent path: one folder a concern, each importing only those listed before it. The story is told by `stage`.
//!
//! ```text
//! heartbeat ──> worker ──> snapshot ──> assignment ──> grant ──> mailbox ──> allocate
//!                             ^                          | usage cells, leases
//!                             └──── update <── ledger <──┘
//! ```
//!
//! `docs/architecture.md` follows a heartbeat from file to file; *Which file to open* there leads from a question to a
//! file.
//!
//! Under `cfg(loom)` only the protocols are built; the stages that call them are plain, single-threaded code.

#[cfg(not(loom))]
pub(crate) mod settings;

#[cfg(not(loom))]
pub(crate) mod parts;

#[cfg_attr(not(loom), expect(unreachable_pub, reason = "public to the models, under cfg(loom)"))]
pub mod lease;

#[cfg_attr(not(loom), expect(unreachable_pub, reason = "public to the models, under cfg(loom)"))]
pub mod mail;

#[cfg_attr(not(loom), expect(unreachable_pub, reason = "public to the models, under cfg(loom)"))]
pub mod books;

#[cfg_attr(not(loom), expect(unreachable_pub, reason = "public to the models, under cfg(loom)"))]
pub mod publish;

#[cfg_attr(not(loom), expect(unreachable_pub, reason = "public to the models, under cfg(loom)"))]
pub mod records;

#[cfg_attr(not(loom), expect(unreachable_pub, reason = "public to the models, under cfg(loom)"))]
pub mod intake;

#[cfg_attr(not(loom), expect(unreachable_pub, reason = "public to the models, under cfg(loom)"))]
pub mod threads;

#[cfg(not(loom))]
pub(crate) mod shared;

#[cfg(not(loom))]
pub(crate) mod shard;

#[cfg(not(loom))]
pub(crate) mod proposal;

#[cfg(not(loom))]
pub(crate) mod control;

#[cfg(not(loom))]
pub(crate) mod decider;

#[cfg(not(loom))]
pub(crate) mod worker;

#[cfg(not(loom))]
pub(crate) mod stage;

#[cfg(not(loom))]
pub(crate) mod edge;

#[cfg(not(loom))]
pub(crate) mod driver;

#[cfg(not(loom))]
pub(crate) mod views;

#[cfg(not(loom))]
mod exports {
    pub use super::control::LabelView;
    pub use super::edge::allocate::{AllocateRequest, Allocation};
    pub use super::edge::warnings::AskWarning;
    pub(crate) use super::edge::warnings::warn_of;
    pub use super::intake::submission::{AmRequest, NewAttempt, Submission};
    pub use super::intake::to_worker::Heartbeat;
    pub use super::mail::container::{Container, EndReason, EndedContainer, RecoveredContainer};
    pub use super::shared::{HeartbeatProbe, WakeUp};
    pub use super::views::current::NodeView;
    pub use super::views::inspect::{ContainerCounts, ContainerView};
    pub use super::views::requests::RequestView;

    pub(crate) use super::books::close_once::Closed;
    pub(crate) use super::books::ledger::{AppShared, NodeShared};
    pub use super::driver::runner::Polled;
    pub(crate) use super::driver::runner::{Lent, Whereabouts};
    pub(crate) use super::driver::setup::AtRest;
    pub(crate) use super::driver::steps::Stepper;
    #[cfg(feature = "faults")]
    pub(crate) use super::driver::threads::wait;
    pub(crate) use super::driver::threads::{Ends, NoAnswer, UpdateCall, quiesce};
    pub(crate) use super::edge::allocate::{allocate, collect, drain, headroom, prefetch_calls, send_changes};
    pub(crate) use super::intake::future_wakeup::{Waits, waiting};
    pub(crate) use super::intake::reply::{Answer, Reply, Unanswered, reply};
    pub(crate) use super::intake::to_control::LabelChange;
    pub use super::intake::to_control::NewNode;
    pub(crate) use super::intake::to_control::TaskCall;
    pub(crate) use super::intake::to_worker::{External, Internal, Look, Parcel, Recovery, Report, not_taken};
    pub(crate) use super::settings::Settings;
    pub(crate) use super::threads::events::{EventSink, EventSource, events};
    #[cfg(feature = "faults")]
    pub use super::views::audit::Audit;
    #[cfg(feature = "faults")]
    pub(crate) use super::views::audit::compare;
    pub(crate) use super::views::current::node as node_view;
    #[cfg(feature = "faults")]
    pub use super::views::inspect::Kept;
    pub use super::views::inspect::{ReservationNews, ReservedView};
    pub(crate) use super::views::inspect::{Reserved, StepRecord, ask_one, ask_workers};
}
#[cfg(not(loom))]
pub use exports::*;
