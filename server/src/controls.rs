//! What the live page may change of a cluster that is simulated: nodes, load, applications, the file of queues.
//!
//! Whoever simulates implements [`Controls`]. A ResourceManager over a real cluster has none, and its page shows none.
//! Killing, moving and node commands are the same as for any cluster.

use evenweave::config::Diagnostic;
use serde::Deserialize;

use crate::scheduler::QueuesText;

/// One thing to be done.
#[derive(Clone, Debug, Deserialize, PartialEq, Eq)]
#[serde(tag = "do", rename_all = "snake_case", deny_unknown_fields)]
pub enum Action {
    /// So many more nodes.
    AddNodes {
        /// How many.
        count: u32,
    },
    /// A node is gone, with all that runs on it.
    LoseNode {
        /// Its name.
        node: String,
    },
    /// How much is handed in.
    Load {
        /// Of what keeps the cluster full.
        percent: u32,
    },
    /// An application.
    Submit {
        /// Whose it is.
        user: String,
        /// Where it is to run.
        queue: String,
        /// How many containers it asks for, besides its ApplicationMaster's.
        tasks: u32,
        /// How long each runs.
        seconds: u32,
        /// The name of the reservation that it belongs to; the queue is its plan then.
        #[serde(default)]
        reservation: Option<String>,
        /// The label of the nodes that it wants; none: what its queue has for such.
        #[serde(default)]
        label: Option<String>,
    },
}

/// How things stand.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Standing {
    /// How much is handed in, of what keeps the cluster full.
    pub load_percent: u32,
    /// The queues that are in force.
    pub queues: QueuesText,
}

/// What whoever simulates a cluster lets others do.
pub trait Controls: Send + Sync {
    /// How things stand.
    fn standing(&self) -> Standing;
    /// Does something; what was done, in a sentence.
    ///
    /// # Errors
    /// Why not, in a sentence.
    fn act(&self, action: Action) -> Result<String, String>;
    /// What there is to say of a text of queues, without taking it.
    fn check(&self, text: &str) -> Vec<Diagnostic>;
    /// The scheduler has taken these queues.
    fn taken(&self, text: String);
}
