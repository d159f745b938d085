//! The FairScheduler's decisions: whom a node is offered, in which order, and what everybody's share is.
//!
//! Follows `FairScheduler`, `FSQueue`, `FSAppAttempt` and their helpers. Pure decisions over a worker's own data and a snapshot; the
//! engine calls them, by its [`Decider`](crate::engine::decider::Decider), and commits what they propose.

mod decider;

mod worker;

mod queue;

mod app;

pub(crate) mod assignment;

mod locality;

mod am_share;

mod reserving;

pub(crate) mod placing;

pub(crate) mod update;

pub(crate) mod preemption;

pub(crate) mod decision;

pub(crate) mod trace;

#[cfg(feature = "faults")]
mod audit;

pub use decision::{
    AmShare, AppOutcome, AppVisit, Claim, Decision, KeyOutcome, KeyVisit, NotOffered, NotReserved, Obstacle, PassEnd,
    QueueOutcome, QueueVisit, ReservationOutcome, ReservationVisit,
};

pub(crate) use decider::FairDecider;
pub(crate) use preemption::{MarkedFor, OwedRoom};

/// The engine under the FairScheduler.
pub(crate) type Shard = crate::engine::worker::shard::Shard<FairDecider>;
pub(crate) type QueueLocal = crate::engine::worker::queue::QueueLocal<FairDecider>;
pub(crate) type AppLocal = crate::engine::worker::app::AppLocal<FairDecider>;
pub(crate) type KeyLocal = crate::engine::worker::key::KeyLocal<FairDecider>;
pub(crate) type Node = crate::engine::worker::node::Node<FairDecider>;
pub(crate) type Shared = crate::engine::shared::Shared<FairDecider>;
pub(crate) type Internal = crate::engine::intake::messages::Internal<FairDecider>;
#[cfg(feature = "faults")]
pub(crate) type Look = crate::engine::intake::messages::Look<FairDecider>;
pub(crate) type ControlMessage = crate::engine::intake::messages::ControlMessage<FairDecider>;
pub(crate) type Control = crate::engine::control::Control<FairDecider>;
pub(crate) type Call = crate::engine::control::Call<FairDecider>;
