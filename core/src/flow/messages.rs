//! What travels between threads.

use super::ledger::{AppShared, NodeShared};
use crate::app::Ask;
use crate::id::{ContainerId, Slot};
use crate::resource::Resource;
use crate::sync::Arc;
use crate::sync::channel::Sender;
use smallvec::SmallVec;

/// What a node reports.
#[derive(Clone, Debug)]
pub struct Heartbeat {
    pub(crate) node: Arc<NodeShared>,
    /// Containers that run since the last report.
    pub launched: SmallVec<[ContainerId; 2]>,
    /// Containers that ended since the last report, in order.
    pub completed: SmallVec<[ContainerId; 8]>,
    /// Not zero: the [`HeartbeatProbe`](crate::HeartbeatProbe) is told of this one.
    pub stamp: u64,
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

/// What one `allocate` call changes.
#[derive(Debug)]
pub(crate) struct AskChange {
    pub(crate) app: Arc<AppShared>,
    pub(crate) asks: SmallVec<[Ask; 2]>,
    /// The application's whole blacklist, when it changed.
    pub(crate) blacklist: Option<Box<[u32]>>,
}

/// One replaced ask, as the home worker tells the others.
#[derive(Clone, Debug)]
pub(crate) struct AskNews {
    pub(crate) priority: i32,
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
    pub(crate) priority: i32,
    pub(crate) location: u32,
    pub(crate) size: Resource,
    pub(crate) relax: bool,
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
        size: Resource,
    },
    /// The attempt ends: its containers end, then [`ControlMessage::AppClosed`].
    CloseApp(Arc<AppShared>),
    AddNode {
        node: Arc<NodeShared>,
        total: Resource,
    },
    /// Its containers end, then [`ControlMessage::NodeClosed`].
    RemoveNode(Arc<NodeShared>),
    ResizeNode {
        node: Arc<NodeShared>,
        total: Resource,
    },
    Decommission(Arc<NodeShared>),
    /// From the preemption task.
    Victims(super::preemption::VictimCall),
    /// One offer to every node of the worker, from the async allocation thread; one outstanding a worker.
    OfferAll,
    /// A snapshot was published that no worker may sleep over.
    TakeSnapshot,
    /// Answer when it is reached.
    Barrier(Sender<()>),
    /// Work off what is there and end.
    Shutdown,
}

/// What reaches the control.
#[derive(Debug)]
pub(crate) enum ControlMessage {
    /// A worker has ended what it had of an application.
    AppClosed(Slot),
    /// The owner has ended what ran on a node.
    NodeClosed(Arc<NodeShared>),
    /// The owner asks for a decommissioning node's total to follow its allocation.
    ResizeNode {
        node: Arc<NodeShared>,
        total: Resource,
    },
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
        Heartbeat { node, launched: SmallVec::new(), completed: SmallVec::new(), stamp: 0 }
    }
}
