//! The trait through which the engine asks a scheduler for its decisions.
//!
//! The engine owns what is the same for every scheduler: nodes, containers, each worker's copy of the asks, leases,
//! mail and usage. A [`Decider`] decides the rest: which child of a queue comes first, what may be skipped, when a node
//! has got enough. Each scheduler has one type that implements it, so every call is static. What a decider stores
//! inside the engine's records is said by its [`Parts`].
//!
//! # Where it stands
//! Above [`Shard`], whose stages call it. Each method is named after the moment at which the engine calls it. A method
//! that gets a shard runs on the worker that owns the shard, between two steps of the engine. No method runs while
//! another one runs, except those that the decider itself leads to, by a grant or by the end of a container.
//!
//! # What a decider may do
//! It may read the whole shard, change its own parts, and call `try_grant`, `reserve_node`, `unreserve` and `fold`.
//! Usage, nodes, containers and asks change only in these calls. The decider says what a reservation is charged to.
//!
//! # Where the engine calls up
//! In the middle of a grant or an end, the engine calls the decider: queues and applications are put in order as their
//! usage changes, level by level, before the next choice is made. `docs/architecture.md` draws it.
//!
//! # Its tasks
//! [`UpdateTask`] computes what everybody may have and publishes it. [`PreemptionTask`] takes containers back for
//! applications that have too little. Whether they run on threads of their own or on the caller's, and when they end,
//! is the driver's.

use crate::engine::books::ledger::AppShared;
use crate::engine::control::Controlled;
use crate::engine::intake::to_control::TaskCall;
use crate::engine::intake::to_worker::RelabelledNode;
use crate::engine::parts::Parts;
use crate::engine::proposal::Refusal;
use crate::engine::publish::snapshot::{QueueSnapshot, SchedulerSnapshot};
use crate::engine::records::app::AppLocal;
use crate::engine::records::containers::ContainerRecord;
use crate::engine::records::key::KeyLocal;
use crate::engine::records::node::Node;
use crate::engine::records::queue::QueueLocal;
use crate::engine::shard::Shard;
use crate::engine::shared::Shared;
use crate::event::Refused;
#[cfg(feature = "faults")]
use crate::id::ContainerId;
use crate::id::Locality;
use crate::labels::LabelTerms;
use crate::policy::ClusterTotal;
use crate::resource::Resource;
use crate::sync::Arc;
use crate::sync::channel::Receiver;
#[cfg(feature = "faults")]
use std::collections::BTreeMap;
use std::fmt::Debug;
use std::time::Duration;

/// Why the asks of an application have changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AskCause {
    /// Its AM has called; `anywhere`: it says how many it wants at `*`; `nothing`: under some key that is none.
    Call { anywhere: bool, nothing: bool },
    /// What a container had been taken from came back.
    GivenBack,
    /// Another worker has said so; `nothing`: its AM wants none at `*` under some key.
    News { nothing: bool },
}

/// See the module's text.
pub(crate) trait Decider: Controlled<Shard = Shard<Self>> {
    /// Its task that computes what everybody may have.
    type Updater: UpdateTask;
    /// Its task that takes containers back.
    type Preemptor: PreemptionTask<Self>;

    /// Whether it puts queues in order by the usage that the engine counts, and is told as that changes
    /// ([`queue_usage_changed`](Self::queue_usage_changed)).
    const ORDERS_BY_USAGE: bool;

    /// Whether it counts by node label, where these are on.
    const COUNTS_BY_LABEL: bool;

    // ------------------------------------------------------------------------------------------------ what is made

    /// A worker starts; `worker` is its number.
    fn worker(shared: &Shared<Self>, worker: usize) -> Self::Worker;

    /// A worker learns of a queue. No child has a place yet.
    fn queue(shared: &Shared<Self>, snapshot: &QueueSnapshot<Self>, figures: &Self::Figures) -> Self::Queue;

    /// A worker learns of an application.
    fn app(shared: &Shared<Self>, worker: usize, app: &AppShared, figures: &Self::Figures) -> Self::App;

    /// The scheduler starts: returns the decider's tasks, if it has any and the settings ask for them. With `timers`
    /// the tasks act by time on their own.
    fn tasks(shared: &Arc<Shared<Self>>, timers: bool) -> (Option<Self::Updater>, Option<Self::Preemptor>);

    // ------------------------------------------------------------------------------------------------ an AM calls, on
    // its thread

    /// An application's AM will soon call. Prefetches what the answer is made from.
    fn prefetch_call(snapshot: &SchedulerSnapshot<Self>, leaf: u32);

    /// An AM asks for containers of these sizes, each of which one container may have. The decider refuses a size that
    /// the leaf could never be granted. Returns what sizes are cut to.
    fn asked<'a>(
        shared: &Shared<Self>,
        snapshot: &SchedulerSnapshot<Self>,
        leaf: &QueueSnapshot<Self>,
        sizes: impl Iterator<Item = &'a Resource>,
    ) -> Result<Resource, Refused>;

    /// Which labels an application of a leaf may ask for; `None`: none at all.
    fn label_terms<'a>(leaf: &'a QueueSnapshot<Self>) -> Option<LabelTerms<'a>>;

    /// The size that an ask counts as, where one container may have `largest` at most.
    fn normal(shared: &Shared<Self>, asked: &Resource, largest: &Resource) -> Resource;

    /// An AM is answered: what its application can still get.
    fn headroom(
        shared: &Shared<Self>,
        snapshot: &SchedulerSnapshot<Self>,
        app: &AppShared,
        leaf: &QueueSnapshot<Self>,
    ) -> Resource;

    /// An AM has released containers, and all of this call that were on this worker have ended. `app` is the
    /// application's number.
    fn released(shard: &mut Shard<Self>, app: u32);

    // ------------------------------------------------------------------------------------------------ a node is
    // offered

    /// A node has reported and may get containers: chooses, grants and reserves until it has enough.
    fn offered(shard: &mut Shard<Self>, node: u32);

    /// The same, where the node's turn in a round of the async allocation thread has come.
    fn offered_in_round(shard: &mut Shard<Self>, node: u32);

    /// A round of the async allocation thread begins at a number left to chance. Whether the decider has offered all
    /// nodes itself, in an order of its own; else each is [offered](Self::offered_in_round) in turn.
    fn round_is_together(shard: &mut Shard<Self>, first: usize) -> bool {
        let _ = (shard, first);
        false
    }

    /// All nodes of the worker may, in an order of the decider's.
    fn all_offered(shard: &mut Shard<Self>);

    /// A container of an application that waits for its AM is about to be granted: it counts as its AM, unless that
    /// would be too much for its leaf.
    fn am_taken(shard: &Shard<Self>, app: u32, size: &Resource) -> Result<(), Refusal>;

    /// It was not granted after all.
    fn am_refused(shard: &Shard<Self>, app: u32, size: &Resource);

    /// An AM says how many containers it wants at `*` under a key, or what was taken of that comes back.
    fn asked_anywhere(key: &mut KeyLocal<Self>);

    /// A key is about to be served at this locality.
    fn key_served(key: &mut KeyLocal<Self>, locality: Locality);

    /// A container of an application was placed on a node.
    fn node_taken(node: &mut Node<Self>, app: &AppLocal<Self>, size: &Resource);

    /// A container, live or not, is no longer on the node.
    fn node_freed(node: &mut Node<Self>, container: &ContainerRecord);

    // ------------------------------------------------------------------------------------------------ something has
    // changed

    /// An application uses more or less; its leaf's usage follows.
    fn app_usage_changed(own: &Self::Worker, leaf: &mut QueueLocal<Self>, app: &AppLocal<Self>, cluster: &ClusterTotal);

    /// A queue uses more or less; its parent's usage follows.
    fn queue_usage_changed(parent: &mut QueueLocal<Self>, queue: &QueueLocal<Self>, cluster: &ClusterTotal);

    /// A container that ran already was added to its application and is charged to it.
    fn recovered(shard: &mut Shard<Self>, app: u32, container: u32);

    /// A live container has ended and is no longer charged. The asks that it was taken from have not come back yet.
    fn usage_returned(shard: &mut Shard<Self>, container: u32);

    /// The container's application ends: the asks that it was taken from do not come back.
    fn asks_dropped(shard: &mut Shard<Self>, container: u32);

    /// A node's reservation is about to end, with its application or with the node.
    fn reservation_ends(shard: &mut Shard<Self>, node: u32);

    /// A container has ended.
    fn container_ended(shard: &mut Shard<Self>);

    /// An application asks anew for containers of these sizes, or has another blacklist.
    fn asks_changed<'a>(shard: &mut Shard<Self>, app: u32, sizes: impl Iterator<Item = &'a Resource>, cause: AskCause);

    /// A node has come, gone, or has another total.
    fn nodes_changed(shard: &mut Shard<Self>);

    /// Nodes have these labels from now on, those of other workers among them; then the cluster is as if it had
    /// changed.
    fn relabelled(shard: &mut Shard<Self>, nodes: &[RelabelledNode]);

    /// A node has another total, and what does not fit any more is to end.
    fn overcommitted(shard: &mut Shard<Self>, node: u32);

    /// A node has reported, and has not been offered yet.
    fn node_reports(shard: &mut Shard<Self>, node: u32);

    /// A node has reported, and was offered if it wanted to be.
    fn node_reported(shard: &mut Shard<Self>, node: u32);

    /// An application has ended; it is still where it stood.
    fn app_closed(shard: &mut Shard<Self>, app: u32);

    /// The other workers' changes of an application's usage were folded in; `changed` says whether the usage differs
    /// now.
    fn app_folded(shard: &mut Shard<Self>, app: u32, changed: bool);

    /// The fold is complete, the usage of queues included.
    fn folded(shard: &mut Shard<Self>);

    /// A message from one of the decider's own tasks.
    fn told(shard: &mut Shard<Self>, message: &Self::Message);

    // ------------------------------------------------------------------------------------------------ a snapshot is
    // taken over

    /// The same queue was published anew.
    fn queue_taken(queue: &mut Self::Queue, snapshot: &QueueSnapshot<Self>);

    /// An application stands at a position of a leaf no longer, if it did.
    fn app_left(shard: &mut Shard<Self>, leaf: u32, position: u32, app: u32);

    /// How many members a leaf has space for. One more, and the whole queue is put in order by
    /// [`queues_restructured`](Self::queues_restructured).
    fn room(queue: &Self::Queue) -> usize;

    /// A runnable application stands at a position of a leaf from now on.
    fn app_entered(shard: &mut Shard<Self>, leaf: u32, position: u32, app: u32);

    /// Members have come, gone, or brought usage along: the place of the queue among its siblings changes, and so do
    /// the places of the queues above it.
    fn queue_changed(shard: &mut Shard<Self>, queue: u32);

    /// The children of these queues, or their settings, have changed. Queues further down come first.
    fn queues_restructured(shard: &mut Shard<Self>, queues: &[u32]);

    /// There are new figures, or the cluster has another total: everything is put in order again.
    fn figures_taken(shard: &mut Shard<Self>);

    /// Nobody stands in a queue: the worker begins anew after a panic.
    fn queue_emptied(queue: &mut Self::Queue);

    /// A worker has panicked and lost its nodes: other workers now see nothing of it. Data that may be inconsistent is
    /// not trusted.
    fn nodes_lost(shard: &mut Shard<Self>);

    /// The worker restarts: drops what the panic has left of a pass, and everything else that is made from the newest
    /// snapshot.
    fn pass_lost(shard: &mut Shard<Self>);

    /// The worker has restarted: queues and applications are as published, and nothing runs on it.
    fn restarted_after_panic(shard: &mut Shard<Self>);

    /// Checks the decider's part of a worker. Faults go into `wrong`. `agreed` gets what all workers must agree on, by
    /// name. `folded`: the changes of the other workers are folded in.
    #[cfg(feature = "faults")]
    fn audited(shard: &Shard<Self>, folded: bool, agreed: &mut BTreeMap<String, String>, wrong: &mut Vec<String>);
}

/// The workers of a driver without threads: called rather than sent to.
pub(crate) struct Workers<'a, D: Decider>(pub(crate) Vec<&'a mut Shard<D>>);

impl<D: Decider> Workers<'_, D> {
    /// One of them.
    pub(crate) fn shard(&mut self, worker: usize) -> &mut Shard<D> {
        self.0[worker]
    }
}

/// Computes and publishes what everybody may have.
pub(crate) trait UpdateTask: Debug + Send + 'static {
    /// How often it does so by itself; `None`: only when it is told to.
    fn interval(&self) -> Option<Duration>;

    /// Once.
    fn update(&mut self);

    /// The same; then whoever acts on it by itself is told.
    fn update_and_wake(&mut self);

    /// An update has panicked: nothing that it was at is believed, and the next one computes everything.
    fn restart_after_panic(&mut self);
}

/// Takes containers back for who has too little.
pub(crate) trait PreemptionTask<P: Parts>: Debug + Send + 'static {
    /// Works off what it is told until it is told to end; with `timers` it also does what time has made due.
    fn run(self, calls: &Receiver<TaskCall<P::PreemptionCall>>, shared: Arc<Shared<P>>, timers: bool);

    /// The containers that a kill is still to come to.
    #[cfg(feature = "faults")]
    fn doomed(&self) -> Vec<ContainerId>;
}
