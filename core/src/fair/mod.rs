//! The FairScheduler's decisions: whom a node is offered, in which order, and what everybody's share is.
//!
//! Follows `FairScheduler`, `FSQueue`, `FSAppAttempt` and their helpers. Pure decisions over a worker's own data and a
//! snapshot; the engine calls them, by its [`Decider`](crate::engine::decider::Decider), and commits what they propose.

mod engine;

mod moments;

mod published;

pub(crate) mod control;

pub(crate) mod allocations;

mod threads;

mod headroom;

pub(crate) mod views;

mod worker;

mod queue;

mod app;

mod outcome;

pub(crate) mod assignment;

mod bounds;

mod in_vain;

mod locality;

mod am_share;

mod reserving;

pub(crate) mod placing;

pub(crate) mod update;

pub(crate) mod preemption;

pub(crate) mod decision;

pub(crate) mod trace;

mod words;

mod reasons;

mod explaining;

#[cfg(feature = "faults")]
mod audit;

pub use decision::{
    AmShare, AppOutcome, AppVisit, Claim, Decision, KeyOutcome, KeyVisit, NotOffered, NotReserved, Obstacle, PassEnd,
    QueueOutcome, QueueVisit, ReservationOutcome, ReservationVisit,
};

pub use reasons::{FairReason, FairWait};
pub use words::{Told, Words, nearness, precedence};

#[cfg(test)]
pub(crate) use engine::Internal;
#[cfg(test)]
pub(crate) use engine::Stepper;
pub(crate) use engine::{AtRest, Call, Control, ControlMessage, FairDecider, Shard, Shared};
pub(crate) use explaining::Waits;
pub(crate) use threads::Threads;

pub use control::QueueConfig;
pub use views::{AppView, QueueView, Stats};

pub(crate) use preemption::{MarkedFor, OwedRoom};
