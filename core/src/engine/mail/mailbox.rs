//! Mailboxes: grants, and the news of ended containers, on their way to `allocate`.
//!
//! # Where it stands
//! `grant` -> **mailbox** -> the thread that calls `allocate`. One [`Arena`] a worker: container records as atomic
//! words, addressed by index. Each application has two stacks of record indices a worker.
//!
//! # Protocol
//! 1. The worker fills a record and pushes it on the application's *granted* stack (only this worker pushes there).
//! 2. Whoever calls `allocate` swaps the whole stack out, and *acquires* each record by a compare-exchange on its
//!    state.
//! 3. A container that ends after that is pushed on the *ended* stack; one that ends before is *withdrawn* by the
//!    worker with a compare-exchange on the same word, and the drainer drops it.
//! 4. Who took a record off its last stack pushes it on the arena's *freed* stack; the worker swaps that out as a
//!    whole.
//! 5. With the acquisition goes its time: the worker reads it when it looks for containers that were acquired and never
//!    launched (`expiry`).
//!
//! # Invariants
//! I5: every grant is acquired exactly once or withdrawn. A record is on one stack at a time and is reused only after
//! it was taken off. Stacks are only ever emptied as a whole, so there is no ABA: nobody pops one element.
//!
//! # What races, and why it is safe
//! Push against drain, withdrawal against drain, close against push: `loom-tests/tests/push_vs_drain.rs`,
//! `withdraw_vs_drain.rs`, `finish_vs_grant.rs`; a look against drain: `expire_vs_acquire.rs`.
//!
//! # Trade-offs
//! Nothing allocated but whole chunks of records. A record of an ended container waits for its AM to call.

#[cfg(all(feature = "faults", not(loom)))]
pub(crate) mod audit;

use crate::engine::mail::container::{Container, EndReason, EndedContainer};
use crate::id::{ContainerId, Locality, NodeId, Slot};
use crate::prefetch::{prefetch, prefetch_write};
use crate::resource::{MAX_TYPES, Resource};
use crate::sync::atomic::{AtomicI64, AtomicU32, Ordering};
use crate::sync::{CachePadded, OnceLock};

/// End of a stack.
pub(crate) const NIL: u32 = u32::MAX;

#[cfg(not(any(loom, shuttle)))]
const CHUNK: usize = 4096;
#[cfg(any(loom, shuttle))]
const CHUNK: usize = 2;
#[cfg(not(any(loom, shuttle)))]
const CHUNKS: usize = 8192;
#[cfg(loom)]
const CHUNKS: usize = 2;
/// Small clusters, thousands of times over.
#[cfg(shuttle)]
const CHUNKS: usize = 128;

/// Granted; the AM has not seen it.
const UNSEEN: u32 = 0;
/// The AM has it.
const ACQUIRED: u32 = 1;
/// Ended before the AM saw it.
const WITHDRAWN: u32 = 2;

/// One record: plain words, written by the worker before it pushes and read by the drainer after it took. All that a
/// container of two resource types without an allocation request id needs is in its first 64 bytes, one cache line:
/// there are as many records as containers, so each is cold when it is met.
#[derive(Debug)]
#[repr(C, align(64))]
struct Record {
    next: AtomicU32,
    state: AtomicU32,
    application: AtomicU32,
    app_index: AtomicU32,
    app_generation: AtomicU32,
    number: AtomicU32,
    place: AtomicU32,
    node: AtomicU32,
    priority: AtomicU32,
    reason: AtomicU32,
    /// With [`HAS_REQUEST_ID`], and the locality from bit [`LOCALITY`] on.
    attempt: AtomicU32,
    /// When the AM acquired it, the low half of the ms of the scheduler's clock. Written by the drainer, counts from
    /// its acquisition on.
    acquired_ms: AtomicU32,
    size: [AtomicI64; MAX_TYPES],
    /// Only where it is not 0.
    allocation_request_id: AtomicI64,
}

/// In the word of the attempt: the record has an allocation request id.
const HAS_REQUEST_ID: u32 = 1 << 31;

/// In the word of the attempt: how far its locality is shifted.
const LOCALITY: u32 = u16::BITS;

/// The word of a container's attempt, without [`HAS_REQUEST_ID`].
fn attempt_word(container: &Container) -> u32 {
    u32::from(container.id.attempt) | (container.locality as u32) << LOCALITY
}

/// The locality in the word of an attempt.
fn locality_of(word: u32) -> Locality {
    let place = (word & !HAS_REQUEST_ID) >> LOCALITY;
    Locality::ALL.get(place as usize).copied().unwrap_or(Locality::OffSwitch)
}

/// The low half of a time: enough for differences of up to 24 days.
fn low_half(ms: u64) -> u32 {
    u32::try_from(ms & u64::from(u32::MAX)).expect("half a word")
}

impl Record {
    fn new() -> Record {
        let word = || AtomicU32::new(0);
        Record {
            next: word(),
            state: word(),
            application: word(),
            app_index: word(),
            app_generation: word(),
            number: word(),
            place: word(),
            node: word(),
            priority: word(),
            reason: word(),
            attempt: word(),
            acquired_ms: word(),
            size: std::array::from_fn(|_| AtomicI64::new(0)),
            allocation_request_id: AtomicI64::new(0),
        }
    }
}

/// One stack of records of one worker's arena.
#[derive(Debug)]
pub struct Stack {
    top: AtomicU32,
    /// What lay on top when the last one was pushed: a hint for who will take both. Of stacks that one thread pushes
    /// on.
    below: AtomicU32,
}

impl Default for Stack {
    fn default() -> Self {
        Stack { top: AtomicU32::new(NIL), below: AtomicU32::new(NIL) }
    }
}

impl Stack {
    /// Whether it was empty a moment ago.
    #[inline]
    pub fn is_empty(&self) -> bool {
        // ORDERING: Relaxed. A hint: `take_all` decides.
        self.top.load(Ordering::Relaxed) == NIL
    }

    /// Takes the whole stack.
    #[inline]
    fn take_all(&self) -> u32 {
        // ORDERING: Acquire. Pairs with the Release in `push`: who takes a record sees its words. Weaker fails in
        // loom-tests/tests/push_vs_drain.rs.
        self.top.swap(NIL, Ordering::Acquire)
    }
}

/// The container records of one worker; see the module's text.
#[derive(Debug)]
pub struct Arena {
    worker: u16,
    types: usize,
    chunks: Box<[OnceLock<Box<[Record]>>]>,
    freed: CachePadded<Stack>,
}

/// What a worker keeps of its arena: the records that it may use. Owned by the worker.
#[derive(Debug)]
pub struct FreeRecords {
    free: Vec<u32>,
    /// The first of those that drainers have freed and the worker has taken, linked.
    chain: u32,
    made: u32,
}

impl Default for FreeRecords {
    fn default() -> Self {
        FreeRecords { free: Vec::new(), chain: NIL, made: 0 }
    }
}

impl Arena {
    /// An empty arena of worker `worker` for `types` resource types.
    #[must_use]
    pub fn new(worker: u16, types: usize) -> Arena {
        Arena {
            worker,
            types,
            chunks: (0..CHUNKS).map(|_| OnceLock::new()).collect(),
            freed: CachePadded::new(Stack::default()),
        }
    }

    #[inline]
    fn record(&self, index: u32) -> &Record {
        let index = index as usize;
        &self.chunks[index / CHUNK].get().expect("an index in use lies in a chunk that was made")[index % CHUNK]
    }

    /// A record to use, or `None` when all that the arena can hold are in use. By the worker.
    pub fn allocate(&self, own: &mut FreeRecords) -> Option<u32> {
        if let Some(index) = own.free.pop() {
            return Some(index);
        }
        if own.chain == NIL && !self.freed.is_empty() {
            own.chain = self.freed.take_all();
        }
        if own.chain != NIL {
            let index = own.chain;
            // ORDERING: Relaxed here and on every record word: published by `push`'s Release, taken by `take_all`'s
            // Acquire.
            own.chain = self.record(index).next.load(Ordering::Relaxed);
            return Some(index);
        }
        let index = own.made;
        if index as usize >= CHUNK * CHUNKS {
            return None;
        }
        self.make_chunk(index as usize / CHUNK);
        own.made += 1;
        Some(index)
    }

    /// Takes one record off the chain that drainers gave back, and prefetches the record after it, which is in a
    /// drainer's cache. By the worker.
    #[inline(always)]
    pub fn prefetch_allocate(&self, own: &mut FreeRecords) {
        if own.chain == NIL {
            return;
        }
        if own.free.is_empty() {
            // Asked for when the one before it was taken, but for the first of a chain.
            let next = self.record(own.chain).next.load(Ordering::Relaxed);
            own.free.push(std::mem::replace(&mut own.chain, next));
        }
        if own.chain != NIL {
            prefetch_write(self.record(own.chain));
        }
    }

    /// Has at least so many records, as far as it can hold them, so that memory for them need not be had by whoever
    /// grants. By the worker.
    pub fn make_room(&self, records: usize) {
        // Chunks are made from the first on: below one that is there none is missing.
        let wanted = &self.chunks[..records.div_ceil(CHUNK).min(CHUNKS)];
        let made = wanted.iter().rposition(|chunk| chunk.get().is_some()).map_or(0, |last| last + 1);
        (made..wanted.len()).for_each(|chunk| self.make_chunk(chunk));
    }

    #[inline]
    fn make_chunk(&self, chunk: usize) {
        self.chunks[chunk].get_or_init(|| (0..CHUNK).map(|_| Record::new()).collect());
    }

    /// Pushes on a stack of an application; says whether it was empty. By the worker.
    fn push(&self, stack: &Stack, index: u32) -> bool {
        // ORDERING: Relaxed. A hint, written while the line is this thread's.
        stack.below.store(stack.top.load(Ordering::Relaxed), Ordering::Relaxed);
        self.push_chain(stack, index, index) == NIL
    }

    /// Pushes records that are linked already, from the first to the last; gives what lay on top. By any thread.
    fn push_chain(&self, stack: &Stack, first: u32, last: u32) -> u32 {
        let record = self.record(last);
        let mut head = stack.top.load(Ordering::Relaxed);
        loop {
            record.next.store(head, Ordering::Relaxed);
            // ORDERING: Release. Pairs with the Acquire in `take_all`: the records' words, `next` included, are seen by
            // who takes them.
            match stack.top.compare_exchange_weak(head, first, Ordering::Release, Ordering::Relaxed) {
                Ok(_) => return head,
                Err(now) => head = now,
            }
        }
    }

    /// Hands a new container over; says whether the stack was empty before, so that a sleeping AM can be woken. By the
    /// worker.
    #[inline(always)]
    pub fn push_granted(&self, stack: &Stack, index: u32, container: &Container) -> bool {
        self.record(index).state.store(UNSEEN, Ordering::Relaxed);
        self.write(index, container);
        self.push(stack, index)
    }

    /// A container that its AM has had for long: it is handed over to nobody. By the worker.
    pub fn keep_acquired(&self, index: u32, container: &Container, now_ms: u64) {
        self.write(index, container);
        let record = self.record(index);
        record.acquired_ms.store(low_half(now_ms), Ordering::Relaxed);
        // ORDERING: Relaxed. This thread alone reads it: the record is on no stack until the container has ended.
        record.state.store(ACQUIRED, Ordering::Relaxed);
    }

    /// The words of a record that is on no stack.
    #[inline(always)]
    fn write(&self, index: u32, container: &Container) {
        let record = self.record(index);
        record.application.store(container.id.application, Ordering::Relaxed);
        record.app_index.store(container.id.app.index, Ordering::Relaxed);
        record.app_generation.store(container.id.app.generation, Ordering::Relaxed);
        record.number.store(container.id.number, Ordering::Relaxed);
        record.place.store(container.id.record, Ordering::Relaxed);
        record.node.store(container.node.0, Ordering::Relaxed);
        record.priority.store(container.priority.cast_unsigned(), Ordering::Relaxed);
        let id = container.allocation_request_id;
        if id == 0 {
            record.attempt.store(attempt_word(container), Ordering::Relaxed);
        } else {
            record.attempt.store(attempt_word(container) | HAS_REQUEST_ID, Ordering::Relaxed);
            record.allocation_request_id.store(id, Ordering::Relaxed);
        }
        for (word, lane) in record.size.iter().zip(container.resource.amounts()).take(self.types) {
            word.store(*lane, Ordering::Relaxed);
        }
    }

    fn id(&self, record: &Record) -> ContainerId {
        ContainerId {
            application: record.application.load(Ordering::Relaxed),
            attempt: u16::try_from(record.attempt.load(Ordering::Relaxed) & u32::from(u16::MAX)).unwrap_or(u16::MAX),
            app: Slot {
                index: record.app_index.load(Ordering::Relaxed),
                generation: record.app_generation.load(Ordering::Relaxed),
            },
            number: record.number.load(Ordering::Relaxed),
            worker: self.worker,
            record: record.place.load(Ordering::Relaxed),
        }
    }

    /// Acquires all that was granted, oldest first, onto the end of `out`; the clock is read where there is something.
    /// By any thread.
    #[inline]
    pub fn drain_granted(&self, stack: &Stack, now_ms: impl FnOnce() -> u64, out: &mut Vec<Container>) {
        if !stack.is_empty() {
            self.acquire_all(stack, low_half(now_ms()), out);
        }
    }

    fn acquire_all(&self, stack: &Stack, now_ms: u32, out: &mut Vec<Container>) {
        let first = out.len();
        let mut at = stack.take_all();
        while at != NIL {
            let record = self.record(at);
            // Written first: its line, which the worker's core has, comes over once, and as this thread's own.
            record.acquired_ms.store(now_ms, Ordering::Relaxed);
            let next = record.next.load(Ordering::Relaxed);
            self.prefetch_record(next);
            let word = record.attempt.load(Ordering::Relaxed);
            let has_request_id = word & HAS_REQUEST_ID != 0;
            let container =
                Container {
                    id: self.id(record),
                    node: NodeId(record.node.load(Ordering::Relaxed)),
                    priority: record.priority.load(Ordering::Relaxed).cast_signed(),
                    allocation_request_id: if has_request_id {
                        record.allocation_request_id.load(Ordering::Relaxed)
                    } else {
                        0
                    },
                    locality: locality_of(word),
                    resource: Resource::from_fn(|i| {
                        if i < self.types { record.size[i].load(Ordering::Relaxed) } else { 0 }
                    }),
                };
            // ORDERING: Release on success. Pairs with the Acquire in `acquired_for_ms` and `withdraw`: the worker that
            // sees the container acquired sees since when, and may end it and push the record again only after the
            // words above were read. Relaxed on failure: the record is this thread's alone then.
            match record.state.compare_exchange(UNSEEN, ACQUIRED, Ordering::Release, Ordering::Relaxed) {
                Ok(_) => out.push(container),
                Err(_) => {
                    self.push_chain(&self.freed, at, at);
                }
            }
            at = next;
        }
        out[first..].reverse();
    }

    /// Prefetches the two records on top of a stack that is about to be drained. By any thread.
    #[inline]
    pub fn prefetch_drain(&self, stack: &Stack) {
        // ORDERING: Relaxed. Nothing is read of the records, which may be another thread's by now, or used again.
        let top = stack.top.load(Ordering::Relaxed);
        if top != NIL {
            self.prefetch_record(top);
            self.prefetch_record(stack.below.load(Ordering::Relaxed));
        }
    }

    /// Not where there is none, or in a chunk that this thread does not see yet.
    #[inline]
    fn prefetch_record(&self, index: u32) {
        let index = index as usize;
        if let Some(chunk) = self.chunks.get(index / CHUNK).and_then(OnceLock::get) {
            prefetch(&chunk[index % CHUNK]);
        }
    }

    /// How long ago the AM acquired the container, ms, negative where that was later than `now_ms`; `None` while it has
    /// not. Times are told apart up to 24 days. By the worker, of a container that has not ended.
    pub fn acquired_for_ms(&self, index: u32, now_ms: u64) -> Option<i32> {
        let record = self.record(index);
        // ORDERING: Acquire. Pairs with the Release in `acquire_all`: with the state comes the time. Weaker, or the
        // time stored after the state, fails in loom-tests/tests/expire_vs_acquire.rs.
        let since = || record.acquired_ms.load(Ordering::Relaxed);
        (record.state.load(Ordering::Acquire) == ACQUIRED).then(|| low_half(now_ms).wrapping_sub(since()).cast_signed())
    }

    /// Prefetches the record of a container that is about to end. By the worker, for a container that has not ended.
    #[inline]
    pub fn prefetch_end(&self, index: u32) {
        prefetch_write(self.record(index));
    }

    /// Whether the record was handed over with this container, and not with one that had it before. By the worker.
    #[must_use]
    pub fn is_of(&self, index: u32, container: &ContainerId) -> bool {
        // ORDERING: Relaxed. This thread alone writes these words.
        self.id(self.record(index)) == *container
    }

    /// Takes a container back before its AM saw it; false when the AM was faster. By the worker. After true the record
    /// belongs to whoever takes the granted stack.
    pub fn withdraw(&self, index: u32) -> bool {
        // ORDERING: Acquire on failure, with the Release in `acquire_all`. Relaxed on success: the drainer reads
        // nothing that was written before the withdrawal.
        self.record(index).state.compare_exchange(UNSEEN, WITHDRAWN, Ordering::Relaxed, Ordering::Acquire).is_ok()
    }

    /// Tells the AM that an acquired container has ended. By the worker. The record belongs to the drainer from now on.
    ///
    /// # Panics
    /// With a reason that `EndReason::ALL` does not list: none does.
    pub fn push_ended(&self, stack: &Stack, index: u32, reason: EndReason) -> bool {
        let position = EndReason::ALL.iter().position(|r| *r == reason).expect("every reason is listed");
        self.record(index).reason.store(u32::try_from(position).expect("six reasons"), Ordering::Relaxed);
        self.push(stack, index)
    }

    /// Takes the news of all ended containers, oldest first, onto the end of `out`. By any thread.
    #[inline]
    pub fn drain_ended(&self, stack: &Stack, out: &mut Vec<EndedContainer>) {
        if !stack.is_empty() {
            self.take_ended(stack, out);
        }
    }

    fn take_ended(&self, stack: &Stack, out: &mut Vec<EndedContainer>) {
        let first = out.len();
        let taken = stack.take_all();
        let (mut last, mut at) = (NIL, taken);
        while at != NIL {
            let record = self.record(at);
            let reason = EndReason::ALL[record.reason.load(Ordering::Relaxed) as usize];
            let node = NodeId(record.node.load(Ordering::Relaxed));
            out.push(EndedContainer { id: self.id(record), node, reason });
            last = std::mem::replace(&mut at, record.next.load(Ordering::Relaxed));
        }
        if last != NIL {
            // Linked as they are: one exchange of a word that both sides want, however many have ended.
            self.push_chain(&self.freed, taken, last);
        }
        out[first..].reverse();
    }

    /// Empties a closed application's stacks; nobody will ask for them. By the worker, after it has withdrawn or ended
    /// every container of the application. A drainer under way keeps what it took.
    pub fn purge(&self, granted: &Stack, ended: &Stack, own: &mut FreeRecords) {
        for stack in [granted, ended] {
            let mut at = stack.take_all();
            while at != NIL {
                own.free.push(at);
                at = self.record(at).next.load(Ordering::Relaxed);
            }
        }
    }
}

impl FreeRecords {
    /// How many were ever used.
    #[cfg(all(feature = "faults", not(loom)))]
    pub(crate) fn made(&self) -> usize {
        self.made as usize
    }

    /// Takes back a record that is on no stack. By the worker.
    pub fn put(&mut self, index: u32) {
        self.free.push(index);
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    fn container(number: u32, record: u32) -> Container {
        Container {
            id: ContainerId {
                application: 1,
                attempt: 1,
                app: Slot { index: 0, generation: 0 },
                number,
                worker: 0,
                record,
            },
            node: NodeId(3),
            priority: -1,
            allocation_request_id: 7,
            locality: Locality::Rack,
            resource: Resource::new(1024, 1),
        }
    }

    /// What a grant touches of a record with two resource types is one line.
    #[test]
    fn the_usual_words_of_a_record_share_a_line() {
        assert!(std::mem::offset_of!(Record, size) + 2 * size_of::<AtomicI64>() <= 64);
        assert_eq!((size_of::<Record>(), align_of::<Record>()), (128, 64));
    }

    #[test]
    fn grants_arrive_in_order_and_records_come_back() {
        let (arena, mut own) = (Arena::new(0, 2), FreeRecords::default());
        let (granted, ended) = (Stack::default(), Stack::default());
        let made: Vec<_> = (1..=3)
            .map(|number| {
                let record = arena.allocate(&mut own).unwrap();
                let container = container(number, record);
                arena.push_granted(&granted, record, &container);
                container
            })
            .collect();
        assert!(arena.withdraw(made[1].id.record));
        let mut out = vec![];
        arena.drain_granted(&granted, || 5, &mut out);
        assert_eq!(arena.acquired_for_ms(made[0].id.record, 7), Some(2));
        assert_eq!(arena.acquired_for_ms(made[0].id.record, 4), Some(-1));
        assert_eq!(arena.acquired_for_ms(made[0].id.record, (1 << 32) + 6), Some(1), "the low half");
        assert_eq!(out, [made[0], made[2]]);
        assert!(!arena.withdraw(made[0].id.record), "the AM has it");
        arena.push_ended(&ended, made[0].id.record, EndReason::NodeLost);
        let mut news = vec![];
        arena.drain_ended(&ended, &mut news);
        assert_eq!(news, [EndedContainer { id: made[0].id, node: made[0].node, reason: EndReason::NodeLost }]);
        // Two records are free again: the withdrawn and the ended one.
        let mut again = [arena.allocate(&mut own).unwrap(), arena.allocate(&mut own).unwrap()];
        again.sort_unstable();
        assert_eq!(again, [made[0].id.record, made[1].id.record]);
    }
}
