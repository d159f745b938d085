//! What one worker owns: its nodes, its containers, its copy of the asks, its own order of queues and applications.
//!
//! # Where it stands
//! The plain, single-threaded data that `assignment` reads and `grant` changes. Nothing here is seen by another thread;
//! what others need is written to the `ledger` alongside.
//!
//! # Usage and order
//! `usage` of queues and applications is this worker's view: its own changes at once, the others' as of the last fold
//! (`reconcile`). With one worker it is the truth. Children are kept in winner trees on their policy's key; a change of
//! usage replays one path a level: O(depth x log children). Where a child has no key (weight 0 under drf, a custom policy
//! without one) its queue is sorted anew for each descent, as Hadoop does.

use super::ledger::{AppShared, KeyCell, LocationCount, NodeShared};
use super::mailbox::FreeRecords;
use super::members::{Member, Members};
use super::shared::Shared;
use super::snapshot::{QueueSnapshot, SchedulerSnapshot};
use crate::app::Locality;
use crate::id::Slot;
use crate::order::WinnerTree;
use crate::policy::{ClusterTotal, OrderKey, Schedulable, Tie};
use crate::resource::Resource;
use crate::sync::Arc;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// "None" where an index is kept.
pub(super) const NONE: u32 = u32::MAX;

/// A queue as this worker sees it.
#[derive(Debug)]
pub(super) struct QueueLocal {
    pub(super) snapshot: Arc<QueueSnapshot>,
    pub(super) parent: u32,
    /// Among the parent's children.
    pub(super) position: u32,
    pub(super) usage: Resource,
    pub(super) demand: Resource,
    pub(super) fair_share: Resource,
    /// Some type of the max share is limited.
    pub(super) limited: bool,
    /// This worker counts its usage in the queue's watch.
    pub(super) joined: bool,
    /// Children by position, those that can be served at all.
    pub(super) order: WinnerTree,
    /// Of a leaf: by position, applications that wait for their AM's container. Apart from the others, so that all of them
    /// can be passed over at once when the AM share is used up.
    pub(super) masters: WinnerTree,
    /// Of a leaf: no AM that is waited for is smaller in any type; kept like `floor`.
    pub(super) master_floor: Resource,
    /// By position: may be offered a node; has no key.
    children: Vec<Child>,
    /// By position: the slot of the child queue or application; [`NONE`] where there is none.
    pub(super) ids: Vec<u32>,
    /// How many may be offered a node.
    pub(super) eligible: u32,
    /// How many that take part in the order have no key.
    irregular: u32,
    /// No outstanding ask below is smaller in any type: a lower bound, lowered by new asks, computed anew by each update.
    pub(super) floor: Resource,
    /// Some ask below is large enough for a reservation; kept like `floor`.
    pub(super) may_reserve: bool,
}

#[derive(Clone, Copy, Debug, Default)]
struct Child {
    eligible: bool,
    irregular: bool,
}

impl QueueLocal {
    pub(super) fn schedulable(&self) -> Schedulable<'_> {
        Schedulable {
            usage: &self.usage,
            demand: &self.demand,
            min_share: &self.snapshot.min_share,
            weight: self.snapshot.weight,
            tie: Tie { start_ms: 0, name: self.snapshot.name_order },
        }
    }

    /// Whether children must be sorted anew for each descent.
    pub(super) fn has_irregular(&self) -> bool {
        self.irregular > 0
    }

    fn reset_children(&mut self, count: usize) {
        self.order.reset(count);
        self.masters.reset(if self.snapshot.leaf { count } else { 0 });
        self.children.clear();
        self.children.resize(count, Child::default());
        self.ids.clear();
        self.ids.resize(count, NONE);
        self.eligible = 0;
        self.irregular = 0;
    }

    /// Notes what a child is now. A member takes part in Hadoop's order, whether or not it can be served: without a key
    /// it can change the places of the others.
    #[inline]
    fn update_child(&mut self, position: u32, member: bool, eligible: bool, key: Option<OrderKey>) {
        if self.place_child(position, member, eligible, key) {
            self.order.set(position, key.unwrap_or(OrderKey::ABSENT));
        } else {
            self.order.clear(position);
        }
    }

    /// The same for an application: one that waits for its AM stands apart.
    #[inline]
    fn update_app(&mut self, position: u32, member: bool, eligible: bool, waits_for_am: bool, key: Option<OrderKey>) {
        let key = self.place_child(position, member, eligible, key).then_some(key).flatten();
        let key = key.unwrap_or(OrderKey::ABSENT);
        let (here, there) =
            if waits_for_am { (&mut self.masters, &mut self.order) } else { (&mut self.order, &mut self.masters) };
        there.clear(position);
        here.set(position, key);
    }

    /// Counts a child; says whether it has a place in an order.
    #[inline]
    fn place_child(&mut self, position: u32, member: bool, eligible: bool, key: Option<OrderKey>) -> bool {
        let child = &mut self.children[position as usize];
        let new = Child { eligible, irregular: member && key.is_none() };
        self.eligible = self.eligible + u32::from(new.eligible) - u32::from(child.eligible);
        self.irregular = self.irregular + u32::from(new.irregular) - u32::from(child.irregular);
        *child = new;
        eligible && key.is_some()
    }
}

/// A rack or node of a key.
#[derive(Debug)]
pub(super) struct LocationRow {
    pub(super) location: u32,
    pub(super) size: Resource,
    pub(super) relax: bool,
    pub(super) count: LocationCount,
    /// Of the count, as far as this worker knows.
    pub(super) epoch: u32,
    /// The AM itself said 0: then the row still counts as a location, in Hadoop.
    pub(super) explicit_zero: bool,
}

impl LocationRow {
    /// Whether Hadoop would have the row: one counted down to nothing is dropped.
    pub(super) fn present(&self) -> bool {
        self.explicit_zero || self.count.left() > 0
    }
}

/// A request key: one priority of one application.
#[derive(Debug)]
pub(super) struct KeyLocal {
    pub(super) priority: i32,
    pub(super) cell: Arc<KeyCell>,
    pub(super) epoch: u32,
    /// Size and relaxation of the `*` ask.
    pub(super) size: Resource,
    pub(super) relax: bool,
    pub(super) rows: Vec<LocationRow>,
    /// The allowed locality level, once it was asked for.
    pub(super) level: Option<Locality>,
    pub(super) opportunities: u32,
    pub(super) last_scheduled_ms: Option<u64>,
    /// This worker may hold a piece of the pool.
    pub(super) leased: bool,
}

impl KeyLocal {
    pub(super) fn row(&self, location: u32) -> Option<&LocationRow> {
        self.rows.iter().find(|row| row.location == location && row.present())
    }
}

/// An application as this worker sees it.
#[derive(Debug)]
pub(super) struct AppLocal {
    pub(super) shared: Arc<AppShared>,
    /// Its leaf queue, and its place among that queue's runnable applications.
    pub(super) leaf: u32,
    pub(super) position: u32,
    /// Smaller became runnable earlier.
    pub(super) sequence: u64,
    pub(super) runnable: bool,
    pub(super) closed: bool,
    pub(super) usage: Resource,
    pub(super) demand: Resource,
    pub(super) fair_share: Resource,
    pub(super) weight: f32,
    pub(super) tie: Tie,
    /// By priority.
    pub(super) keys: Vec<KeyLocal>,
    pub(super) floor: Resource,
    pub(super) may_reserve: bool,
    /// Interned node and rack names.
    pub(super) blacklist: SmallVec<[u32; 4]>,
    /// Its containers on this worker's nodes, newest first.
    pub(super) first_container: u32,
    /// The next container number, and how many are left in the block.
    pub(super) next_number: u32,
    pub(super) numbers_left: u32,
    pub(super) ever_had: bool,
    /// This worker's nodes that are reserved for it.
    pub(super) reserved: SmallVec<[u32; 2]>,
}

impl AppLocal {
    pub(super) fn new(shared: Arc<AppShared>) -> AppLocal {
        let tie = Tie { start_ms: shared.start_ms, name: shared.id.name_order() };
        AppLocal {
            leaf: NONE,
            position: NONE,
            sequence: 0,
            runnable: false,
            closed: shared.is_closed(),
            usage: shared.usage(),
            demand: Resource::NONE,
            fair_share: Resource::NONE,
            weight: 1.0,
            tie,
            keys: Vec::new(),
            floor: Resource::UNBOUNDED,
            may_reserve: false,
            blacklist: SmallVec::new(),
            first_container: NONE,
            next_number: 0,
            numbers_left: 0,
            ever_had: false,
            reserved: SmallVec::new(),
            shared,
        }
    }

    pub(super) fn schedulable(&self) -> Schedulable<'_> {
        Schedulable {
            usage: &self.usage,
            demand: &self.demand,
            min_share: &Resource::NONE,
            weight: self.weight,
            tie: self.tie,
        }
    }

    /// Hadoop's filter in a leaf: pending demand (of the last update, less usage now) is not exactly zero.
    #[inline]
    pub(super) fn is_pending(&self) -> bool {
        self.runnable && self.demand != self.usage
    }

    /// Some key has something outstanding. Hadoop visits an application without, too, to no effect.
    #[inline]
    pub(super) fn has_open_key(&self, worker: usize) -> bool {
        self.keys.iter().any(|key| key.cell.pool.visible(worker) > 0)
    }
}

/// A container that is reserved on a node.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reservation {
    pub(super) app: Slot,
    pub(super) number: u32,
    pub(super) priority: i32,
    pub(super) size: Resource,
}

/// A node of this worker.
#[derive(Debug)]
pub(super) struct Node {
    pub(super) shared: Arc<NodeShared>,
    pub(super) total: Resource,
    pub(super) free: Resource,
    pub(super) reservation: Option<Reservation>,
    /// Its containers, in order of allocation.
    pub(super) first_container: u32,
    pub(super) last_container: u32,
    pub(super) containers: u32,
    pub(super) gone: bool,
    pub(super) decommissioning: bool,
    /// When it last reported; for async offers.
    pub(super) last_heartbeat_ms: u64,
}

/// A container on a node of this worker. Its record is reused once it has ended *and* its node has its room back.
#[derive(Clone, Copy, Debug)]
pub(super) struct ContainerRecord {
    pub(super) app: Slot,
    pub(super) application: u32,
    pub(super) number: u32,
    pub(super) node: u32,
    pub(super) priority: i32,
    pub(super) size: Resource,
    /// The record in the arena, until it has ended.
    pub(super) mail: u32,
    /// Where its ask was taken from.
    pub(super) locality: Locality,
    /// Relaxation of the `*`, rack and node ask that it was taken from, as bits.
    pub(super) relax: u8,
    pub(super) live: bool,
    pub(super) on_node: bool,
    pub(super) launched: bool,
    pub(super) acquired_at_end: bool,
    /// Neighbours among the application's containers of this worker.
    pub(super) app_previous: u32,
    pub(super) app_next: u32,
    /// Neighbours on the node.
    pub(super) node_previous: u32,
    pub(super) node_next: u32,
}

/// What happened since it was last taken: for drivers that show every step.
#[derive(Debug, Default)]
pub(crate) struct Journal {
    /// Containers made, in order; with their node and whether each is an AM's.
    pub(crate) allocated: Vec<(super::mailbox::Container, bool)>,
    /// Containers ended.
    pub(crate) ended: Vec<super::mailbox::EndedContainer>,
}

/// A winner that declined and is out of its tree until later.
#[derive(Clone, Copy, Debug)]
pub(super) struct Suspended {
    pub(super) queue: u32,
    pub(super) position: u32,
}

/// See the module's text.
#[derive(Debug)]
pub(crate) struct Shard {
    pub(super) worker: usize,
    pub(super) types: usize,
    pub(super) shared: Arc<Shared>,
    pub(super) snapshot: Arc<SchedulerSnapshot>,
    pub(super) cluster: ClusterTotal,
    pub(super) queues: Vec<Option<QueueLocal>>,
    pub(super) apps: Vec<Option<AppLocal>>,
    pub(super) nodes: Vec<Node>,
    pub(super) containers: Vec<ContainerRecord>,
    pub(super) free_containers: Vec<u32>,
    /// By record, for containers that an ask of another size was consumed for: the sizes of the `*`, rack and node ask.
    pub(super) asked_sizes: FxHashMap<u32, [Resource; 3]>,
    pub(super) own_records: FreeRecords,
    /// Cluster less allocated, as of the moments at which Hadoop refreshes it.
    pub(super) available: Resource,
    /// Declined without effect: out until the end of the pass.
    pub(super) out_for_pass: Vec<Suspended>,
    /// Declined with an effect that a second visit repeats: out until the end of the descent.
    pub(super) out_for_descent: Vec<Suspended>,
    /// The present visit had an effect that a second one would repeat.
    pub(super) repeatable: bool,
    /// Grants since the last fold.
    pub(super) unfolded: u32,
    pub(super) last_fold_ms: u64,
    /// Keys of which a piece is held: (application, priority).
    pub(super) leases: Vec<(Slot, i32)>,
    pub(super) journal: Option<Journal>,
    /// Scratch for the slow path: one order a level, reused.
    pub(super) scratch: Vec<Vec<u32>>,
}

impl Shard {
    pub(crate) fn new(worker: usize, shared: Arc<Shared>, journal: bool) -> Shard {
        let snapshot = shared.publisher.load();
        let mut shard = Shard {
            worker,
            types: shared.types,
            cluster: snapshot.structure.cluster,
            snapshot,
            queues: Vec::new(),
            apps: Vec::new(),
            nodes: Vec::new(),
            containers: Vec::new(),
            free_containers: Vec::new(),
            asked_sizes: FxHashMap::default(),
            own_records: FreeRecords::default(),
            available: Resource::NONE,
            out_for_pass: Vec::new(),
            out_for_descent: Vec::new(),
            repeatable: false,
            unfolded: 0,
            last_fold_ms: 0,
            leases: Vec::new(),
            journal: journal.then(Journal::default),
            scratch: Vec::new(),
            shared,
        };
        shard.take_structure(None);
        shard.refresh_available();
        shard
    }

    #[inline]
    pub(super) fn queue(&self, queue: u32) -> &QueueLocal {
        self.queues[queue as usize].as_ref().expect("a queue of the snapshot")
    }

    #[inline]
    pub(super) fn queue_mut(&mut self, queue: u32) -> &mut QueueLocal {
        self.queues[queue as usize].as_mut().expect("a queue of the snapshot")
    }

    #[inline]
    pub(super) fn app(&self, app: u32) -> &AppLocal {
        self.apps[app as usize].as_ref().expect("an application that this worker knows")
    }

    #[inline]
    pub(super) fn app_mut(&mut self, app: u32) -> &mut AppLocal {
        self.apps[app as usize].as_mut().expect("an application that this worker knows")
    }

    /// The application, if it is still the one that the slot meant.
    pub(super) fn find_app(&self, slot: Slot) -> Option<&AppLocal> {
        self.apps.get(slot.ix())?.as_ref().filter(|app| app.shared.slot == slot)
    }

    /// Knows an application from now on.
    pub(super) fn ensure_app(&mut self, shared: &Arc<AppShared>) -> u32 {
        let index = shared.slot.ix();
        if self.apps.len() <= index {
            self.apps.resize_with(index + 1, || None);
        }
        let slot = &mut self.apps[index];
        if slot.as_ref().is_none_or(|app| app.shared.slot != shared.slot) {
            let mut app = AppLocal::new(shared.clone());
            let share = self.snapshot.shares.app(shared.slot);
            app.demand = share.demand;
            app.fair_share = share.fair_share;
            app.weight = self.shared.app_weight(&share.demand);
            *slot = Some(app);
        }
        shared.slot.index
    }

    /// Cluster less allocated. Hadoop refreshes this at the end of a pass, when a container ends, on node changes and on
    /// update; the AM share rule sees the difference.
    pub(super) fn refresh_available(&mut self) {
        let used = self.queue(super::snapshot::ROOT).usage;
        self.available = self.cluster.total.minus(&used);
    }

    // ------------------------------------------------------------------------------------------------ snapshots

    /// Loads the newest snapshot, if it is not the one in use.
    pub(crate) fn sync(&mut self) {
        if self.shared.publisher.is_newest(&self.snapshot) {
            return;
        }
        let old = std::mem::replace(&mut self.snapshot, self.shared.publisher.load());
        let new_shares = old.shares.version != self.snapshot.shares.version;
        let new_cluster = old.structure.cluster.total != self.snapshot.structure.cluster.total;
        if old.structure.version != self.snapshot.structure.version {
            self.take_structure(Some(&old));
        }
        if new_shares && self.shared.workers > 1 {
            // Demand counts what all workers did. Beside an older view of usage an application could look as if nothing
            // were pending, and room would stay unused (I7).
            self.read_usage();
        }
        if new_shares || new_cluster {
            self.refresh_everything();
            self.refresh_available();
        }
    }

    /// Takes over changed queues and members, and puts what they touch in order anew.
    fn take_structure(&mut self, old: Option<&Arc<SchedulerSnapshot>>) {
        let structure = self.snapshot.structure.clone();
        self.cluster = structure.cluster;
        self.queues.resize_with(structure.queues.len(), || None);
        // (slot, what was known of it); whoever leaves a leaf leaves before anybody enters one.
        let mut changed: Vec<(u32, Option<Arc<QueueSnapshot>>)> = Vec::new();
        for (index, new) in structure.queues.iter().enumerate() {
            let known = self.queues[index].as_ref().map(|local| &local.snapshot);
            let same = match (new, known) {
                (Some(new), Some(known)) => Arc::ptr_eq(new, known),
                (None, None) => true,
                _ => false,
            };
            if !same {
                changed.push((u32::try_from(index).expect("slots are u32"), known.cloned()));
            }
        }
        let nobody = Members::default();
        // Of another queue in the same slot nothing is the same, whatever its members look like.
        let same_queue = |index: u32, known: &Option<Arc<QueueSnapshot>>| {
            let new = structure.queues[index as usize].as_ref();
            known.as_ref().zip(new).is_some_and(|(known, new)| known.slot == new.slot)
        };
        for (index, known) in &changed {
            let now = structure.queues[*index as usize].as_ref().filter(|_| same_queue(*index, known));
            let now = now.map_or(&nobody, |new| &new.runnable);
            for change in known.iter().flat_map(|known| known.runnable.changes(now)) {
                if let Some(old) = change.old {
                    self.leave_leaf(old, *index, change.position);
                }
            }
        }
        // Who has moved takes its usage along: out of the old path while all of it is still there.
        for (index, known) in &changed {
            let Some(new) = &structure.queues[*index as usize] else { continue };
            let stays = same_queue(*index, known);
            let known = known.as_ref().filter(|_| stays);
            let [runnable, waiting] = known.map_or([&nobody; 2], |known| [&known.runnable, &known.waiting]);
            for change in runnable.changes(&new.runnable).chain(waiting.changes(&new.waiting)) {
                let elsewhere = |app: &AppLocal| app.leaf != NONE && (app.leaf != *index || !stays);
                if let Some(member) = change.new
                    && self.find_app(member.app.slot).is_some_and(elsewhere)
                {
                    self.depart(member.app.slot.index);
                }
            }
        }
        // All queues before anybody arrives: an application may enter a queue whose parent is as new.
        for (index, _) in &changed {
            if let Some(new) = &structure.queues[*index as usize] {
                self.take_queue(new);
            }
        }
        let (mut anew, mut entered) = (Vec::new(), Vec::new());
        for (index, known) in &changed {
            let Some(new) = &structure.queues[*index as usize] else { continue };
            let known = known.as_ref().filter(|known| known.slot == new.slot);
            let same_settings = known.is_some_and(|known| known.settings_version == new.settings_version);
            let before = known.map_or(&nobody, |known| &known.runnable);
            for change in before.changes(&new.runnable) {
                if let Some(member) = change.new {
                    self.enter_leaf(member, *index, change.position);
                }
            }
            let waited = known.map_or(&nobody, |known| &known.waiting);
            for change in waited.changes(&new.waiting) {
                if let Some(member) = change.new {
                    let app = self.ensure_app(&member.app);
                    self.arrive(app, *index);
                }
            }
            let local = self.queue(*index);
            if same_settings && local.ids.len() >= new.runnable.width() {
                // Few members of many: each finds its place by itself.
                for change in before.changes(&new.runnable) {
                    if let Some(member) = change.new {
                        let app = member.app.slot.index;
                        self.queue_mut(*index).ids[change.position as usize] = app;
                        self.asks_changed(app);
                    }
                }
                entered.push(*index);
            } else {
                anew.push(*index);
            }
        }
        for (index, _) in &changed {
            if structure.queues[*index as usize].is_none() {
                self.queues[*index as usize] = None;
            }
        }
        for (index, _) in &changed {
            if let Some(queue) = &structure.queues[*index as usize] {
                for (position, child) in queue.children.iter().enumerate() {
                    if let Some(child) = &mut self.queues[*child as usize] {
                        child.position = u32::try_from(position).expect("positions are u32");
                        child.parent = *index;
                    }
                }
            }
        }
        if old.is_some_and(|old| old.structure.cluster.total != structure.cluster.total) {
            return; // Everything is put in order anew by the caller.
        }
        // Children first: what a queue's place in its parent needs is then there.
        anew.sort_by_key(|index| std::cmp::Reverse(structure.path(*index).count()));
        for index in &anew {
            self.refresh_queue_contents(*index);
        }
        for index in anew {
            let QueueLocal { floor, may_reserve, parent, .. } = *self.queue(index);
            if parent != NONE {
                self.widen_bounds(parent, &floor, may_reserve);
            }
            self.refresh_upwards(index);
        }
        // What they brought counts above, those that cannot be served included.
        for index in entered {
            self.refresh_upwards(index);
        }
    }

    /// A member is no longer runnable in a leaf.
    fn leave_leaf(&mut self, member: &Member, leaf: u32, position: u32) {
        let Some(Some(app)) = self.apps.get_mut(member.app.slot.ix()) else { return };
        if app.shared.slot == member.app.slot && app.leaf == leaf && app.position == position {
            app.runnable = false;
        }
        if let Some(queue) = &mut self.queues[leaf as usize]
            && let Some(id) = queue.ids.get_mut(position as usize)
        {
            *id = NONE;
            queue.update_app(position, false, false, false, None);
        }
        self.refresh_upwards(leaf);
    }

    /// A member is runnable in a leaf from now on.
    fn enter_leaf(&mut self, member: &Member, leaf: u32, position: u32) {
        let app = self.ensure_app(&member.app);
        self.arrive(app, leaf);
        let app = self.app_mut(app);
        app.position = position;
        app.sequence = member.sequence;
        app.runnable = !app.closed && !app.shared.is_closed();
    }

    /// What this worker counts of an application in its leaf and above goes; its leaf is unknown until it arrives.
    pub(super) fn depart(&mut self, index: u32) {
        let worker = self.worker;
        let app = self.app_mut(index);
        let (leaf, position) = (std::mem::replace(&mut app.leaf, NONE), app.position);
        app.runnable = false;
        let usage = app.shared.cells[worker].usage.read();
        if let Some(Some(queue)) = self.queues.get_mut(leaf as usize)
            && queue.ids.get(position as usize) == Some(&index)
        {
            queue.ids[position as usize] = NONE;
            queue.update_app(position, false, false, false, None);
        }
        self.carry_usage(leaf, &Resource::NONE.minus(&usage));
        if self.queues.get(leaf as usize).is_some_and(Option::is_some) {
            self.refresh_upwards(leaf);
        }
    }

    /// An application is in a leaf: what this worker counts of it counts there and above.
    pub(super) fn arrive(&mut self, index: u32, leaf: u32) {
        let worker = self.worker;
        let app = self.app_mut(index);
        if app.leaf == leaf {
            return;
        }
        app.leaf = leaf;
        let usage = app.shared.cells[worker].usage.read();
        self.carry_usage(leaf, &usage);
    }

    fn carry_usage(&mut self, leaf: u32, amount: &Resource) {
        if amount.is_none() || self.queues.get(leaf as usize).is_none_or(Option::is_none) {
            return;
        }
        self.add_queue_usage(leaf, amount);
        let mut at = leaf;
        while at != NONE {
            let queue = self.queue(at);
            if queue.joined {
                queue.snapshot.shared.watch.force(amount);
            }
            at = queue.parent;
        }
    }

    fn take_queue(&mut self, new: &Arc<QueueSnapshot>) {
        let index = new.slot.index;
        let share = self.snapshot.shares.queue(new.slot);
        let limited = (0..self.types).any(|i| new.max_share.get(i) != i64::MAX);
        let known = self.queues[index as usize].take().filter(|old| old.snapshot.slot == new.slot);
        let mut local = match known {
            Some(mut old) => {
                let lowered = !old.snapshot.max_share.fits_in(&new.max_share);
                if old.joined && lowered {
                    // I2: what was leased under the higher limit is not spent under the lower one.
                    new.shared.watch.hand_back(self.worker);
                }
                old.snapshot = new.clone();
                old
            }
            None => QueueLocal {
                snapshot: new.clone(),
                parent: new.parent.unwrap_or(NONE),
                position: 0,
                usage: new.shared.usage(),
                demand: share.demand,
                fair_share: share.fair_share,
                limited,
                joined: false,
                order: WinnerTree::default(),
                masters: WinnerTree::default(),
                master_floor: Resource::UNBOUNDED,
                children: Vec::new(),
                ids: Vec::new(),
                eligible: 0,
                irregular: 0,
                floor: Resource::UNBOUNDED,
                may_reserve: false,
            },
        };
        local.limited = limited;
        local.parent = new.parent.unwrap_or(NONE);
        if limited && !local.joined && self.shared.workers > 1 {
            new.shared.join(self.worker);
            local.joined = true;
        }
        self.queues[index as usize] = Some(local);
    }

    // ------------------------------------------------------------------------------------------------ order

    /// Takes over demand and shares of the snapshot and puts everything in order anew: O(queues + applications).
    pub(super) fn refresh_everything(&mut self) {
        let shares = self.snapshot.shares.clone();
        let shared = self.shared.clone();
        for app in self.apps.iter_mut().flatten() {
            let share = shares.app(app.shared.slot);
            app.demand = share.demand;
            app.fair_share = share.fair_share;
            app.weight = shared.app_weight(&app.demand);
        }
        for queue in self.queues.iter_mut().flatten() {
            let share = shares.queue(queue.snapshot.slot);
            queue.demand = share.demand;
            queue.fair_share = share.fair_share;
        }
        self.refresh_contents_below(super::snapshot::ROOT);
    }

    fn refresh_contents_below(&mut self, queue: u32) {
        let snapshot = self.queue(queue).snapshot.clone();
        for child in &snapshot.children {
            self.refresh_contents_below(*child);
        }
        self.refresh_queue_contents(queue);
    }

    /// Whether an application is pending and out of its leaf's order: for want of asks, as far as this worker saw.
    pub(super) fn may_be_dry(&self, index: usize) -> bool {
        self.apps[index].as_ref().is_some_and(|app| {
            app.is_pending()
                && app.leaf != NONE
                && self.queue(app.leaf).children.get(app.position as usize).is_some_and(|child| !child.eligible)
        })
    }

    /// Puts every queue in place among its siblings.
    pub(super) fn refresh_all_queues(&mut self) {
        for index in 0..self.queues.len() {
            if self.queues[index].is_some() {
                self.refresh_upwards(u32::try_from(index).expect("queues are u32"));
            }
        }
    }

    /// Puts the children of one queue in order anew.
    fn refresh_queue_contents(&mut self, index: u32) {
        let snapshot = self.queue(index).snapshot.clone();
        let (mut floor, mut may_reserve) = (Resource::UNBOUNDED, false);
        if snapshot.leaf {
            let mut master_floor = Resource::UNBOUNDED;
            self.queue_mut(index).reset_children(snapshot.runnable.width());
            for (position, member) in snapshot.runnable.positions() {
                let app = member.app.slot.index;
                self.queue_mut(index).ids[position as usize] = app;
                self.bound_asks(app);
                floor = floor.least(&self.app(app).floor);
                may_reserve |= self.app(app).may_reserve;
                if self.app(app).shared.waits_for_am() {
                    master_floor = self.first_ask(app).map_or(master_floor, |size| master_floor.least(&size));
                }
                self.refresh_app(app);
            }
            self.queue_mut(index).master_floor = master_floor;
        } else {
            self.queue_mut(index).reset_children(snapshot.children.len());
            for (position, child) in snapshot.children.iter().enumerate() {
                self.queue_mut(index).ids[position] = *child;
                if self.queues[*child as usize].is_some() {
                    floor = floor.least(&self.queue(*child).floor);
                    may_reserve |= self.queue(*child).may_reserve;
                    self.refresh_queue(*child);
                }
            }
        }
        let queue = self.queue_mut(index);
        queue.floor = floor;
        queue.may_reserve = may_reserve;
    }

    /// Computes the bounds that let whole subtrees be skipped; see [`QueueLocal::floor`].
    fn bound_asks(&mut self, index: u32) {
        let app = self.app(index);
        let (mut floor, mut may_reserve) = (Resource::UNBOUNDED, false);
        if app.leaf != NONE {
            let calculator = self.queue(app.leaf).snapshot.policy.calculator();
            let threshold = &self.shared.settings.reservation_threshold;
            let sizes = app
                .keys
                .iter()
                .filter(|key| key.cell.pool.visible(self.worker) > 0)
                .flat_map(|key| std::iter::once(&key.size).chain(key.rows.iter().map(|row| &row.size)));
            for size in sizes {
                floor = floor.least(size);
                may_reserve |= calculator.compare(self.types, &self.cluster.total, size, threshold, false).is_ge();
            }
        }
        let app = self.app_mut(index);
        app.floor = floor;
        app.may_reserve = may_reserve;
    }

    /// After new asks: bounds of the application and, where they fall, of the queues above; then its place.
    pub(super) fn asks_changed(&mut self, index: u32) {
        self.bound_asks(index);
        let app = self.app(index);
        if !app.runnable {
            return;
        }
        let (floor, may_reserve, leaf) = (app.floor, app.may_reserve, app.leaf);
        let master = app.shared.waits_for_am().then(|| self.first_ask(index)).flatten();
        self.widen_bounds(leaf, &floor, may_reserve);
        if let Some(master) = master {
            let queue = self.queue_mut(leaf);
            queue.master_floor = queue.master_floor.least(&master);
        }
        self.refresh_app(index);
        self.refresh_upwards(leaf);
    }

    /// The size of the first key that has something outstanding: for an application that waits, its AM's.
    pub(super) fn first_ask(&self, index: u32) -> Option<Resource> {
        let first = self.app(index).keys.iter().find(|key| key.cell.pool.visible(self.worker) > 0)?;
        Some(first.size)
    }

    /// Lets the bounds of a queue and those above it admit what is new below.
    fn widen_bounds(&mut self, queue: u32, floor: &Resource, may_reserve: bool) {
        let mut at = queue;
        while at != NONE {
            let queue = self.queue_mut(at);
            let lower = queue.floor.least(floor);
            if lower == queue.floor && (queue.may_reserve || !may_reserve) {
                break;
            }
            queue.floor = lower;
            queue.may_reserve |= may_reserve;
            at = queue.parent;
        }
    }

    /// Puts an application at its place in its leaf queue.
    #[inline]
    pub(super) fn refresh_app(&mut self, index: u32) {
        let app = self.apps[index as usize].as_ref().expect("an application that this worker knows");
        if app.leaf == NONE || !app.runnable {
            return;
        }
        let member = app.is_pending();
        let eligible = member && app.has_open_key(self.worker);
        let queue = self.queues[app.leaf as usize].as_mut().expect("a queue of the snapshot");
        let key = if member { queue.snapshot.policy.key(&self.cluster, &app.schedulable()) } else { None };
        queue.update_app(app.position, member, eligible, app.shared.waits_for_am(), key);
    }

    /// Puts a queue at its place in its parent.
    #[inline]
    pub(super) fn refresh_queue(&mut self, index: u32) {
        let queue = self.queue(index);
        let (parent, position, eligible) = (queue.parent, queue.position, queue.eligible > 0);
        if parent == NONE {
            return;
        }
        let key = self.queue(parent).snapshot.policy.key(&self.cluster, &queue.schedulable());
        self.queue_mut(parent).update_child(position, true, eligible, key);
    }

    /// Puts a queue and all above it in place.
    #[inline]
    pub(super) fn refresh_upwards(&mut self, queue: u32) {
        let mut at = queue;
        while at != NONE {
            self.refresh_queue(at);
            at = self.queue(at).parent;
        }
    }

    /// Adds to the usage of an application and of the queues above it, here and in the ledger, and puts them in place.
    pub(super) fn add_usage(&mut self, index: u32, amount: &Resource) {
        let (worker, types) = (self.worker, self.types);
        let app = self.app_mut(index);
        app.usage = app.usage.plus(amount);
        app.shared.cells[worker].usage.add(types, amount);
        let leaf = app.leaf;
        self.add_queue_usage(leaf, amount);
        self.refresh_app(index);
        self.refresh_upwards(leaf);
    }

    pub(super) fn add_queue_usage(&mut self, leaf: u32, amount: &Resource) {
        let (worker, types) = (self.worker, self.types);
        let mut at = leaf;
        while at != NONE {
            let queue = self.queue_mut(at);
            queue.usage = queue.usage.plus(amount);
            queue.snapshot.shared.cells[worker].usage.add(types, amount);
            at = queue.parent;
        }
    }

    // ------------------------------------------------------------------------------------------------ suspension

    /// Puts those back that were out for one descent.
    pub(super) fn end_descent(&mut self) {
        while let Some(out) = self.out_for_descent.pop() {
            self.resume(out);
        }
    }

    /// Puts all back.
    pub(super) fn end_pass(&mut self) {
        self.end_descent();
        while let Some(out) = self.out_for_pass.pop() {
            self.resume(out);
        }
    }

    fn resume(&mut self, Suspended { queue, position }: Suspended) {
        let queue = self.queue_mut(queue);
        queue.order.resume(position);
        queue.masters.resume(position);
    }
}
