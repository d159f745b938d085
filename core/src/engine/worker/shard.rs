//! What one worker owns: its nodes, its containers, its copy of the asks, its own order of queues and applications.
//!
//! # Where it stands
//! The plain, single-threaded data that a decider reads and `grant` changes. Nothing here is seen by another thread; what
//! others need is written to the `ledger` alongside.
//!
//! # Usage
//! `usage` of queues and applications is this worker's view: its own changes at once, the others' as of the last fold
//! (`reconcile`). With one worker it is the truth. Every change of it goes up its path (`paths`), and the decider hears of it at each
//! level.

use crate::app::SchedulingKey;
use crate::engine::books::closing::find;
use crate::engine::books::ledger::AppShared;
use crate::engine::books::pace::Lag;
use crate::engine::decider::Decider;
use crate::engine::mail::container::{Container, EndedContainer};
use crate::engine::mail::mailbox::FreeRecords;
use crate::engine::publish::snapshot::SchedulerSnapshot;
use crate::engine::shared::Shared;
use crate::engine::worker::app::AppLocal;
use crate::engine::worker::containers::Containers;
use crate::engine::worker::expiry::Looks;
use crate::engine::worker::node_list::NodeList;
use crate::engine::worker::queue::QueueLocal;
use crate::engine::worker::waits::Awaited;
use crate::id::{NodeId, Slot};
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
pub(crate) struct Shard<D: Decider> {
    pub(crate) worker: usize,
    pub(crate) types: usize,
    pub(crate) shared: Arc<Shared<D>>,
    /// Where newer ones than `snapshot` are found.
    pub(crate) snapshots: SnapshotReader<SchedulerSnapshot<D>>,
    /// The one that is decided by.
    pub(crate) snapshot: Arc<SchedulerSnapshot<D>>,
    pub(crate) cluster: ClusterTotal,
    pub(crate) queues: Vec<Option<QueueLocal<D>>>,
    pub(crate) apps: Vec<Option<AppLocal<D>>>,
    pub(crate) nodes: NodeList<D>,
    /// The sum of the `records` of those that are there.
    pub(crate) records_of_nodes: usize,
    pub(crate) containers: Containers,
    pub(crate) own_records: FreeRecords,
    /// The ledger is not told of the root's usage: see [`hold_root`](Shard::hold_root).
    pub(crate) root_is_held: bool,
    /// What it is not told of, where there are other workers.
    pub(crate) root_held: Resource,
    /// What this worker knows of the others' grants, and they of its own.
    pub(crate) lag: Lag,
    pub(crate) last_fold_ms: u64,
    /// Where the last round of offers began came of it. Never 0.
    pub(crate) chance: u32,
    /// Looks for containers that were never launched.
    pub(crate) looks: Looks,
    /// Queues in whose watch this worker counts: it may have leased room there.
    pub(crate) watched: Vec<u32>,
    /// Keys of which a piece is held.
    pub(crate) leases: Vec<(Slot, SchedulingKey)>,
    pub(crate) journal: Option<WorkerJournal>,
    /// Nodes on which a reservation was made or given up, where that is noted.
    pub(crate) reservation_news: Option<Vec<(u32, NodeId)>>,
    /// Futures that it wakes.
    pub(crate) waits: Awaited,
    /// The decider's part.
    pub(crate) own: D::Worker,
    /// It is to panic when it begins anew.
    #[cfg(feature = "faults")]
    pub(crate) fails_anew: bool,
}

impl<D: Decider> Shard<D> {
    pub(crate) fn new(worker: usize, shared: Arc<Shared<D>>, journal: bool) -> Shard<D> {
        let mut snapshots = shared.publisher.reader();
        let snapshot = snapshots.newest().clone();
        let mut shard = Shard {
            worker,
            types: shared.types,
            cluster: snapshot.structure.cluster,
            snapshots,
            snapshot,
            queues: Vec::new(),
            apps: Vec::new(),
            nodes: NodeList::default(),
            records_of_nodes: 0,
            containers: Containers::default(),
            own_records: FreeRecords::default(),
            root_is_held: false,
            root_held: Resource::ZERO,
            lag: Lag::default(),
            last_fold_ms: 0,
            chance: u32::try_from(worker).unwrap_or_default().wrapping_add(0x9e37_79b9).max(1),
            looks: Looks::from(shared.clock.now_ms(), shared.settings.container_expiry_ms),
            watched: Vec::new(),
            leases: Vec::new(),
            journal: journal.then(WorkerJournal::default),
            reservation_news: None,
            waits: Awaited::default(),
            own: D::worker(&shared, worker),
            #[cfg(feature = "faults")]
            fails_anew: false,
            shared,
        };
        shard.take_structure(None);
        D::nodes_changed(&mut shard);
        shard
    }

    #[inline]
    pub(crate) fn queue(&self, queue: u32) -> &QueueLocal<D> {
        self.queues[queue as usize].as_ref().expect("a queue of the snapshot")
    }

    #[inline]
    pub(crate) fn queue_mut(&mut self, queue: u32) -> &mut QueueLocal<D> {
        self.queues[queue as usize].as_mut().expect("a queue of the snapshot")
    }

    #[inline]
    pub(crate) fn app(&self, app: u32) -> &AppLocal<D> {
        self.apps[app as usize].as_ref().expect("an application that this worker knows")
    }

    #[inline]
    pub(crate) fn app_mut(&mut self, app: u32) -> &mut AppLocal<D> {
        self.apps[app as usize].as_mut().expect("an application that this worker knows")
    }

    /// The application, if it is still the one that the slot meant.
    pub(crate) fn find_app(&self, slot: Slot) -> Option<&AppLocal<D>> {
        find(&self.apps, slot, |app| app.slot)
    }

    /// Where a key stands among those of an application.
    pub(crate) fn key_index(&self, app: u32, key: SchedulingKey) -> Option<usize> {
        self.app(app).keys.binary_search_by_key(&key, |key| key.id()).ok()
    }

    /// Knows an application from now on.
    pub(crate) fn ensure_app(&mut self, shared: &Arc<AppShared>) -> u32 {
        let index = shared.slot.ix();
        if self.apps.len() <= index {
            self.apps.resize_with(index + 1, || None);
        }
        let slot = &mut self.apps[index];
        if slot.as_ref().is_none_or(|app| app.slot != shared.slot) {
            let own = D::app(&self.shared, shared, &self.snapshot.figures);
            let app = AppLocal::new(self.worker, shared.clone(), own);
            *slot = Some(app);
        }
        shared.slot.index
    }
}
