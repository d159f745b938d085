//! Messages from the core's own threads to a worker: the internal lane.

use crate::app::{Ask, SchedulingKey};
use crate::engine::books::ledger::{AppShared, KeyCell, NodeShared};
use crate::engine::intake::reply::Reply;
use crate::engine::mail::container::RecoveredContainer;
use crate::engine::parts::Parts;
use crate::engine::records::rows::SharedCount;
use crate::event::Refused;
use crate::id::{ContainerId, LabelId, Slot};
use crate::resource::Resource;
use crate::sync::Arc;
use crate::sync::channel::Sender;
use smallvec::SmallVec;

/// A message from a thread of the core to a worker, in groups by sender.
#[derive(Debug)]
pub(crate) enum Internal<P: Parts> {
    // From the control. A decider's control sends its own messages by `Own`, below.
    /// The AM's first request, made when a managed application is accepted.
    FirstAsk {
        app: Arc<AppShared>,
        asks: SmallVec<[Ask; 1]>,
        /// Of the nodes that it may get.
        label: LabelId,
    },
    /// The attempt ends: its containers end or the next attempt takes them over. The answer is
    /// [`AppClosed`](crate::engine::intake::to_control::ControlMessage::AppClosed).
    CloseApp {
        app: Arc<AppShared>,
        successor: Option<Successor>,
    },
    /// A container of an application runs on a node of the worker.
    Recover(Arc<NodeShared>, Box<Recovery>),
    /// A new node, with the containers that run on it: they are charged before the node is offered.
    AddNode {
        node: Arc<NodeShared>,
        total: Resource,
        label: LabelId,
        running: Vec<Recovery>,
    },
    /// The node's containers end. The answer is
    /// [`NodeClosed`](crate::engine::intake::to_control::ControlMessage::NodeClosed).
    RemoveNode(Arc<NodeShared>),
    ResizeNode {
        node: Arc<NodeShared>,
        total: Resource,
        /// Containers that no longer fit end at once.
        kill: bool,
    },
    /// Nodes have these labels, mostly other ones than before; something else may have changed with them, or nothing at
    /// all.
    Relabel(Arc<[RelabelledNode]>),
    /// The node is being decommissioned (`on`), or no longer.
    Decommission {
        node: Arc<NodeShared>,
        on: bool,
    },
    /// A snapshot was published that every worker has to take over at once, also a worker that sleeps.
    TakeSnapshot,

    // From other workers.
    /// From the application's home worker: changed asks. Rare and large.
    News(Box<News>),
    /// From the application's home worker, to workers that may have found nothing left under a key: there is something
    /// again, of the known size.
    Reopened {
        app: Slot,
        key: SchedulingKey,
    },
    /// To the application's home worker: units of asks that go back.
    GiveBack {
        app: Arc<AppShared>,
        rows: SmallVec<[GiveBack; 3]>,
    },

    // From the control, from a task or from another worker of the decider.
    /// The decider's own message. The FairScheduler's are `VictimCall` (`fair::preemption`): containers to mark and to
    /// kill. The CapacityScheduler's are `CapacityMessage` (`capacity::decide::messages`): an application enters,
    /// starts, moves or gets another priority, a survey for preemption, and more.
    Own(P::Message),

    // From a thread that offers nodes at intervals. One round of a kind is outstanding for each worker.
    Round(Round),

    // From the embedder.
    /// The worker runs a closure on its data. The closure sends the answer.
    Look(Look<P>),
    /// The worker answers when it comes to this message.
    Barrier(Sender<()>),
    /// The worker processes what is in its lanes, and ends.
    Shutdown,
}

/// A closure that a worker runs once, for a caller that waits. The closure sends the answer itself.
pub(crate) struct Look<P: Parts>(Option<Looking<P>>);

type Looking<P> = Box<dyn FnOnce(&mut <P as Parts>::Shard) + Send>;

impl<P: Parts> Look<P> {
    pub(crate) fn new(look: impl FnOnce(&mut P::Shard) + Send + 'static) -> Look<P> {
        Look(Some(Box::new(look)))
    }

    /// Runs the closure, the first time that it is called.
    pub(crate) fn run(&mut self, shard: &mut P::Shard) {
        if let Some(look) = self.0.take() {
            look(shard);
        }
    }
}

impl<P: Parts> std::fmt::Debug for Look<P> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Look")
    }
}

/// A node, and the label that it has from now on.
#[derive(Clone, Debug)]
pub(crate) struct RelabelledNode {
    pub(crate) node: Arc<NodeShared>,
    pub(crate) label: LabelId,
}

/// One replaced ask, as the home worker reports it to the other workers.
#[derive(Clone, Debug)]
pub(crate) struct AskNews {
    pub(crate) key: SchedulingKey,
    pub(crate) location: u32,
    pub(crate) size: Resource,
    pub(crate) relax: bool,
    pub(crate) label: LabelId,
    pub(crate) what: NewsKind,
}

#[derive(Clone, Debug)]
pub(crate) enum NewsKind {
    /// The `*` ask has another size or relaxation, in this epoch; or something is outstanding again.
    Any { epoch: u16, cell: Arc<KeyCell>, open: bool },
    /// A rack or node has a count from now on.
    Location(SharedCount),
}

impl NewsKind {
    /// The key's cell, if the news contain it.
    pub(crate) fn cell(&self) -> Option<&Arc<KeyCell>> {
        match self {
            NewsKind::Any { cell, .. } => Some(cell),
            NewsKind::Location(_) => None,
        }
    }
}

/// One unit of an ask that goes back, because its container ended before the AM saw it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct GiveBack {
    pub(crate) key: SchedulingKey,
    pub(crate) location: u32,
    pub(crate) size: Resource,
    pub(crate) relax: bool,
    pub(crate) label: LabelId,
}

/// A round of offers at an interval, in addition to those of heartbeats. Says which nodes of the worker are offered.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Round {
    /// Every node that has reported lately. Sent by the async allocation thread.
    Offers,
    /// A pass of continuous scheduling over the nodes.
    Continuous,
}

/// The attempt that takes over the running containers of an attempt that ends.
#[derive(Clone, Debug)]
pub(crate) struct Successor {
    pub(crate) app: Arc<AppShared>,
    /// The AM's blacklist, which it takes over too.
    pub(crate) blacklist: Box<[u32]>,
}

/// A container that runs already, as its node says, with the caller that waits for its id.
#[derive(Clone, Debug)]
pub(crate) struct Recovery {
    pub(crate) app: Arc<AppShared>,
    pub(crate) container: RecoveredContainer,
    pub(crate) reply: Reply<Result<ContainerId, Refused>>,
}

/// Changed asks of an application, from its home worker to the other workers.
#[derive(Debug)]
pub(crate) struct News {
    pub(crate) app: Arc<AppShared>,
    pub(crate) rows: SmallVec<[AskNews; 2]>,
    /// The application's whole blacklist, when it changed.
    pub(crate) blacklist: Option<Box<[u32]>>,
}
