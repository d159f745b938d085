//! An application as one worker sees it.

use crate::engine::books::ledger::{AppCell, AppShared};
use crate::engine::parts::{AppPart, Parts};
use crate::engine::records::key::KeyLocal;
use crate::id::{NONE, Slot};
use crate::matching::blacklist::Blacklists;
use crate::prefetch::{CACHE_LINE, prefetch, prefetch_lines, prefetch_write};
use crate::resource::Resource;
use crate::sync::{Arc, CachePadded};
use smallvec::SmallVec;
use std::cell::Cell;

/// An application as this worker sees it. What leads to all else comes first, in one cache line; the list of containers
/// among it, since its capacity also tells whether there is an application in a slot. Of the usage memory and vcores
/// lie at the end of a line that is needed anyway; what a grant reads is followed by the decider's part.
#[derive(Debug)]
#[repr(C, align(64))]
pub(crate) struct AppLocal<P: Parts> {
    /// Its containers on this worker's nodes, in no order that means anything.
    pub(crate) containers: Vec<u32>,
    /// Its leaf queue.
    pub(crate) leaf: u32,
    managed: bool,
    pub(crate) runnable: bool,
    pub(crate) closed: bool,
    pub(crate) ever_had: bool,
    /// If there are any.
    pub(crate) blacklists: Option<Box<Blacklists>>,
    /// What this worker writes of it.
    pub(crate) cell: Arc<CachePadded<AppCell>>,
    pub(crate) slot: Slot,
    /// Its place among its leaf queue's runnable applications.
    pub(crate) position: u32,
    /// What a grant would look up of `shared`, as `attempt` is.
    pub(crate) number: u32,
    /// In the order in which they are served.
    pub(crate) keys: SmallVec<[KeyLocal<P>; 1]>,
    /// Of many keys so many, the first, have nothing outstanding with any worker. Forgotten when asks change, and with
    /// each update: what another worker takes and puts back meanwhile is seen then.
    done: Cell<usize>,
    /// The next container number, and how many are left in the block.
    pub(crate) next_number: u32,
    pub(crate) numbers_left: u32,
    pub(crate) usage: Resource,
    pub(crate) shared: Arc<AppShared>,
    /// Smaller became runnable earlier.
    pub(crate) sequence: u64,
    pub(crate) attempt: u16,
    pub(crate) own: P::App,
    /// This worker's nodes that are reserved for it.
    pub(crate) reserved: SmallVec<[u32; 2]>,
}

impl<P: Parts> AppLocal<P> {
    /// Where `done` lies.
    #[cfg(all(target_pointer_width = "64", not(shuttle)))]
    #[allow(dead_code, reason = "Rust 1.88 does not count what constants without a name use")]
    pub(crate) const DONE: usize = std::mem::offset_of!(Self, done);

    /// What a visit reads, from the beginning, in cache lines.
    pub(crate) const VISITED: usize = std::mem::offset_of!(Self, own) / CACHE_LINE + 1;

    pub(crate) fn new(worker: usize, shared: Arc<AppShared>, own: P::App) -> AppLocal<P> {
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
            keys: SmallVec::new(),
            done: Cell::new(0),
            blacklists: (!shared.system_blacklist.is_empty())
                .then(|| Box::new(Blacklists { by_system: shared.system_blacklist.clone(), ..Default::default() })),
            containers: Vec::new(),
            next_number: 0,
            numbers_left: 0,
            ever_had: false,
            own,
            reserved: SmallVec::new(),
            shared,
        }
    }

    /// Interned node and rack names that it must not get.
    pub(crate) fn blacklist(&self) -> &[u32] {
        self.blacklists.as_ref().map_or(&[], |lists| &lists.by_am)
    }

    /// Replaces them.
    pub(crate) fn set_blacklist(&mut self, names: &[u32]) {
        if !(names.is_empty() && self.blacklists.is_none()) {
            self.blacklists.get_or_insert_default().by_am = names.into();
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

    /// One will be needed: prefetches the line that leads to what it has, and the decider's part. Reads nothing.
    #[inline]
    pub(crate) fn prefetch_begin(app: &Option<AppLocal<P>>) {
        const { assert!(size_of::<Option<AppLocal<P>>>() == size_of::<AppLocal<P>>(), "it begins where the record does") };
        prefetch(app);
        prefetch_lines(app, Self::VISITED - 1..Self::VISITED);
    }

    /// It will soon be visited, or its usage or asks will change. Prefetches what it has besides the line that leads to
    /// it.
    #[inline]
    pub(crate) fn prefetch_visit(&self, worker: &P::Worker) {
        prefetch(&self.keys);
        prefetch(&self.usage);
        self.own.prefetch_visit(worker, self.leaf);
        prefetch_write(&*self.cell);
    }

    /// The same, of the key that is mostly its only one: later, when the line that leads there has come.
    #[inline]
    pub(crate) fn prefetch_first_key(&self) {
        if let Some(key) = self.keys.first() {
            prefetch_write(&*key.cell);
        }
    }

    /// A container of it will end.
    #[inline]
    pub(crate) fn prefetch_last_container(&self) {
        if let Some(last) = self.containers.last() {
            prefetch(last);
        }
    }

    /// Of one that asks for nothing which could be served: whether it asks for nodes or racks all the same, with
    /// nothing at `*`.
    #[cfg(not(loom))]
    pub(crate) fn asks_in_vain(&self) -> Option<bool> {
        // What was served elsewhere leaves its racks and nodes behind, under a key that was asked for at `*`.
        let without = self.keys.iter().filter(|key| key.size.is_zero());
        let mut rows = without.filter_map(|key| key.named()).flat_map(|rows| rows.iter());
        (!self.has_open_key()).then(|| rows.any(|row| row.left() > 0))
    }

    /// Some key has something outstanding. Hadoop visits an application without, too, to no effect.
    #[inline]
    pub(crate) fn has_open_key(&self) -> bool {
        let keys = &self.keys[..];
        if let [key] = keys {
            return key.is_open_or_note_zero();
        }
        if keys.len() > MANY_KEYS {
            self.pass_done_keys();
        }
        keys[self.first_key()..].iter().any(KeyLocal::is_open_or_note_zero)
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
        let done = self.keys[from..].iter().take_while(|key| !key.is_open_or_note_zero()).count();
        self.done.set(from + done);
    }

    /// Keys have come, or have something outstanding again.
    pub(crate) fn look_at_all_keys(&self) {
        self.done.set(0);
    }
}

/// Of more keys than this those that are done are passed over together.
const MANY_KEYS: usize = 16;
