//! The ReservationSystem: resources of a queue, promised ahead of time.
//!
//! Pure: one thread at a time, the time and the scheduler's queues are given in. Follows the package `reservation` of
//! Hadoop 3.4.2's ResourceManager (rules/reservations.md 1 to 13). A queue that the allocation file marks as
//! `reservation` is a [`Plan`]. A client books a [`ReservationDefinition`]; an agent ([`agent`]) finds it a place in
//! the plan; a sharing policy ([`sharing`]) admits it or not; the follower makes a queue for it when its time has come,
//! and takes it away afterwards. [`ReservationSystem`] has the calls.
//!
//! # Example
//! Half of the cluster is a plan; ten containers are booked in it for the next hour.
//!
//! ```
//! use evenweave::reservation::agent::{Job, ReservationAgent, WayAgent};
//! use evenweave::reservation::{
//!     Interpreter, Plan, PlanBooks, PlanTerms, ReservationDefinition, ReservationId, Stage, sharing::CapacityOverTime,
//! };
//! use evenweave::Resource;
//! use std::sync::Arc;
//!
//! let terms = PlanTerms {
//!     step_ms: 1_000,
//!     largest_period_ms: 86_400_000,
//!     largest_container: Resource::new(8_192, 8),
//! };
//! let books = PlanBooks::new(terms, Resource::new(16_384, 16));
//! let mut plan = Plan::new(books, Arc::new(CapacityOverTime::default()));
//!
//! let stage = Stage::new(Resource::new(1_024, 1), 10, 600_000);
//! let definition = ReservationDefinition::new(0, 3_600_000, Interpreter::All, vec![stage]);
//! let id = ReservationId { cluster_timestamp: 0, number: 1 };
//! let job = Job { id, user: "ann", definition: &definition, now: 0 };
//! WayAgent::aligned_then_greedy(10).reserve(&mut plan, &job)?;
//!
//! // Two at once in each of the first four sixths of the hour, one in each of the other two.
//! let pieces = plan.books().reservation(id).unwrap().pieces();
//! assert_eq!(pieces[0].resource, Resource::new(2_048, 2));
//! # Ok::<(), evenweave::reservation::ReservationRefused>(())
//! ```

mod acls;

pub mod agent;

mod asked;

mod booked;

mod definition;

mod follower;

mod id;

mod limits;

mod measure;

mod numbers;

mod options;

mod plan;

pub mod profile;

mod queues;

mod refused;

mod replanner;

mod reserve_error;

pub mod sharing;

mod state;

mod system;

mod validation;

pub use acls::Caller;
pub(crate) use asked::AskedPlan;
pub use booked::Reservation;
pub use definition::{Interpreter, ReservationDefinition, ReservationRequests, Stage};
pub use follower::{Followed, MovedApp};
pub use id::{ReservationId, ReservationIdError};
pub use measure::Measure;
pub use options::{ReservationOptions, UnknownClass};
pub use plan::{Plan, PlanBooks, PlanTerms, PlanView, SharingPolicy};
pub use queues::{PlanChild, PlanQueue, PlanQueues};
pub use refused::{ReservationRefused, ReservationRight, Shortage};
pub use replanner::{NewestFirst, Replanner};
pub use reserve_error::ReserveError;
pub use state::{KeptReservation, ReservationState, StateError};
pub use system::{ReservationQuery, ReservationSubmission, ReservationSystem};
