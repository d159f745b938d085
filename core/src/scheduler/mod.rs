//! The doors that an embedder opens.

// Whatever an embedder gives in, nothing here may panic.
#![warn(clippy::indexing_slicing)]

mod alike;

mod build_error;

mod builder;

mod by_call;

mod calls;

mod capacity;

mod capacity_calls;

mod capacity_lifetimes;

mod capacity_reasons;

mod capacity_watch;

mod capacity_threads;

mod door;

mod fair;

mod fair_reasons;

#[cfg(feature = "faults")]
mod faults;

mod handles;

mod inner;

mod journal;

mod options;

mod reservations;

mod stepped;

mod steps;

mod submitted;

mod waiting;

mod worker;

pub use build_error::BuildError;
pub use builder::FairSchedulerBuilder;
pub use capacity::{CapacitySchedulerBuilder, CapacityStepped};
pub use capacity_threads::{CapacityScheduler, WeakCapacityScheduler};
pub use door::NotSent;
pub use fair::{FairScheduler, WeakScheduler};
#[cfg(feature = "faults")]
pub use faults::Fault;
pub use handles::{AppHandle, NodeHandle};
pub use journal::{AllocatedView, HeldView, Journal};
pub use stepped::{PreemptionRound, Stepped};
pub use submitted::Submitted;
pub use worker::Worker;
