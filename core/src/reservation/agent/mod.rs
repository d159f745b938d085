//! Agents: where in a plan a reservation gets its place.
//!
//! Follows the package `reservation.planning` of Hadoop 3.4.2. An agent runs its *ways*, one after the other, until one
//! finds a place that the plan's policy takes. A way is a rule for the window in which a stage may run ([`Windows`])
//! and one for its place there ([`Placement`]).

mod aligned;

mod greedy;

mod job;

mod planner;

mod stage;

mod stepwise;

mod ways;

mod window;

pub use job::{Job, ReservationAgent, book};
pub use planner::Way;
pub use stage::{Placement, Site};
pub use ways::WayAgent;
pub use window::Windows;
