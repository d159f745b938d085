//! The doors that an embedder opens.

// Whatever an embedder gives in, nothing here may panic.
#![warn(clippy::indexing_slicing)]

mod build_error;

mod handles;

mod journal;

mod submitted;

mod worker;

mod door;

mod steps;

mod calls;

mod preemption_round;

mod policy;

mod inner;

mod threaded;

mod stepped;

mod options;

mod waiting;

mod reservations;

mod api;

mod stepped_calls;

mod label_calls;

mod by_number;

mod fair_reasons;

mod fair;

mod fair_calls;

mod builder;

mod capacity_reasons;

mod capacity;

mod capacity_calls;

mod capacity_lifetimes;

mod capacity_watch;

mod capacity_builder;

#[cfg(feature = "faults")]
mod faults;

pub use api::SchedulerApi;
pub use build_error::BuildError;
pub use builder::FairSchedulerBuilder;
pub use by_number::ByNumber;
pub use capacity::{CapacityScheduler, CapacityStepped, WeakCapacityScheduler};
pub use capacity_builder::CapacitySchedulerBuilder;
pub use door::NotSent;
pub use fair::FairScheduler;
#[cfg(feature = "faults")]
pub use faults::Fault;
pub use handles::{AppHandle, NodeHandle};
pub use journal::{AllocatedView, HeldView, Journal};
pub use policy::{Capacity, Fair, Policy};
pub use preemption_round::PreemptionRound;
pub use stepped::Stepped;
pub use submitted::Submitted;
pub use threaded::{Scheduler, WeakScheduler};
pub use worker::Worker;
