//! What the ResourceManager's answers need of a scheduler, the same for a FairScheduler and a CapacityScheduler.
//!
//! An object at the outer edge: nothing here is on the way of a heartbeat. What is asked for are views, as of now.

mod asked;

mod booking;

mod capacity;

mod capacity_threads;

mod fair;

mod capacity_views;

mod held;

mod kind;

mod reading;

mod refresh;

mod shares;

mod threads;

pub use asked::{AppFigures, Basics, Common, Counts, FairQueue, Health, OfCapacity, Scheduler, Updates, Why};
pub use booking::Booking;
pub use capacity::CapacitySteps;
pub use capacity_threads::CapacityThreads;
pub use fair::Steps;
pub use kind::Kind;
pub(crate) use reading::reach_rules;
pub(crate) use refresh::decode;
pub use refresh::{NotRefreshed, QueuesSource, QueuesText, queues_in};
pub(crate) use shares::am_limit;
pub use threads::Threads;
