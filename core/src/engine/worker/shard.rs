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

use crate::ahead::{expect, expect_write};
use crate::app::{Locality, SchedulingKey};
use crate::engine::books::closing::find;
use crate::engine::books::ledger::{AppCell, AppShared, KeyCell, NodeShared, QueueCell};
use crate::engine::books::pace::Lag;
use crate::engine::commit::lease::{Recounted, Took};
use crate::engine::commit::watch::Seat;
use crate::engine::mail::mailbox::FreeRecords;
use crate::engine::publish::snapshot::{QueueSnapshot, SchedulerSnapshot, Share};
use crate::engine::shared::Shared;
use crate::engine::worker::containers::{Containers, SizeId};
use crate::engine::worker::expiry::Looks;
use crate::engine::worker::node_list::NodeList;
use crate::engine::worker::owed::Creditor;
use crate::engine::worker::owed::OwedRooms;
use crate::engine::worker::rows::LocationRows;
use crate::fair::assignment::{HasDeclined, counts_opportunities};
use crate::fair::decision::Notes;
use crate::fair::trace::Recorder;
use crate::id::Slot;
use crate::order::WinnerTree;
use crate::policy::{ClusterTotal, OrderKey, Schedulable, SchedulingPolicy, Tie};
use crate::resource::Resource;
use crate::shares::Drf;
use crate::sync::{Arc, CachePadded, SnapshotReader};
use smallvec::SmallVec;
use std::any::Any;
use std::cell::Cell;
#[cfg(all(target_pointer_width = "64", not(shuttle)))]
use std::mem::offset_of;

/// "None" where an index is kept.
pub(crate) const NONE: u32 = WinnerTree::NOBODY;

/// A queue as this worker sees it. What every grant and end below it touches comes first, in three cache lines: the last of them for
/// memory and vcores of the min share. Those of the usage end a line, so that custom types lie in the next one.
#[derive(Debug)]
#[repr(C, align(64))]
pub(crate) struct QueueLocal {
    /// What this worker writes of it.
    cell: Arc<CachePadded<QueueCell>>,
    /// Children by position: the slot of the child queue or application, what it [is](Child), and the order of those that can be
    /// served at all.
    pub(crate) order: WinnerTree,
    pub(crate) parent: u32,
    /// Among the parent's children.
    pub(crate) position: u32,
    /// How many may be offered a node.
    pub(crate) eligible: u32,
    /// How many that take part in the order have no key.
    irregular: u32,
    weight: f32,
    /// The policy is drf, whose keys are made without a call.
    is_drf: bool,
    pub(crate) leaf: bool,
    /// Some type of the max share is limited.
    pub(crate) limited: bool,
    /// It or a queue above is.
    pub(crate) limited_path: bool,
    /// This worker counts in the watch of it or of one above.
    pub(crate) watched_path: bool,
    /// Some ask below is large enough for a reservation; kept like `floor`.
    pub(crate) may_reserve: bool,
    name_order: u64,
    /// Of a leaf: by position, applications that wait for their AM's container. Apart from the others, so that all of them
    /// can be passed over at once when the AM share is used up. Made when somebody first waits.
    masters: Option<Box<WinnerTree>>,
    pub(crate) usage: Resource,
    min_share: Resource,
    /// No outstanding ask below is smaller in any type: a lower bound, lowered by new asks, computed anew by each update.
    pub(crate) floor: Resource,
    /// Of a leaf: no AM that is waited for is smaller in any type; kept like `floor`.
    pub(crate) master_floor: Resource,
    pub(crate) demand: Resource,
    pub(crate) fair_share: Resource,
    policy: Arc<dyn SchedulingPolicy>,
    pub(crate) snapshot: Arc<QueueSnapshot>,
    /// This worker's part in the queue's watch.
    pub(crate) seat: Seat,
}

#[cfg(all(target_pointer_width = "64", not(shuttle)))]
const _: () =
    assert!(offset_of!(QueueLocal, usage) == 112 && offset_of!(QueueLocal, min_share) + 16 <= 192, "three lines");

/// What a child is, in bits: compared with every change of usage.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Child(u8);

impl Child {
    /// May be offered a node.
    const ELIGIBLE: u8 = 1;
    /// A member of the order without a key.
    const IRREGULAR: u8 = 2;
    /// An application that waits for its AM.
    const WAITS: u8 = 4;

    #[inline]
    fn new(eligible: bool, irregular: bool, waits: bool) -> Child {
        Child(u8::from(eligible) | u8::from(irregular) << 1 | u8::from(waits) << 2)
    }

    #[inline]
    fn count(self, bit: u8) -> u32 {
        u32::from(self.0 & bit != 0)
    }
}

fn is_drf(policy: &Arc<dyn SchedulingPolicy>) -> bool {
    let policy: &dyn Any = &**policy;
    policy.is::<Drf>()
}

impl QueueLocal {
    /// A queue that this worker has just heard of: no child has a place yet.
    pub(crate) fn new(worker: usize, snapshot: &Arc<QueueSnapshot>, share: Share) -> QueueLocal {
        QueueLocal {
            cell: snapshot.shared.cells[worker].clone(),
            policy: snapshot.policy.clone(),
            is_drf: is_drf(&snapshot.policy),
            weight: snapshot.weight,
            name_order: snapshot.name_order,
            min_share: snapshot.min_share,
            leaf: snapshot.leaf,
            snapshot: snapshot.clone(),
            parent: snapshot.parent.unwrap_or(NONE),
            position: 0,
            usage: snapshot.shared.usage(),
            demand: share.demand,
            fair_share: share.fair_share,
            limited: false,
            limited_path: false,
            watched_path: false,
            seat: Seat::default(),
            order: WinnerTree::default(),
            masters: None,
            master_floor: Resource::UNBOUNDED,
            eligible: 0,
            irregular: 0,
            floor: Resource::UNBOUNDED,
            may_reserve: false,
        }
    }

    /// Whether the child at a position may be offered a node.
    pub(crate) fn has_eligible(&self, position: u32) -> bool {
        self.order.note(position).is_some_and(|child| child & Child::ELIGIBLE != 0)
    }

    /// Whether the application at a position may be offered a node, and stands among those that do, or do not, wait for their AM.
    pub(crate) fn has_place_as(&self, position: u32, waits: bool) -> bool {
        let place = |child: Child| child.0 & (Child::ELIGIBLE | Child::WAITS);
        self.order.note(position).is_some_and(|child| place(Child(child)) == place(Child::new(true, false, waits)))
    }

    pub(crate) fn schedulable(&self) -> Schedulable<'_> {
        Schedulable {
            usage: &self.usage,
            demand: &self.demand,
            min_share: &self.min_share,
            weight: self.weight,
            tie: Tie { start_ms: 0, name: self.name_order },
        }
    }

    /// Of a leaf: applications that wait for their AM's container, in order, if there are any.
    #[inline]
    pub(crate) fn masters(&self) -> Option<&WinnerTree> {
        self.masters.as_deref()
    }

    /// The same, to take some out and put them back.
    #[inline]
    pub(crate) fn masters_mut(&mut self) -> Option<&mut WinnerTree> {
        self.masters.as_deref_mut()
    }

    /// The same queue, as it was published anew.
    pub(crate) fn renew(&mut self, snapshot: &Arc<QueueSnapshot>) {
        let QueueSnapshot { policy, weight, min_share, leaf, name_order, .. } = &**snapshot;
        self.policy = policy.clone();
        self.is_drf = is_drf(policy);
        self.weight = *weight;
        self.name_order = *name_order;
        self.min_share = *min_share;
        self.leaf = *leaf;
        self.snapshot = snapshot.clone();
    }

    /// Puts one of its child queues in place.
    #[inline]
    pub(crate) fn place_queue(&mut self, child: &QueueLocal, cluster: &ClusterTotal) {
        let (position, eligible) = (child.position, child.eligible > 0);
        if self.keys_are_pairs(cluster) {
            let key = Drf.key(cluster, &child.schedulable());
            self.update_child(position, true, eligible, key);
        } else {
            self.place_queue_by_policy(child, cluster);
        }
    }

    /// Whether keys are made here, in registers, and not by a call of the policy: the same keys.
    #[inline(always)]
    fn keys_are_pairs(&self, cluster: &ClusterTotal) -> bool {
        self.is_drf && cluster.types == 2
    }

    #[inline(never)]
    fn place_queue_by_policy(&mut self, child: &QueueLocal, cluster: &ClusterTotal) {
        let key = self.policy.key(cluster, &child.schedulable());
        self.update_child(child.position, true, child.eligible > 0, key);
    }

    /// Puts one of a leaf's runnable applications in place; one that waits for its AM stands apart.
    #[inline]
    pub(crate) fn place_app(&mut self, app: &AppLocal, cluster: &ClusterTotal) {
        let position = app.position;
        if app.waits_for_am() {
            self.place_master(app, cluster);
            return;
        }
        self.clear_master(position);
        if !app.is_pending() {
            self.update_child(position, false, false, None);
        } else if self.keys_are_pairs(cluster) {
            let key = Drf.key(cluster, &app.schedulable());
            self.update_child(position, true, app.has_open_key(), key);
        } else {
            self.place_app_by_policy(app, cluster);
        }
    }

    #[inline(never)]
    fn place_app_by_policy(&mut self, app: &AppLocal, cluster: &ClusterTotal) {
        let key = self.policy.key(cluster, &app.schedulable());
        self.update_child(app.position, true, app.has_open_key(), key);
    }

    #[inline(never)]
    fn place_master(&mut self, app: &AppLocal, cluster: &ClusterTotal) {
        let (position, member) = (app.position, app.is_pending());
        let eligible = member && app.has_open_key();
        let key = if member { self.policy.key(cluster, &app.schedulable()) } else { None };
        self.count_child(position, Child::new(eligible, member && key.is_none(), true));
        self.order.clear(position);
        let order = &self.order;
        let masters = self.masters.get_or_insert_with(|| Box::new(WinnerTree::of(order.len())));
        match key {
            Some(key) if eligible => masters.set(position, &key),
            _ => masters.clear(position),
        }
    }

    /// Nobody stands at a position of a leaf any more.
    pub(crate) fn remove_app(&mut self, position: u32) {
        self.order.set_child(position, NONE);
        self.clear_master(position);
        self.update_child(position, false, false, None);
    }

    /// As if it had been known without members and with other settings: what the next structure shows of it is all new.
    pub(crate) fn forget_members(&mut self) {
        let known = (*self.snapshot).clone();
        let (runnable, waiting) = Default::default();
        self.snapshot = Arc::new(QueueSnapshot { runnable, waiting, settings_version: u64::MAX, ..known });
        self.reset_children(0);
    }

    /// Adds to what it uses, here and in the ledger; `alone` where there is no other worker.
    #[inline(always)]
    pub(crate) fn add_usage(&mut self, types: usize, amount: &Resource, alone: bool) {
        self.usage.add_in_types(types, amount);
        self.show_change(types, amount, alone);
    }

    /// The second half of that.
    #[inline(always)]
    pub(crate) fn show_change(&self, types: usize, amount: &Resource, alone: bool) {
        self.cell.usage.add_knowing(types, amount, &self.usage, alone);
    }

    /// Says in the ledger what it uses; where there is no other worker.
    pub(crate) fn show_usage(&self, types: usize) {
        self.cell.usage.set(types, &self.usage);
    }

    /// An application of it will soon ask for something.
    #[inline]
    pub(crate) fn expect_asks(&self) {
        expect(&self.floor);
    }

    /// Its usage, and the key of the child at a position, will soon change.
    #[inline]
    pub(crate) fn expect_change(&self, position: u32) {
        expect(&self.usage);
        expect(&self.min_share);
        expect_write(&self.cell.usage);
        self.order.expect_change(position);
    }

    /// Whether children must be sorted anew for each descent.
    pub(crate) fn has_irregular(&self) -> bool {
        self.irregular > 0
    }

    pub(crate) fn reset_children(&mut self, count: usize) {
        self.order.reset(count);
        self.masters = None;
        self.eligible = 0;
        self.irregular = 0;
    }

    /// Notes what a child is now. A member takes part in Hadoop's order, whether or not it can be served: without a key
    /// it can change the places of the others.
    #[inline(always)]
    fn update_child(&mut self, position: u32, member: bool, eligible: bool, key: Option<OrderKey>) {
        let before = self.count_child(position, Child::new(eligible, member && key.is_none(), false));
        match key {
            Some(key) if eligible => self.order.set(position, &key),
            // Mostly it is out already.
            _ if before.0 & (Child::ELIGIBLE | Child::IRREGULAR | Child::WAITS) != Child::ELIGIBLE => {}
            _ => self.order.clear(position),
        }
    }

    /// Nobody who waits for an AM stands at a position.
    #[inline]
    fn clear_master(&mut self, position: u32) {
        if let Some(masters) = &mut self.masters {
            masters.clear(position);
        }
    }

    /// Gives what it was before.
    #[inline]
    fn count_child(&mut self, position: u32, new: Child) -> Child {
        let old = Child(self.order.replace_note(position, new.0));
        if old != new {
            self.eligible = self.eligible + new.count(Child::ELIGIBLE) - old.count(Child::ELIGIBLE);
            self.irregular = self.irregular + new.count(Child::IRREGULAR) - old.count(Child::IRREGULAR);
        }
        old
    }
}

/// With whom a worker shares the outstanding count of a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Sharing {
    /// It is the only worker.
    Alone,
    /// With others, who have not heard of the key yet, or not from here.
    Untold,
    /// With others, and it holds no piece of the pool.
    Shared,
    /// It may hold a piece.
    Leased,
}

/// What the other workers have to be told of changed asks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Told {
    /// They see it where it lies.
    Nothing,
    /// Some worker has found nothing left of a key, and does not look again by itself.
    Reopened,
    /// All there is to know.
    All,
}

/// A request key of an application. What every visit reads comes first, in one cache line if it is the application's only key.
#[derive(Debug)]
#[repr(C)]
pub(crate) struct KeyLocal {
    pub(crate) cell: Arc<KeyCell>,
    pub(crate) priority: i32,
    /// With one worker how many are outstanding for `*`, which the cell's pool shows to others. With several the pool says it, and
    /// here is what the last unit was taken of.
    left: u32,
    pub(crate) allocation_request_id: i64,
    pub(crate) opportunities: u32,
    /// Of the pool, with several workers.
    pub(crate) epoch: u16,
    /// That of the last container.
    pub(crate) container_size: SizeId,
    /// The allowed locality level, once it was asked for.
    pub(crate) level: Option<Locality>,
    /// Size and relaxation of the `*` ask.
    pub(crate) relax: bool,
    sharing: Sharing,
    /// Some rack or node was named since all were forgotten: else `rows`, which lie further away, are not looked at.
    has_rows: bool,
    pub(crate) size: Resource,
    rows: LocationRows,
    pub(crate) last_scheduled_ms: Option<u64>,
}

impl KeyLocal {
    /// A key that nothing is known of yet.
    pub(crate) fn new(id: SchedulingKey, cell: Arc<KeyCell>, workers: usize) -> KeyLocal {
        KeyLocal {
            priority: id.priority,
            left: if workers == 1 { cell.pool.total() } else { 0 },
            allocation_request_id: id.allocation_request_id,
            epoch: 0,
            sharing: if workers == 1 { Sharing::Alone } else { Sharing::Untold },
            size: cell.size.read(),
            cell,
            relax: true,
            has_rows: false,
            rows: LocationRows::new(workers > 1),
            level: None,
            opportunities: 0,
            last_scheduled_ms: None,
            container_size: SizeId::NONE,
        }
    }

    #[inline]
    pub(crate) fn id(&self) -> SchedulingKey {
        SchedulingKey { priority: self.priority, allocation_request_id: self.allocation_request_id }
    }

    #[inline]
    fn is_alone(&self) -> bool {
        self.sharing == Sharing::Alone
    }

    /// This worker may hold a piece of the pool from now on; false if it might before.
    pub(crate) fn set_leased(&mut self) -> bool {
        std::mem::replace(&mut self.sharing, Sharing::Leased) != Sharing::Leased
    }

    /// Whether the other workers know the key as it is here; from now on they do.
    pub(crate) fn set_told(&mut self) -> bool {
        let is_untold = self.sharing == Sharing::Untold;
        if is_untold {
            self.sharing = Sharing::Shared;
        }
        !is_untold
    }

    /// It holds none any more.
    pub(crate) fn set_handed_back(&mut self) {
        if self.sharing == Sharing::Leased {
            self.sharing = Sharing::Shared;
        }
    }

    /// The racks and nodes that are asked for; nothing where none is, as of most keys.
    #[inline]
    pub(crate) fn named(&self) -> Option<&LocationRows> {
        self.has_rows.then_some(&self.rows)
    }

    /// The same, empty where none is.
    #[inline]
    pub(crate) fn rows(&self) -> &LocationRows {
        &self.rows
    }

    /// The only way to change them.
    #[inline]
    pub(crate) fn change_rows<R>(&mut self, change: impl FnOnce(&mut LocationRows) -> R) -> R {
        let outcome = change(&mut self.rows);
        self.has_rows = !self.rows.is_empty();
        outcome
    }

    /// No rack or node is asked for any more.
    #[inline]
    pub(crate) fn forget_rows(&mut self) {
        if self.has_rows {
            self.change_rows(LocationRows::clear);
        }
    }

    /// How many a worker can take for `*`: those that it need not recall, if there are any.
    #[inline]
    pub(crate) fn visible(&self, worker: usize) -> u32 {
        if self.is_alone() { self.left } else { self.cell.pool.visible(worker) }
    }

    /// How many are outstanding for `*`, with whomever.
    #[inline]
    pub(crate) fn total(&self) -> u32 {
        if self.is_alone() { self.left } else { self.cell.pool.total() }
    }

    /// Whether any is outstanding for `*`, with whomever. Where none is, this worker hears of it when there is again.
    #[inline]
    pub(crate) fn is_open(&self) -> bool {
        if self.is_alone() { self.left > 0 } else { self.cell.pool.is_open() }
    }

    /// Takes one for `*`; says whether there was one, and whether this worker may hold a piece of the pool that it did not before.
    #[inline]
    pub(crate) fn take_one(&mut self, worker: usize) -> Option<bool> {
        if !self.is_alone() {
            return self.take_shared(worker);
        }
        let left = self.left.checked_sub(1)?;
        self.set_left(left);
        Some(false)
    }

    #[inline(never)]
    fn take_shared(&mut self, worker: usize) -> Option<bool> {
        let Took { taken, leased } = self.cell.pool.take_one(worker, self.epoch, self.left.into()).ok()?;
        self.left = taken.into();
        Some(leased && self.set_leased())
    }

    /// Undoes the last take: the grant was refused.
    pub(crate) fn untake_one(&mut self) {
        if self.is_alone() { self.put_own() } else { self.cell.pool.untake_one(self.left.into()) }
    }

    /// Puts one back, whatever the AM has asked for since: the container that took it ended before the AM saw it. By the home worker;
    /// says whether another one waits to hear of it.
    pub(crate) fn put_one(&mut self) -> bool {
        if self.is_alone() {
            self.put_own();
            return false;
        }
        self.cell.pool.put_one() == Recounted::Awaited
    }

    fn put_own(&mut self) {
        self.set_left(self.left.saturating_add(1));
    }

    /// The AM wants so many for `*` from now on, of this size and relaxation. By the home worker; says what the others have to be
    /// told: mostly they see the count where it lies. `anew` where they have to look at the key again in any case.
    #[inline]
    pub(crate) fn replace(&mut self, types: usize, count: u32, size: &Resource, relax: bool, anew: bool) -> Told {
        // Mostly as it was; the cell's line, which others read, is not written for nothing.
        let is_same = self.size.equals_in_types(types, size) && self.relax == relax;
        if !is_same {
            self.cell.size.set(types, size);
            (self.size, self.relax) = (*size, relax);
        }
        if self.is_alone() {
            self.set_left(count);
            return Told::Nothing;
        }
        // Without any left the racks and nodes are forgotten, by everybody.
        let is_known = is_same && !anew && (count > 0 || !self.has_rows) && self.set_told();
        if is_known {
            return match self.cell.pool.recount(count) {
                Recounted::Silent => Told::Nothing,
                Recounted::Awaited => Told::Reopened,
            };
        }
        self.epoch = self.cell.pool.replace(count);
        let _ = self.set_told();
        Told::All
    }

    #[inline]
    fn set_left(&mut self, count: u32) {
        self.left = count;
        self.cell.pool.publish(count);
    }
}

/// The nodes and racks that an application must not get, as interned names.
#[derive(Debug, Default)]
pub(crate) struct Blacklists {
    pub(crate) own: Box<[u32]>,
    /// The same for its AM's container.
    pub(crate) system: Box<[u32]>,
}

/// An application as this worker sees it. What leads to all else comes first, in one cache line; the list of containers among it,
/// since its capacity also tells whether there is an application in a slot. Of the vectors memory and vcores lie at the end of a
/// line that is needed anyway, or in that of what a grant reads.
#[derive(Debug)]
#[repr(C, align(64))]
pub(crate) struct AppLocal {
    /// Its containers on this worker's nodes, in no order that means anything.
    pub(crate) containers: Vec<u32>,
    /// Its leaf queue.
    pub(crate) leaf: u32,
    managed: bool,
    pub(crate) may_reserve: bool,
    pub(crate) runnable: bool,
    pub(crate) closed: bool,
    /// If there are any.
    pub(crate) blacklists: Option<Box<Blacklists>>,
    /// What this worker writes of it.
    pub(crate) cell: Arc<CachePadded<AppCell>>,
    pub(crate) slot: Slot,
    /// Its place among its leaf queue's runnable applications.
    pub(crate) position: u32,
    pub(crate) weight: f32,
    /// In the order in which they are served.
    pub(crate) keys: SmallVec<[KeyLocal; 1]>,
    /// Of many keys so many, the first, have nothing outstanding with any worker. Forgotten when asks change, and with each update:
    /// what another worker takes and puts back meanwhile is seen then.
    done: Cell<usize>,
    pub(crate) tie: Tie,
    pub(crate) usage: Resource,
    pub(crate) demand: Resource,
    pub(crate) shared: Arc<AppShared>,
    /// Smaller became runnable earlier.
    pub(crate) sequence: u64,
    /// What a grant would look up of `shared`.
    pub(crate) number: u32,
    pub(crate) attempt: u16,
    pub(crate) ever_had: bool,
    /// The next container number, and how many are left in the block.
    pub(crate) next_number: u32,
    pub(crate) numbers_left: u32,
    pub(crate) floor: Resource,
    pub(crate) fair_share: Resource,
    /// This worker's nodes that are reserved for it.
    pub(crate) reserved: SmallVec<[u32; 2]>,
}

#[cfg(all(target_pointer_width = "64", not(shuttle)))]
const _: () =
    assert!(offset_of!(AppLocal, keys) == 64 && offset_of!(KeyLocal, size) + 16 + 8 <= 64, "with a word of the list");
#[cfg(all(target_pointer_width = "64", not(shuttle)))]
const _: () = assert!(
    offset_of!(AppLocal, usage) % 64 == 48 && offset_of!(AppLocal, done) / 64 == offset_of!(AppLocal, usage) / 64
);
#[cfg(all(target_pointer_width = "64", not(shuttle)))]
const _: () =
    assert!(offset_of!(AppLocal, number) / 64 == (offset_of!(AppLocal, floor) + 15) / 64, "one line of a grant");

impl AppLocal {
    pub(crate) fn new(worker: usize, shared: Arc<AppShared>) -> AppLocal {
        let tie = Tie { start_ms: shared.start_ms, name: shared.id.name_order() };
        AppLocal {
            cell: shared.cells[worker].clone(),
            slot: shared.slot,
            number: shared.id.number,
            attempt: u16::try_from(shared.attempt).unwrap_or(u16::MAX),
            managed: shared.managed,
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
            keys: SmallVec::new(),
            done: Cell::new(0),
            floor: Resource::UNBOUNDED,
            may_reserve: false,
            blacklists: (!shared.system_blacklist.is_empty())
                .then(|| Box::new(Blacklists { system: shared.system_blacklist.clone(), ..Default::default() })),
            containers: Vec::new(),
            next_number: 0,
            numbers_left: 0,
            ever_had: false,
            reserved: SmallVec::new(),
            shared,
        }
    }

    pub(crate) fn schedulable(&self) -> Schedulable<'_> {
        Schedulable {
            usage: &self.usage,
            demand: &self.demand,
            min_share: &Resource::NONE,
            weight: self.weight,
            tie: self.tie,
        }
    }

    /// Interned node and rack names that it must not get.
    pub(crate) fn blacklist(&self) -> &[u32] {
        self.blacklists.as_ref().map_or(&[], |lists| &lists.own)
    }

    /// Replaces them.
    pub(crate) fn set_blacklist(&mut self, names: &[u32]) {
        if !(names.is_empty() && self.blacklists.is_none()) {
            self.blacklists.get_or_insert_default().own = names.into();
        }
    }

    /// Its next container number.
    pub(crate) fn take_number(&mut self) -> u32 {
        if self.numbers_left == 0 {
            (self.next_number, self.numbers_left) = self.shared.number_block();
        }
        let number = self.next_number;
        self.next_number += 1;
        self.numbers_left -= 1;
        number
    }

    /// Whether it still waits for its AM's container.
    #[inline]
    pub(crate) fn waits_for_am(&self) -> bool {
        self.managed && self.shared.waits_for_am()
    }

    /// Hadoop's filter in a leaf: pending demand (of the last update, less usage now) is not exactly zero.
    #[inline]
    pub(crate) fn is_pending(&self) -> bool {
        self.runnable && self.demand != self.usage
    }

    /// It will soon be visited, have another usage or other asks: asks for what it has besides the line that leads to it.
    #[inline]
    pub(crate) fn expect_visit(&self) {
        expect(&self.keys);
        expect(&self.usage);
        expect(&self.demand);
        expect(&self.floor);
        expect_write(&*self.cell);
    }

    /// The same, of the key that is mostly its only one: later, when the line that leads there has come.
    #[inline]
    pub(crate) fn expect_first_key(&self) {
        if let Some(key) = self.keys.first() {
            expect_write(&*key.cell);
        }
    }

    /// A container of it will end.
    #[inline]
    pub(crate) fn expect_last_container(&self) {
        if let Some(last) = self.containers.last() {
            expect(last);
        }
    }

    /// Some key has something outstanding. Hadoop visits an application without, too, to no effect.
    #[inline]
    pub(crate) fn has_open_key(&self) -> bool {
        let keys = &self.keys[..];
        if let [key] = keys {
            return key.is_open();
        }
        if keys.len() > MANY_KEYS {
            self.pass_done_keys();
        }
        keys[self.first_key()..].iter().any(KeyLocal::is_open)
    }

    /// Where a visit begins: those before it want nothing.
    #[inline]
    pub(crate) fn first_key(&self) -> usize {
        self.done.get()
    }

    /// An AM that asks under ever new keys leaves those behind that are served: each is looked at once.
    #[cold]
    fn pass_done_keys(&self) {
        let from = self.done.get();
        let done = self.keys[from..].iter().take_while(|key| !key.is_open()).count();
        self.done.set(from + done);
    }

    /// Keys have come, or have something outstanding again.
    pub(crate) fn look_at_all_keys(&self) {
        self.done.set(0);
    }
}

/// Of more keys than this those that are done are passed over together.
const MANY_KEYS: usize = 16;

/// A container that is reserved on a node.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reservation {
    pub(crate) app: Slot,
    pub(crate) number: u32,
    pub(crate) key: SchedulingKey,
    pub(crate) size: Resource,
}

/// A node of this worker.
#[derive(Debug)]
#[repr(C, align(64))]
pub(crate) struct Node {
    /// Its containers, in order of allocation. A node has few, and they lie in few cache lines: finding one here costs less than
    /// visiting the records of its neighbours.
    pub(crate) containers: Vec<u32>,
    /// How many records of containers were made for it.
    pub(crate) records: usize,
    /// When it last reported; for async offers.
    pub(crate) last_heartbeat_ms: u64,
    /// As its shared part has it: which of those it is that had its place.
    pub(crate) turn: u8,
    pub(crate) gone: bool,
    pub(crate) decommissioning: bool,
    /// It has been told of that a decommissioning node is empty.
    pub(crate) drained: bool,
    pub(crate) free: Resource,
    pub(crate) total: Resource,
    pub(crate) shared: Arc<NodeShared>,
    /// Room that was freed for starved applications.
    pub(crate) owed: OwedRooms<Creditor>,
    pub(crate) reservation: Option<Reservation>,
}

#[cfg(all(target_pointer_width = "64", not(shuttle)))]
const _: () = assert!(offset_of!(Node, free) + 16 <= 64, "what a heartbeat changes is one cache line");

impl Node {
    /// It will report soon.
    #[inline]
    pub(crate) fn expect_report(&self) {
        expect(self);
        expect(&self.total);
        expect(&self.reservation);
    }

    /// One that has just come.
    pub(crate) fn new(shared: Arc<NodeShared>, total: Resource, now_ms: u64) -> Node {
        Node {
            turn: shared.turn,
            shared,
            total,
            free: total,
            reservation: None,
            owed: OwedRooms::default(),
            containers: Vec::new(),
            records: 0,
            gone: false,
            decommissioning: false,
            drained: false,
            last_heartbeat_ms: now_ms,
        }
    }
}

/// What happened since it was last taken: for drivers that show every step.
#[derive(Debug, Default)]
pub(crate) struct Journal {
    /// Containers made, in order; with their node and whether each is an AM's.
    pub(crate) allocated: Vec<(crate::engine::mail::mailbox::Container, bool)>,
    /// Containers ended.
    pub(crate) ended: Vec<crate::engine::mail::mailbox::EndedContainer>,
}

/// A winner that declined and is out of its tree until later.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Suspended {
    pub(crate) queue: u32,
    pub(crate) position: u32,
}

/// See the module's text.
#[derive(Debug)]
pub(crate) struct Shard {
    pub(crate) worker: usize,
    pub(crate) types: usize,
    pub(crate) shared: Arc<Shared>,
    /// Where newer ones than `snapshot` are found.
    pub(crate) snapshots: SnapshotReader<SchedulerSnapshot>,
    /// The one that is decided by.
    pub(crate) snapshot: Arc<SchedulerSnapshot>,
    pub(crate) cluster: ClusterTotal,
    /// Visits count opportunities, or take times, that a later decision reads.
    pub(crate) counts_opportunities: bool,
    pub(crate) queues: Vec<Option<QueueLocal>>,
    pub(crate) apps: Vec<Option<AppLocal>>,
    pub(crate) nodes: NodeList,
    /// The sum of the `records` of those that are there.
    pub(crate) records_of_nodes: usize,
    pub(crate) containers: Containers,
    pub(crate) own_records: FreeRecords,
    /// Cluster less allocated, as of the moments at which Hadoop refreshes it.
    pub(crate) available: Resource,
    /// The ledger is not told of the root's usage: see [`hold_root`](Shard::hold_root).
    pub(crate) root_is_held: bool,
    /// What it is not told of, where there are other workers.
    pub(crate) root_held: Resource,
    /// Declined without effect: out until the end of the pass.
    pub(crate) out_for_pass: Vec<Suspended>,
    /// Declined with an effect that a second visit repeats: out until the end of the descent.
    pub(crate) out_for_descent: Vec<Suspended>,
    /// The present visit had an effect that a second one would repeat.
    pub(crate) repeatable: bool,
    /// Within a descent: who need not be offered the node any more.
    pub(crate) has_declined: Option<HasDeclined>,
    /// What this worker knows of the others' grants, and they of its own.
    pub(crate) lag: Lag,
    pub(crate) last_fold_ms: u64,
    /// Looks for containers that were never launched.
    pub(crate) looks: Looks,
    /// Queues in whose watch this worker counts: it may have leased room there.
    pub(crate) watched: Vec<u32>,
    /// Keys of which a piece is held.
    pub(crate) leases: Vec<(Slot, SchedulingKey)>,
    pub(crate) journal: Option<Journal>,
    pub(crate) trace: Option<Box<Recorder>>,
    /// Scratch for continuous scheduling: free memory and index of nodes.
    pub(crate) by_free: Vec<(i64, u32)>,
    /// Scratch for the slow path: one order a level, reused.
    pub(crate) scratch: Vec<Vec<u32>>,
    /// It is to panic when it begins anew.
    #[cfg(feature = "faults")]
    pub(crate) fails_anew: bool,
}

impl Shard {
    pub(crate) fn new(worker: usize, shared: Arc<Shared>, notes: Notes) -> Shard {
        let mut snapshots = shared.publisher.reader();
        let snapshot = snapshots.newest().clone();
        let mut shard = Shard {
            worker,
            types: shared.types,
            cluster: snapshot.structure.cluster,
            snapshots,
            snapshot,
            counts_opportunities: counts_opportunities(&shared.settings),
            queues: Vec::new(),
            apps: Vec::new(),
            nodes: NodeList::default(),
            records_of_nodes: 0,
            containers: Containers::default(),
            own_records: FreeRecords::default(),
            available: Resource::NONE,
            root_is_held: false,
            root_held: Resource::NONE,
            out_for_pass: Vec::new(),
            out_for_descent: Vec::new(),
            repeatable: false,
            has_declined: None,
            lag: Lag::default(),
            last_fold_ms: 0,
            looks: Looks::from(shared.clock.now_ms(), shared.settings.container_expiry_ms),
            watched: Vec::new(),
            leases: Vec::new(),
            journal: notes.journal.then(Journal::default),
            trace: notes.trace.then(Box::default),
            by_free: Vec::new(),
            scratch: Vec::new(),
            #[cfg(feature = "faults")]
            fails_anew: false,
            shared,
        };
        shard.take_structure(None);
        shard.refresh_available();
        shard
    }

    #[inline]
    pub(crate) fn queue(&self, queue: u32) -> &QueueLocal {
        self.queues[queue as usize].as_ref().expect("a queue of the snapshot")
    }

    #[inline]
    pub(crate) fn queue_mut(&mut self, queue: u32) -> &mut QueueLocal {
        self.queues[queue as usize].as_mut().expect("a queue of the snapshot")
    }

    #[inline]
    pub(crate) fn app(&self, app: u32) -> &AppLocal {
        self.apps[app as usize].as_ref().expect("an application that this worker knows")
    }

    #[inline]
    pub(crate) fn app_mut(&mut self, app: u32) -> &mut AppLocal {
        self.apps[app as usize].as_mut().expect("an application that this worker knows")
    }

    /// The application, if it is still the one that the slot meant.
    pub(crate) fn find_app(&self, slot: Slot) -> Option<&AppLocal> {
        find(&self.apps, slot, |app| app.slot)
    }

    /// Knows an application from now on.
    pub(crate) fn ensure_app(&mut self, shared: &Arc<AppShared>) -> u32 {
        let index = shared.slot.ix();
        if self.apps.len() <= index {
            self.apps.resize_with(index + 1, || None);
        }
        let slot = &mut self.apps[index];
        if slot.as_ref().is_none_or(|app| app.slot != shared.slot) {
            let mut app = AppLocal::new(self.worker, shared.clone());
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
    pub(crate) fn refresh_available(&mut self) {
        let used = self.queue(crate::engine::publish::snapshot::ROOT).usage;
        self.available = self.cluster.total.minus(&used);
    }
}
