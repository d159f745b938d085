//! The FairScheduler's decisions: whom a node is offered, in which order, and what everybody's share is.
//!
//! Follows `FairScheduler`, `FSQueue`, `FSAppAttempt` and their helpers. Pure decisions over a worker's own data and a snapshot; the
//! engine calls them and commits what they propose.

pub(crate) mod assignment;

pub(crate) mod placing;

pub(crate) mod update;

pub(crate) mod preemption;

pub(crate) mod decision;

pub(crate) mod trace;

#[cfg(feature = "faults")]
mod audit;

pub use decision::{
    AmShare, AppOutcome, AppVisit, Claim, Decision, KeyOutcome, KeyVisit, NotOffered, NotReserved, Obstacle, PassEnd,
    QueueOutcome, QueueVisit, ReservationOutcome, ReservationVisit, RunningLimit,
};

pub(crate) use decision::Notes;
pub(crate) use preemption::{MarkedFor, OwedRoom};
