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
pub(crate) mod settings;

#[cfg(not(loom))]
pub(crate) mod shared;

#[cfg(not(loom))]
pub(crate) mod decider;

#[cfg_attr(not(loom), expect(unreachable_pub, reason = "public to the models, under cfg(loom)"))]
pub mod intake;

#[cfg_attr(not(loom), expect(unreachable_pub, reason = "public to the models, under cfg(loom)"))]
pub mod worker;

#[cfg_attr(not(loom), expect(unreachable_pub, reason = "public to the models, under cfg(loom)"))]
pub mod publish;

#[cfg_attr(not(loom), expect(unreachable_pub, reason = "public to the models, under cfg(loom)"))]
pub mod commit;

#[cfg_attr(not(loom), expect(unreachable_pub, reason = "public to the models, under cfg(loom)"))]
pub mod mail;

#[cfg_attr(not(loom), expect(unreachable_pub, reason = "public to the models, under cfg(loom)"))]
pub mod books;

#[cfg(not(loom))]
pub(crate) mod control;

#[cfg_attr(not(loom), expect(unreachable_pub, reason = "public to the models, under cfg(loom)"))]
pub mod driver;

#[cfg(not(loom))]
pub(crate) mod views;

#[cfg(not(loom))]
mod exports {
    pub use super::control::{AmRequest, NewAttempt, Submission};
    pub use super::intake::edge::{AllocateRequest, Allocation};
    pub use super::intake::messages::Heartbeat;
    pub use super::intake::reported::Reported;
    pub use super::intake::warnings::AskWarning;
    pub(crate) use super::intake::warnings::warn_of;
    pub use super::mail::container::{Container, EndReason, EndedContainer, RecoveredContainer};
    pub use super::shared::{HeartbeatProbe, WakeUp};
    pub use super::views::current::NodeView;
    pub use super::views::inspect::{ContainerCounts, ContainerView};
    pub use super::views::requests::RequestView;

    pub(crate) use super::books::closed::Closed;
    pub(crate) use super::books::ledger::{AppShared, NodeShared};
    pub(crate) use super::control::NodeSpec;
    pub(crate) use super::driver::deciders::TaskCall;
    pub(crate) use super::driver::events::{EventSink, EventSource, events};
    pub use super::driver::runner::Polled;
    pub(crate) use super::driver::runner::{Lent, Whereabouts};
    pub(crate) use super::driver::steps::Stepper;
    #[cfg(feature = "faults")]
    pub(crate) use super::driver::threads_and_steps::wait;
    pub(crate) use super::driver::threads_and_steps::{Ends, NoAnswer, Parts, UpdateCall, quiesce};
    pub(crate) use super::intake::edge::{allocate, collect, drain, headroom, prefetch_calls, send_changes};
    pub(crate) use super::intake::messages::{External, Internal, Look, Parcel, Recovery, Report, not_taken};
    pub(crate) use super::intake::reply::{Answer, Reply, Unanswered, reply};
    pub(crate) use super::intake::waiting::{Waits, waiting};
    pub(crate) use super::settings::Settings;
    #[cfg(feature = "faults")]
    pub use super::views::audit::Audit;
    #[cfg(feature = "faults")]
    pub(crate) use super::views::audit::compare;
    pub(crate) use super::views::current::node as node_view;
    #[cfg(feature = "faults")]
    pub use super::views::inspect::Kept;
    pub(crate) use super::views::inspect::{Noted, Reserved, ask_one, ask_workers};
    pub use super::views::inspect::{ReservationNews, ReservedView};
}
#[cfg(not(loom))]
pub use exports::*;
