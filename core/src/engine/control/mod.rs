//! The control: life of applications, queues and nodes.
//!
//! # Where it stands
//! Owns the queue tree, the lists of applications and nodes, and rights; one thread in the threaded driver, plain calls
//! in the stepped one. It sends work to the owners of nodes and publishes *structure* snapshots at once. Which queue
//! somebody enters, who is offered nodes and who waits, what a queue's settings are, is the decider's: [`ControlPart`].
//!
//! # Two phases
//! The end of an application and the removal of a node: *close* (no further calls; every worker concerned ends what it
//! has and acknowledges), then *commit* (the tree changes, the slot is free). Nothing is freed before the last
//! acknowledgement, so no worker meets a stale slot.

mod state;

mod part;

mod handling;

mod apps;

mod attempts;

mod labelling;
mod labels;

mod nodes;

mod places;

mod present;

mod plans;

mod publishing;

mod rights;

mod users;

#[cfg(feature = "faults")]
mod audit;

#[cfg(feature = "faults")]
pub(crate) use audit::ControlCount;
pub use labels::LabelView;
pub(crate) use part::{ControlPart, Controlled, Entry, LeafEntry, QueueTerms};
pub(crate) use plans::Asking;
pub(crate) use rights::EITHER;
pub(crate) use state::{App, AppList, Control, WantedAm, empty_structure};
