//! The data that one worker owns: its nodes, its containers, its copy of the asks, and its order of queues and
//! applications.
//!
//! # Where it stands
//! Plain data of one thread. A decider reads it and `grant` changes it. No other thread sees it; what others need, the
//! worker also writes to the `ledger`.
//!
//! # Usage
//! `usage` of a queue or an application is this worker's view: its own changes at once, and the changes of others as of
//! the last fold (`reconcile`). With one worker the view is exact. Each change goes up the path to root (`paths`), and
//! the decider is called at each level.

use crate::app::SchedulingKey;
use crate::engine::books::attempt_end::find;
use crate::engine::books::ledger::AppShared;
use crate::engine::books::pace::Lag;
use crate::engine::intake::awaited::WakerLists;
use crate::engine::intake::future_wakeup::Wakes;
use crate::engine::intake::to_control::ControlMessage;
use crate::engine::mail::container::{Container, EndedContainer};
use crate::engine::mail::mailbox::FreeRecords;
use crate::engine::parts::Parts;
use crate::engine::publish::snapshot::SchedulerSnapshot;
use crate::engine::records::app::AppLocal;
use crate::engine::records::containers::Containers;
use crate::engine::records::expiry_scans::ExpiryScans;
use crate::engine::records::node_list::NodeList;
use crate::engine::records::queue::QueueLocal;
use crate::engine::shared::Shared;
use crate::id::{ContainerId, LabelId, NodeId, OwnContainer, Slot};
use crate::policy::ClusterTotal;
use crate::resource::Resource;
use crate::sync::{Arc, SnapshotReader};

/// What happened since it was last taken: for drivers that show every step.
#[derive(Debug, Default)]
pub(crate) struct WorkerJournal {
    /// Containers made, in order; with their node and whether each is an AM's.
    pub(crate) allocated: Vec<(Container, bool)>,
    /// Containers ended.
    pub(crate) ended: Vec<EndedContainer>,
}

/// See the module's text.
#[derive(Debug)]
pub(crate) struct Shard<P: Parts> {
    pub(crate) worker: usize,
    pub(crate) types: usize,
    pub(crate) shared: Arc<Shared<P>>,
    /// Where newer snapshots come from.
    pub(crate) snapshots: SnapshotReader<SchedulerSnapshot<P>>,
    /// The snapshot that decisions are based on.
    pub(crate) snapshot: Arc<SchedulerSnapshot<P>>,
    pub(crate) cluster: ClusterTotal,
    pub(crate) queues: Vec<Option<QueueLocal<P>>>,
    pub(crate) apps: Vec<Option<AppLocal<P>>>,
    pub(crate) nodes: NodeList<P>,
    /// Container records made for the nodes that are present: the sum of their `records`.
    pub(crate) node_record_count: usize,
    pub(crate) containers: Containers,
    pub(crate) own_records: FreeRecords,
    /// While set, changes of the root's usage are not written to the ledger, so a report writes the root's words once,
    /// not once a container; see [`defer_root_usage`](Shard::defer_root_usage).
    pub(crate) root_usage_is_deferred: bool,
    /// The changes that are not written yet. With one worker it stays zero.
    pub(crate) deferred_root_usage: Resource,
    /// How far this worker's view is behind the others' changes, and theirs behind its own. Decides when a fold is due.
    pub(crate) lag: Lag,
    pub(crate) last_fold_ms: u64,
    /// State of a xorshift generator that picks the node at which a round of offers begins. Never 0, where xorshift
    /// would stay.
    pub(crate) random_state: u32,
    /// When the next scan for containers that were never launched is due.
    pub(crate) expiry_scans: ExpiryScans,
    /// Queues in whose watch this worker counts its usage. It may hold leased room there, which it hands back before it
    /// blocks.
    pub(crate) watched_queues: Vec<u32>,
    /// Rooms by label of which this worker may hold a piece: see `label_rooms`.
    pub(crate) label_rooms: Vec<(u32, LabelId)>,
    /// Usage is counted by label: there are labels, and several workers.
    pub(crate) counts_by_label: bool,
    /// Keys of which this worker holds a leased piece. It hands the pieces back before it blocks.
    pub(crate) leases: Vec<(Slot, SchedulingKey)>,
    pub(crate) journal: Option<WorkerJournal>,
    /// Nodes on which a reservation was made or given up; `None` if nobody asks for them.
    pub(crate) reservation_news: Option<Vec<(u32, NodeId)>>,
    /// Futures that this worker wakes.
    pub(crate) waits: WakerLists,
    /// The decider's part.
    pub(crate) own: P::Worker,
    /// For tests: the restart after a panic panics itself.
    #[cfg(feature = "faults")]
    pub(crate) panics_at_restart: bool,
}

impl<P: Parts> Shard<P> {
    #[inline]
    pub(crate) fn queue(&self, queue: u32) -> &QueueLocal<P> {
        self.queues[queue as usize].as_ref().expect("a queue of the snapshot")
    }

    #[inline]
    pub(crate) fn queue_mut(&mut self, queue: u32) -> &mut QueueLocal<P> {
        self.queues[queue as usize].as_mut().expect("a queue of the snapshot")
    }

    #[inline]
    pub(crate) fn app(&self, app: u32) -> &AppLocal<P> {
        self.apps[app as usize].as_ref().expect("an application that this worker knows")
    }

    #[inline]
    pub(crate) fn app_mut(&mut self, app: u32) -> &mut AppLocal<P> {
        self.apps[app as usize].as_mut().expect("an application that this worker knows")
    }

    /// The application, if it is still the one that the slot meant.
    pub(crate) fn find_app(&self, slot: Slot) -> Option<&AppLocal<P>> {
        find(&self.apps, slot, |app| app.slot)
    }

    /// Where a key stands among those of an application.
    pub(crate) fn key_index(&self, app: u32, key: SchedulingKey) -> Option<usize> {
        self.app(app).keys.binary_search_by_key(&key, |key| key.id()).ok()
    }

    /// A container that is live, or whose node still has to report its end.
    pub(crate) fn known_container(&self, container: ContainerId) -> Option<u32> {
        self.known_own(container.own_of(self.worker)?)
    }

    pub(crate) fn known_own(&self, container: OwnContainer) -> Option<u32> {
        let record = self.containers.named(&container)?;
        (record.fate.is_live() || record.fate.is_on_node()).then_some(container.record)
    }

    pub(crate) fn live_container(&self, container: ContainerId) -> Option<u32> {
        self.known_container(container).filter(|index| self.containers[*index].fate.is_live())
    }

    pub(crate) fn id(&self) -> usize {
        self.worker
    }

    pub(crate) fn container_id(&self, index: u32) -> ContainerId {
        let record = &self.containers[index];
        ContainerId {
            application: record.application,
            attempt: record.attempt,
            app: self.containers.granted_to(index),
            number: record.number,
            worker: u16::try_from(self.worker).expect("workers are few"),
            record: index,
        }
    }

    pub(crate) fn tell_control(&self, message: ControlMessage<P>) {
        // The control ends after the workers; a closed lane means that the scheduler is being dropped.
        let _ = self.shared.lanes.control.send(message);
    }

    /// Lets callers see the node's room.
    pub(crate) fn publish_free(&self, node: u32) {
        if let Some(node) = self.nodes.get(node) {
            node.shared.free.set(self.types, &node.free);
        }
    }

    /// A future is to be woken by the next mail of this worker's, and at once where there is some.
    pub(crate) fn register_mail_waiter(&mut self, app: &AppShared, wakes: Wakes) {
        let has_mail = app.cells.get(self.worker).is_some_and(|cell| cell.has_mail());
        if app.is_closed() || has_mail {
            return;
        }
        self.waits.await_mail(app.slot, wakes);
    }

    /// A future is to be woken when this worker has taken messages out of its lane.
    pub(crate) fn register_room_waiter(&mut self, wakes: Wakes) {
        self.waits.await_room(wakes);
    }
}
