//! What reaches the control: news of the workers, and what the embedder asks. And what the preemption task is told.

use crate::config::hash_order::hash_of_node;
use crate::engine::books::ledger::{AppShared, NodeShared};
use crate::engine::intake::reply::Reply;
use crate::engine::intake::submission::{NewAttempt, Submission};
use crate::engine::intake::to_worker::Recovery;
use crate::engine::mail::container::Container;
use crate::engine::parts::Parts;
use crate::event::Refused;
use crate::id::Slot;
use crate::labels::NewLabel;
use crate::resource::Resource;
use crate::sync::Arc;
use crate::sync::channel::Sender;

/// A node that registers.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct NewNode {
    /// Its name, by which asks and blacklists name it: its host, or `host:port`.
    pub name: String,
    /// The name of its rack.
    pub rack: String,
    /// What it has: memory in MiB, vcores, further types.
    pub total: Resource,
    /// The port at which its NodeManager takes calls. `None`: that of its name, or 0. Hadoop's order of nodes depends
    /// on it, where one shows: in the headroom of an application with several blacklisted nodes.
    #[cfg_attr(feature = "serde", serde(default))]
    pub port: Option<u16>,
}

impl NewNode {
    /// A node with its name, its rack and its total.
    #[must_use]
    pub fn new(name: impl Into<String>, rack: impl Into<String>, total: Resource) -> NewNode {
        NewNode { name: name.into(), rack: rack.into(), total, port: None }
    }

    /// Returns the node with the port of its NodeManager.
    #[must_use]
    pub fn with_port(self, port: u16) -> NewNode {
        NewNode { port: Some(port), ..self }
    }

    /// Its host and its port, 0 where it has none.
    pub(crate) fn address(&self) -> (&str, u16) {
        let cut = self.name.rsplit_once(':').and_then(|(host, port)| Some((host, port.parse().ok()?)));
        let (host, in_name) = cut.unwrap_or((&self.name, 0));
        (host, self.port.unwrap_or(in_name))
    }

    /// The hash of Hadoop's `NodeId` of it.
    pub(crate) fn hash(&self) -> u32 {
        let (host, port) = self.address();
        hash_of_node(host, port)
    }
}

/// What is done on the control's thread for somebody who waits for it.
type Looking<P> = Box<dyn FnOnce(&<P as Parts>::WholeControl) + Send>;

/// What is done with plans on the control's thread for somebody who waits for it.
type Planning<P> = Box<dyn FnOnce(&mut <P as Parts>::WholeControl) + Send>;

/// A change of node labels.
#[derive(Clone, Debug)]
pub(crate) enum LabelChange {
    Add(Vec<NewLabel>),
    Remove(Vec<String>),
    /// By host and port, port 0 for the host as a whole.
    Replace(Vec<(String, u16, Vec<String>)>),
}

/// A request of the embedder that the control answers.
pub(crate) enum Call<P: Parts> {
    Submit(Box<Submission>, Reply<Result<Arc<AppShared>, Refused>>),
    SubmitAll(Vec<Submission>, Reply<Vec<Result<Arc<AppShared>, Refused>>>),
    Finish {
        app: Arc<AppShared>,
        by: By,
        reply: Reply<Result<(), Refused>>,
    },
    NextAttempt {
        app: Arc<AppShared>,
        new: NewAttempt,
        reply: Reply<Result<Arc<AppShared>, Refused>>,
    },
    Move {
        app: Arc<AppShared>,
        by: By,
        queue: String,
        reply: Reply<Result<(), Refused>>,
    },
    Recover(Arc<NodeShared>, Box<Recovery>),
    /// With what runs on it.
    AddNode(NewNode, Vec<Recovery>, Reply<Result<Arc<NodeShared>, Refused>>),
    RemoveNode(Arc<NodeShared>, Reply<Result<(), Refused>>),
    ResizeNode {
        node: Arc<NodeShared>,
        total: Resource,
        kill: bool,
        reply: Reply<Result<(), Refused>>,
    },
    Decommission(Arc<NodeShared>, Reply<Result<(), Refused>>),
    Recommission(Arc<NodeShared>, Reply<Result<(), Refused>>),
    Reload(Box<P::Configuration>, Reply<Result<(), Refused>>),
    SetMaximum(Resource, Reply<Result<(), Refused>>),
    Labels(LabelChange, Reply<Result<(), Refused>>),
    App(u32, Reply<Option<Arc<AppShared>>>),
    Apps(Reply<Vec<Arc<AppShared>>>),
    /// Looks at something and sends its answer itself.
    Look(Looking<P>),
    /// What the decider alone knows of.
    Own(P::ControlCall),
    /// Something with plans; it answers itself.
    Plans(Planning<P>),
}

/// On whose behalf something is done: the ResourceManager's own, or a user's, whose rights count.
pub(crate) type By = Option<String>;

impl<P: Parts> std::fmt::Debug for Call<P> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Call")
    }
}

/// What is left to tell of a panic of a worker.
#[derive(Debug)]
pub(crate) struct Panicked {
    pub(crate) worker: usize,
    /// What it said.
    pub(crate) message: String,
    /// The nodes that are lost by it.
    pub(crate) nodes: Vec<Arc<NodeShared>>,
    /// The worker has begun anew.
    pub(crate) goes_on: bool,
}

/// What reaches the control.
#[derive(Debug)]
pub(crate) enum ControlMessage<P: Parts> {
    /// A worker has ended what it had of an attempt, or handed it over.
    AppClosed {
        slot: Slot,
        handed_over: Vec<Container>,
    },
    /// The owner has ended what ran on a node.
    NodeClosed {
        node: Arc<NodeShared>,
        /// Nothing that its owner knows is of the node any more: another may have its place.
        place_is_free: bool,
    },
    /// A worker has panicked: its nodes are lost, and what ran on them has ended.
    WorkerPanicked(Panicked),
    /// The owner asks for a decommissioning node's total to follow its allocation.
    ResizeNode {
        node: Arc<NodeShared>,
        total: Resource,
    },
    /// A decommissioning node has nothing left.
    NodeDrained(Arc<NodeShared>),
    /// From the watcher: what is to be done each time it looks.
    CleanUp,
    /// A run of the plan follower is due; answered when it is published.
    FollowPlans(Reply<()>),
    /// A request of the embedder, or of the watcher.
    Call(Call<P>),
    /// Answer when it is reached.
    Barrier(Reply<()>),
    Shutdown,
}

/// What the preemption task is told.
#[derive(Debug)]
pub(crate) enum TaskCall<C> {
    /// What the decider has its task do.
    Own(C),
    /// Answer when it is reached.
    Barrier(Sender<()>),
    /// End. What is marked and not yet killed lives on.
    Shutdown,
}
