//! What travels between threads.

use super::ledger::{AppShared, NodeShared};
use super::mailbox::Container;
use super::shard::Shard;
use crate::app::{Ask, SchedulingKey};
use crate::id::{ContainerId, Slot};
use crate::resource::Resource;
use crate::sync::Arc;
use crate::sync::channel::Sender;
use smallvec::SmallVec;

/// What a node reports.
#[derive(Clone, Debug)]
pub struct Heartbeat {
    pub(crate) node: Arc<NodeShared>,
    /// Containers that run since the last report. One that the AM has and no report names in time, here or as completed,
    /// expires: `yarn.resourcemanager.rm.container-allocation.expiry-interval-ms`.
    pub launched: SmallVec<[ContainerId; 2]>,
    /// Containers that ended since the last report, in order.
    pub completed: SmallVec<[ContainerId; 4]>,
    /// Not zero: the [`HeartbeatProbe`](crate::HeartbeatProbe) is told of this one.
    pub stamp: u64,
    /// Whether the node's room is offered then, as with every heartbeat of Hadoop's; true without more. `false` is a report
    /// of containers and no more, for embedders that hear of these between heartbeats.
    pub offer: bool,
}

/// What the embedder sends to a worker.
#[derive(Debug)]
pub(crate) enum External {
    Heartbeat(Heartbeat),
    Heartbeats(Vec<Heartbeat>),
    /// To the application's home worker.
    Asks(AskChange),
    /// To the worker that granted it.
    Release(ContainerId),
    /// Answer when it is reached.
    Barrier(Sender<()>),
}

/// Whose asks change.
#[derive(Debug)]
pub(crate) enum Asking {
    /// One that the worker has met: no reference is counted up here and down there with each call.
    Known(Slot),
    New(Arc<AppShared>),
}

/// What one `allocate` call changes.
#[derive(Debug)]
pub(crate) struct AskChange {
    pub(crate) app: Asking,
    /// Most calls change one: more would have each message moved about with room for them.
    pub(crate) asks: SmallVec<[Ask; 1]>,
    /// The application's whole blacklist, when it changed.
    pub(crate) blacklist: Option<Box<[u32]>>,
}

/// One replaced ask, as the home worker tells the others.
#[derive(Clone, Debug)]
pub(crate) struct AskNews {
    pub(crate) key: SchedulingKey,
    pub(crate) location: u32,
    pub(crate) size: Resource,
    pub(crate) relax: bool,
    pub(crate) what: NewsKind,
}

#[derive(Clone, Debug)]
pub(crate) enum NewsKind {
    /// The `*` count was replaced, under this epoch.
    Any { epoch: u32, cell: Arc<super::ledger::KeyCell>, open: bool },
    /// A rack or node has a count now.
    Location { count: super::ledger::LocationCount, epoch: u32, explicit_zero: bool },
}

/// One unit that goes back: the container ended before its AM saw it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct GiveBack {
    pub(crate) key: SchedulingKey,
    pub(crate) location: u32,
    pub(crate) size: Resource,
    pub(crate) relax: bool,
}

/// Offers beside those of heartbeats: which nodes of the worker get one.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Round {
    /// Every node that has reported lately; from the async allocation thread.
    Offers,
    /// A pass of continuous scheduling.
    Continuous,
}

/// The attempt that takes over the running containers of one that ends.
#[derive(Clone, Debug)]
pub(crate) struct Successor {
    pub(crate) app: Arc<AppShared>,
    /// The AM's blacklist, which it takes over too.
    pub(crate) blacklist: Box<[u32]>,
}

/// What core threads send to a worker.
#[derive(Debug)]
pub(crate) enum Internal {
    /// From the application's home worker.
    News {
        app: Arc<AppShared>,
        rows: SmallVec<[AskNews; 2]>,
        blacklist: Option<Box<[u32]>>,
    },
    /// To the application's home worker.
    GiveBack {
        app: Arc<AppShared>,
        rows: SmallVec<[GiveBack; 3]>,
    },
    /// The AM's first request, made by the control when it accepts a managed application.
    FirstAsk {
        app: Arc<AppShared>,
        asks: SmallVec<[Ask; 1]>,
    },
    /// The attempt ends: its containers end, or go over to the next attempt, then [`ControlMessage::AppClosed`].
    CloseApp {
        app: Arc<AppShared>,
        successor: Option<Successor>,
    },
    AddNode {
        node: Arc<NodeShared>,
        total: Resource,
    },
    /// Its containers end, then [`ControlMessage::NodeClosed`].
    RemoveNode(Arc<NodeShared>),
    ResizeNode {
        node: Arc<NodeShared>,
        total: Resource,
        /// What no longer fits ends at once.
        kill: bool,
    },
    /// The node is to be emptied, or no longer.
    Decommission {
        node: Arc<NodeShared>,
        on: bool,
    },
    /// From a thread that offers nodes at intervals; one outstanding a worker and kind.
    Round(Round),
    /// From the preemption task.
    Victims(super::preemption::VictimCall),
    /// A snapshot was published that no worker may sleep over.
    TakeSnapshot,
    /// The embedder looks at something, or has it done, and is answered.
    Look(Look),
    /// Answer when it is reached.
    Barrier(Sender<()>),
    /// Work off what is there and end.
    Shutdown,
}

/// What a worker does for somebody who waits for it; sends its answer itself.
pub(crate) struct Look(pub(crate) Box<dyn FnOnce(&mut Shard) + Send>);

impl std::fmt::Debug for Look {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Look")
    }
}

/// What reaches the control.
#[derive(Debug)]
pub(crate) enum ControlMessage {
    /// A worker has ended what it had of an attempt, or handed it over.
    AppClosed {
        slot: Slot,
        handed_over: Vec<Container>,
    },
    /// The owner has ended what ran on a node.
    NodeClosed(Arc<NodeShared>),
    /// The owner asks for a decommissioning node's total to follow its allocation.
    ResizeNode {
        node: Arc<NodeShared>,
        total: Resource,
    },
    /// A decommissioning node has nothing left.
    NodeDrained(Arc<NodeShared>),
    /// From the watcher: what is to be done each time it looks.
    CleanUp,
    /// A request of the embedder, or of the watcher.
    Call(super::control::Call),
    /// Answer when it is reached.
    Barrier(Sender<()>),
    Shutdown,
}

impl Heartbeat {
    pub(crate) fn of(node: Arc<NodeShared>) -> Heartbeat {
        Heartbeat { node, launched: SmallVec::new(), completed: SmallVec::new(), stamp: 0, offer: true }
    }
}
