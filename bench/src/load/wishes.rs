//! What somebody who watches a simulated cluster wants of it: nodes that come and go, more or less load, an
//! application.
//!
//! A wish goes over a channel to the driver's thread, which does it between two rounds and answers.

use crossbeam_channel::{Receiver, Sender};
use evenweave::reservation::ReservationId;

use crate::api::Refused;

/// What is wanted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Wish {
    /// So many more nodes.
    AddNodes(u32),
    /// A node is gone, with all that runs on it.
    LoseNode(String),
    /// So many per cent of the load that keeps the cluster full.
    Load(u32),
    /// An application.
    Submit(Job),
}

/// An application that somebody wants.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Job {
    pub(crate) user: String,
    pub(crate) queue: String,
    pub(crate) tasks: u32,
    pub(crate) seconds: u32,
    /// Which it belongs to; the queue is its plan then.
    pub(crate) reservation: Option<ReservationId>,
    /// Of the nodes that it wants.
    pub(crate) label: Option<String>,
}

/// What was done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Done {
    /// In a sentence.
    pub(crate) said: String,
    /// Of a submission the application's number.
    pub(crate) app: Option<u32>,
}

impl From<String> for Done {
    fn from(said: String) -> Done {
        Done { said, app: None }
    }
}

/// A wish, and where its answer goes: what was done, or why not.
#[derive(Debug)]
pub(crate) struct Wished {
    pub(crate) wish: Wish,
    pub(crate) reply: Sender<Result<Done, String>>,
}

/// Takes a node away from the scheduler, by its name.
pub(crate) type RemoveNode = Box<dyn Fn(&str) -> Result<(), Refused> + Send>;

/// Where wishes come from, and how they are done.
pub(crate) struct Wishes {
    pub(crate) wished: Receiver<Wished>,
    pub(crate) remove_node: RemoveNode,
}
