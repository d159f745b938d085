//! The load: a closed loop of jobs against a scheduler, in compressed time.
//!
//! # The flow
//! ```text
//! trace -> jobs -> admission -> submit ............... scheduler
//!                   AMs (app)  -> allocate <- wake-ups ...  |
//!                   time wheel -> heartbeats ..............>|
//!                   books, samples <- stats, queues .......<|
//! ```
//! With a speed the loop is open: jobs come at the times of their trace (`timetable`).
//!
//! Reservations of a file are booked by a client beside it (`client`). With preemption one queue comes late (`late`),
//! and containers may be taken (`preempting`).
//!
//! `simulation` is a load without an end, for a server that shows it.
//!
//! One thread drives everything; all counting is dense vectors by node and by application slot.

mod admission;

mod app;

mod books;

mod client;

mod server_requests;

mod driver;

mod inputs;
mod late;
mod start_labels;

mod options;

mod preempting;

mod node_labels;

mod reading;

mod reloads;

mod run;

mod speed;

mod timetable;

mod simulation;

mod observation;

mod wishes;

mod wheel;

pub(crate) use driver::Sample;
pub use inputs::Inputs;
pub(crate) use inputs::Rules;
pub use node_labels::{LabelShare, LabelShares};
pub use options::{InFlight, LateOptions, LoadOptions, NODE_WORDS};
pub(crate) use preempting::{Point, Rates, Story};
pub(crate) use reloads::Reloads;
pub(crate) use run::{CoreRun, NODE, PartitionLine};
pub use run::{LoadResult, Moment, run};
pub use simulation::Simulation;
pub use speed::Speed;
pub use start_labels::StartLabels;
