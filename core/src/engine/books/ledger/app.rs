//! An application as all threads see it.

use super::key::{KeyCell, KeyIndex, MAX_KEYS};
use super::node::NodeShared;
use crate::app::{Ask, SchedulingKey};
use crate::engine::books::close_once::Closed;
use crate::engine::books::leaf_and_am::LeafAndAm;
use crate::engine::books::marks::{Marks, left_over};
use crate::engine::books::reserved::{self, ReservedCount};
use crate::engine::books::usage::UsageCell;
use crate::engine::books::usage_by_label::UsageByLabel;
use crate::engine::lease::AskPool;
use crate::engine::mail::container::Container;
use crate::engine::mail::mailbox::Stack;
use crate::event::Refused;
use crate::event::refused::Limit;
use crate::id::{ApplicationId, ContainerId, LabelId, Slot};
use crate::prefetch::prefetch;
use crate::resource::Resource;
use crate::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use crate::sync::{Arc, CachePadded, Mutex, OnceLock};
use smallvec::SmallVec;
use std::collections::BTreeSet;
use std::fmt;
#[cfg(all(target_pointer_width = "64", not(shuttle)))]
use std::mem::offset_of;

/// What one worker writes of an application. In this order: what a grant and a call of the AM change is in one cache
/// line, but the usage of custom types. The usage is written first: then the line is the worker's own when a container
/// is pushed.
#[derive(Debug, Default)]
#[repr(C)]
pub(crate) struct AppCell {
    /// Containers granted and not yet acquired.
    pub(crate) granted: Stack,
    /// Acquired containers that ended.
    pub(crate) ended: Stack,
    /// How many of this worker's nodes the application has reserved.
    pub(crate) reserved: ReservedCount,
    /// Its containers on this worker's nodes that are marked for preemption.
    pub(crate) marked: Marks,
    /// How many of them were preempted, ever.
    pub(crate) preempted: AtomicU64,
    pub(crate) usage: UsageCell,
    /// The same by node label, where these are on and there are several workers.
    pub(crate) by_label: UsageByLabel,
}

impl AppCell {
    /// Whether the AM has something to fetch here.
    pub(crate) fn has_mail(&self) -> bool {
        !(self.granted.is_empty() && self.ended.is_empty())
    }
}

/// What the AM's `allocate` calls keep of its blacklist: one AM calls one at a time, so this lock is never contended on
/// purpose.
#[derive(Debug, Default)]
pub(crate) struct AmSide {
    /// Interned node and rack names.
    pub(crate) blacklist: Vec<u32>,
    /// The nodes that the blacklist names, looked up when it last changed, as Hadoop does for headroom.
    pub(crate) blacklisted: Option<Vec<Arc<NodeShared>>>,
    /// Containers that are to be preempted, where the AM is told once: those that it has yet to be told of.
    pub(crate) to_preempt: Vec<ContainerId>,
}

/// What an application is made of.
#[derive(Debug)]
pub(crate) struct NewApp<'a> {
    pub(crate) scheduler: u64,
    pub(crate) id: ApplicationId,
    pub(crate) attempt: u32,
    pub(crate) slot: Slot,
    pub(crate) user: &'a str,
    pub(crate) managed: bool,
    pub(crate) recovered: bool,
    pub(crate) system_blacklist: Box<[u32]>,
    pub(crate) start_ms: u64,
    pub(crate) home: usize,
    pub(crate) queue: u32,
    pub(crate) placed_in: &'a str,
    pub(crate) keeps_name: bool,
    pub(crate) label: Option<&'a str>,
}

#[cfg(test)]
impl NewApp<'_> {
    /// An application for tests, in slot `number`.
    pub(crate) fn example(number: u32) -> NewApp<'static> {
        NewApp {
            scheduler: 0,
            id: ApplicationId { cluster_timestamp: 1, number },
            attempt: 1,
            slot: Slot { index: number, generation: 0 },
            user: "u",
            managed: false,
            recovered: false,
            system_blacklist: Box::default(),
            start_ms: 0,
            home: 0,
            queue: 0,
            placed_in: "root.a",
            keeps_name: false,
            label: None,
        }
    }
}

/// An attempt of an application as all threads see it.
///
/// In this order, so that what a call of its AM reads is in one cache line, which hardly anybody writes once the
/// application runs.
#[repr(C)]
pub(crate) struct AppShared {
    /// Whose it is; see `shared::number_scheduler`.
    pub(crate) scheduler: u64,
    pub(crate) slot: Slot,
    /// The worker that applies its asks.
    pub(crate) home: usize,
    /// Its leaf queue, and whether its AM runs.
    leaf_and_am: LeafAndAm,
    /// By worker; each worker keeps a reference to its own, so that a grant need not look here. That costs 128 bytes a
    /// cell, for the counts of its references. The first lies here: no line between it and who has the application.
    pub(crate) cells: SmallVec<[Arc<CachePadded<AppCell>>; 1]>,
    /// How many keys it has.
    key_count: AtomicU32,
    closed: Closed,
    /// The home worker knows it, until it closes.
    met: AtomicBool,
    /// Its AM does not want some nodes or racks; where this is not set, calls pass over what `am` keeps.
    has_blacklist: AtomicBool,
    /// Its first container is its AM.
    pub(crate) managed: bool,
    /// It began under a ResourceManager that has been restarted.
    pub(crate) recovered: bool,
    /// Which attempt of the application this is, from 1.
    pub(crate) attempt: u32,
    pub(crate) id: ApplicationId,
    pub(crate) user: Box<str>,
    /// Interned names of nodes and racks that its AM's container must not get.
    pub(crate) system_blacklist: Box<[u32]>,
    /// Running containers of earlier attempts that it has taken over; written by the control before anybody has its
    /// handle.
    pub(crate) kept: OnceLock<Box<[Container]>>,
    pub(crate) start_ms: u64,
    /// The name of the queue that it entered.
    pub(crate) placed_in: Box<str>,
    /// The ResourceManager calls that queue as the submission did, without the `root.` in front.
    pub(crate) keeps_name: bool,
    /// Of the nodes that it wants where an ask does not say; `Some("")` is the default partition.
    pub(crate) label: Option<Box<str>>,
    ever_had: AtomicBool,
    /// Not waiting for a running limit; for views.
    runnable: AtomicBool,
    /// The number of the last container, or of the last block of them.
    sequence: AtomicU32,
    am_resource: UsageCell,
    /// What it can still get, where its decider has the home worker work that out.
    pub(crate) headroom: UsageCell,
    first_key: OnceLock<Arc<KeyCell>>,
    /// Where its keys are found and the next one goes.
    keys: Mutex<KeyIndex>,
    /// Apart from what workers read: the AM's calls write it.
    pub(crate) am: CachePadded<Mutex<AmSide>>,
}

// Not of shuttle's words, which are larger.
#[cfg(all(target_pointer_width = "64", not(shuttle)))]
const _: () = assert!(align_of::<AppShared>() >= 64 && offset_of!(AppShared, managed) < 64, "one cache line");
#[cfg(all(target_pointer_width = "64", not(shuttle)))]
const _: () = assert!(offset_of!(AppCell, usage) + 16 == 64, "another one");

impl fmt::Debug for AppShared {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AppShared").field("id", &self.id).field("slot", &self.slot).finish_non_exhaustive()
    }
}

/// Containers are numbered in blocks of so many once several workers number them.
const BLOCK: u32 = 16;

impl AppShared {
    /// An application as `made_of` says, of a scheduler with `workers`.
    pub(crate) fn new(made_of: NewApp<'_>, workers: usize) -> AppShared {
        let NewApp {
            scheduler,
            id,
            attempt,
            slot,
            user,
            managed,
            recovered,
            system_blacklist,
            start_ms,
            home,
            queue,
            placed_in,
            keeps_name,
            label,
        } = made_of;
        AppShared {
            scheduler,
            id,
            attempt,
            slot,
            user: user.into(),
            managed,
            recovered,
            system_blacklist,
            kept: OnceLock::new(),
            start_ms,
            home,
            placed_in: placed_in.into(),
            keeps_name,
            label: label.map(Into::into),
            leaf_and_am: LeafAndAm::new(queue),
            closed: Closed::default(),
            ever_had: AtomicBool::new(false),
            runnable: AtomicBool::new(false),
            am_resource: UsageCell::default(),
            headroom: UsageCell::default(),
            sequence: AtomicU32::new(0),
            cells: (0..workers).map(|_| Arc::default()).collect(),
            first_key: OnceLock::new(),
            keys: Mutex::default(),
            key_count: AtomicU32::new(0),
            met: AtomicBool::new(false),
            has_blacklist: AtomicBool::new(false),
            am: CachePadded::new(Mutex::new(AmSide::default())),
        }
    }

    pub(crate) fn usage(&self) -> Resource {
        self.cells.iter().fold(Resource::ZERO, |sum, cell| sum.plus(&cell.usage.read()))
    }

    /// Adds the containers of it that are marked for preemption, by worker, those marked earlier first.
    #[inline]
    pub(crate) fn strict_preemptions(&self, out: &mut Vec<ContainerId>) {
        for marked in self.cells.iter().filter_map(|cell| cell.marked.list()) {
            out.extend(marked.iter().map(|(container, _)| *container));
        }
    }

    /// What it uses on the nodes of a label, where that is counted.
    pub(crate) fn usage_in(&self, label: LabelId) -> Resource {
        self.cells.iter().fold(Resource::ZERO, |sum, cell| sum.plus(&cell.by_label.read(label)))
    }

    /// What it uses without what is marked for preemption of it, by all workers.
    pub(crate) fn left_over(&self) -> Resource {
        left_over(self.cells.iter().map(|cell| (&cell.usage, &cell.marked)))
    }

    /// How many containers were preempted of it, by all workers.
    pub(crate) fn preempted(&self) -> u64 {
        // ORDERING: Relaxed. A statistic.
        self.cells.iter().map(|cell| cell.preempted.load(Ordering::Relaxed)).sum()
    }

    /// Nodes reserved for it, by all workers.
    pub(crate) fn reserved(&self) -> u32 {
        reserved::total(self.cells.iter().map(|cell| &cell.reserved))
    }

    /// A call of its AM comes. Prefetches what it reads first.
    #[inline]
    pub(crate) fn prefetch_call(&self) {
        prefetch(self);
    }

    /// The same, a link further.
    #[inline]
    pub(crate) fn prefetch_mail(&self) {
        self.cells.iter().for_each(|cell| prefetch(&cell.granted));
    }

    /// The slot of its leaf queue; who acts on it checks the snapshot.
    pub(crate) fn queue(&self) -> u32 {
        self.leaf_and_am.queue()
    }

    /// By the control: it is in another leaf queue from now on. Says what its AM was accounted with in the old one.
    pub(crate) fn move_to(&self, queue: u32) -> Resource {
        if self.leaf_and_am.move_to(queue) { self.am_resource.read() } else { Resource::ZERO }
    }

    pub(crate) fn is_closed(&self) -> bool {
        self.closed.is_closed()
    }

    /// No further calls are taken; true for the first to close it.
    pub(crate) fn close(&self) -> bool {
        self.closed.close()
    }

    /// Whether a managed application still waits for its AM's container.
    #[inline]
    pub(crate) fn waits_for_am(&self) -> bool {
        self.managed && !self.leaf_and_am.has_am()
    }

    /// Its AM runs, accounted with `size` in the leaf queue `queue`; false, and nothing changed, when it has been moved
    /// out of that one. By the worker that holds the one unit of the AM's ask.
    #[must_use]
    pub(crate) fn try_set_am(&self, queue: u32, types: usize, size: &Resource) -> bool {
        self.am_resource.set(types, size);
        self.leaf_and_am.try_set_am(queue)
    }

    /// By the control: its AM, which runs already, is this large.
    pub(crate) fn set_am_resource(&self, types: usize, size: &Resource) {
        self.am_resource.set(types, size);
    }

    /// What its AM was accounted with: nothing before it has one.
    pub(crate) fn am_resource(&self) -> Resource {
        if self.leaf_and_am.has_am() { self.am_resource.read() } else { Resource::ZERO }
    }

    /// By the home worker: its asks may come by slot from now on.
    pub(crate) fn set_known_at_home(&self) {
        // ORDERING: Relaxed. What is sent after it was seen arrives, by the lane, after the worker has met it.
        self.met.store(true, Ordering::Relaxed);
    }

    pub(crate) fn is_known_at_home(&self) -> bool {
        // ORDERING: Relaxed, as in `set_known_at_home`.
        self.met.load(Ordering::Relaxed)
    }

    /// Its AM does not want these nodes and racks; by whoever holds the lock of `am`, with what it guards.
    pub(crate) fn set_blacklist(&self, am: &mut AmSide, blacklist: Vec<u32>) {
        // ORDERING: Relaxed. Who sees it takes the lock before it looks at the list. The AM's next call sees it, and
        // which of two calls at once does is nobody's promise.
        self.has_blacklist.store(!blacklist.is_empty(), Ordering::Relaxed);
        (am.blacklist, am.blacklisted) = (blacklist, None);
    }

    #[inline]
    pub(crate) fn has_blacklist(&self) -> bool {
        // ORDERING: Relaxed, as in `set_blacklist`.
        self.has_blacklist.load(Ordering::Relaxed)
    }

    pub(crate) fn set_ever_had(&self) {
        // ORDERING: Relaxed. A statistic.
        self.ever_had.store(true, Ordering::Relaxed);
    }

    pub(crate) fn set_runnable(&self, runnable: bool) {
        // ORDERING: Relaxed. For views only.
        self.runnable.store(runnable, Ordering::Relaxed);
    }

    pub(crate) fn is_runnable(&self) -> bool {
        // ORDERING: Relaxed. For views only.
        self.runnable.load(Ordering::Relaxed)
    }

    pub(crate) fn ever_had(&self) -> bool {
        // ORDERING: Relaxed. A statistic.
        self.ever_had.load(Ordering::Relaxed)
    }

    /// The first of a block of container numbers, and how many there are.
    pub(crate) fn number_block(&self) -> (u32, u32) {
        let size = if self.cells.len() == 1 { u32::MAX - 1 } else { BLOCK };
        // ORDERING: Relaxed. Only uniqueness counts.
        (self.sequence.fetch_add(size, Ordering::Relaxed) + 1, size)
    }

    /// A key, made if need be. By a worker that meets it: the home worker first.
    pub(crate) fn key(&self, id: SchedulingKey, workers: usize) -> Arc<KeyCell> {
        let mut index = self.keys.lock();
        if let Some(known) = index.find(&self.first_key, id) {
            return known;
        }
        let key = Arc::new(KeyCell {
            id,
            size: UsageCell::default(),
            // One worker shares with nobody.
            pool: AskPool::new(if workers > 1 { workers } else { 0 }).into(),
            next: OnceLock::new(),
        });
        let end = index.last.as_ref().map_or(&self.first_key, |last| &last.next);
        // The lock is held: nobody else has put one there.
        let _ = end.set(key.clone());
        index.note(&self.first_key, &key);
        // ORDERING: Relaxed. Who asks for many keys is refused sooner or later.
        self.key_count.store(u32::try_from(index.len).unwrap_or(u32::MAX), Ordering::Relaxed);
        key
    }

    /// Refuses asks that would take the application above [`MAX_KEYS`]. What is on its way to the home worker does not
    /// count yet.
    #[inline]
    pub(crate) fn check_keys(&self, asks: &[Ask]) -> Result<(), Refused> {
        // ORDERING: Relaxed, as in `key`.
        let known = self.key_count.load(Ordering::Relaxed) as usize;
        if known + asks.len() <= MAX_KEYS { Ok(()) } else { self.count_keys(known, asks) }
    }

    #[cold]
    fn count_keys(&self, known: usize, asks: &[Ask]) -> Result<(), Refused> {
        let mut new: BTreeSet<SchedulingKey> = asks.iter().map(Ask::key).collect();
        // Not held from one look to the next: a worker may wait for it.
        new.retain(|id| self.keys.lock().find(&self.first_key, *id).is_none());
        let asked = known + new.len();
        if new.is_empty() || asked <= MAX_KEYS {
            return Ok(());
        }
        Err(Limit::TooManyKeys { app: self.id.number, asked, most: MAX_KEYS }.into())
    }

    /// The key that was asked for first; those after it hang on it in the order of their first ask.
    pub(crate) fn first_key(&self) -> Option<&Arc<KeyCell>> {
        self.first_key.get()
    }

    /// What the AM still wants: each key's outstanding `*` count times its size.
    pub(crate) fn wanted(&self) -> Resource {
        self.first_key().into_iter().flat_map(|key| key.and_later()).fold(Resource::ZERO, |sum, key| {
            match key.pool.total() {
                0 => sum,
                count => sum.saturating_plus(&key.size.read().saturating_times_int(i64::from(count))),
            }
        })
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn keys_are_found_again_and_add_up() {
        let app = AppShared::new(NewApp::example(0), 1);
        let id = |priority, allocation_request_id| SchedulingKey { priority, allocation_request_id };
        for (id, size, count) in [(id(5, 0), 1024, 3), (id(5, 1), 2048, 2)] {
            let key = app.key(id, 1);
            key.size.set(2, &Resource::new(size, 1));
            key.pool.publish(count);
        }
        assert!(Arc::ptr_eq(&app.key(id(5, 0), 1), &app.key(id(5, 0), 1)));
        assert!(!Arc::ptr_eq(&app.key(id(5, 0), 1), &app.key(id(5, 1), 1)));
        assert_eq!(app.wanted(), Resource::new(3 * 1024 + 2 * 2048, 5));
    }

    #[test]
    fn many_keys_go_without_a_deep_stack() {
        let app = AppShared::new(NewApp::example(0), 1);
        // Backwards, so that those at the front of the chain are the last that the index lets go.
        for i in (0..1_000_000).rev() {
            app.key(SchedulingKey { priority: 1, allocation_request_id: i }, 1);
        }
        assert_eq!(app.first_key().map(|key| key.and_later().count()), Some(1_000_000));
        drop(app);
    }

    #[test]
    fn per_worker_cells_do_not_share_lines() {
        assert!(align_of::<CachePadded<AppCell>>() >= 128);
        assert_eq!(size_of::<CachePadded<AppCell>>() % 128, 0);
    }
}
