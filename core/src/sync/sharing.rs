//! With the feature `sharing`: what the cores share is counted, place by place of the sources.
//!
//! Every atomic word of the crate and every lane is one of these instead of std's and crossbeam's. The words are as
//! large as std's, so all lies where it lies without the feature. For measurements: an access costs a hundred times as
//! much.
//!
//! # What is counted
//! For each cache line a table knows which threads have it, as a processor's caches do: a write leaves the line to the
//! writing thread alone, a read adds the reading one. An access to a line that has to come from another thread, or that
//! others have to give up, counts as shared. Beside these, locked operations (read-modify-writes, failed ones too) and
//! messages are counted.
//!
//! # What is not
//! Plain data, what lies inside channels, locks and the snapshot cell, and prefetches.

use super::process::ProcessCount;
use rustc_hash::FxHashMap;
use std::cell::Cell;
use std::collections::BTreeMap;
use std::ops::{Add, Sub};
use std::panic::Location;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Bits of a line's number that say where the table has it.
const PLACE_BITS: u32 = 20;
/// Threads that the table tells apart; two whose numbers differ by this count as one.
const THREADS: u64 = 40;
const HOLDERS: u64 = (1 << THREADS) - 1;
/// A cache line has 64 bytes.
const LINE_BITS: u32 = 6;

/// By line: the rest of its number, then a bit for each thread that has it.
static LINES: [ProcessCount; 1 << PLACE_BITS] = [const { ProcessCount::new(0) }; 1 << PLACE_BITS];

/// What has been counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct SharingCounts {
    /// Read-modify-writes.
    pub locked: u64,
    /// Messages sent through channels, also to the thread's own lane.
    pub messages: u64,
    /// Reads of a cache line that only other threads have.
    pub lines_read: u64,
    /// Writes to a cache line that another thread has.
    pub lines_written: u64,
}

impl SharingCounts {
    /// Accesses to lines that had to come from another thread, or that another one had to give up.
    #[must_use]
    pub fn lines(&self) -> u64 {
        self.lines_read + self.lines_written
    }
}

impl Add for SharingCounts {
    type Output = SharingCounts;
    fn add(self, other: SharingCounts) -> SharingCounts {
        SharingCounts {
            locked: self.locked + other.locked,
            messages: self.messages + other.messages,
            lines_read: self.lines_read + other.lines_read,
            lines_written: self.lines_written + other.lines_written,
        }
    }
}

impl Sub for SharingCounts {
    type Output = SharingCounts;
    fn sub(self, other: SharingCounts) -> SharingCounts {
        SharingCounts {
            locked: self.locked - other.locked,
            messages: self.messages - other.messages,
            lines_read: self.lines_read - other.lines_read,
            lines_written: self.lines_written - other.lines_written,
        }
    }
}

/// A place of the crate's sources: a file and a line.
pub type SharingPlace = (&'static str, u32);

/// What all threads of the process have counted so far, by place.
#[derive(Clone, Debug, Default)]
pub struct Sharing(BTreeMap<SharingPlace, SharingCounts>);

impl Sharing {
    /// As of now. Exact while nothing runs.
    #[must_use]
    pub fn now() -> Sharing {
        let mut places = BTreeMap::<SharingPlace, SharingCounts>::new();
        for tally in lock(&TALLIES).iter() {
            for (place, counts) in lock(tally).values() {
                let sum = places.entry((place.file(), place.line())).or_default();
                *sum = *sum + *counts;
            }
        }
        Sharing(places)
    }

    /// What has come since.
    #[must_use]
    pub fn since(mut self, before: &Sharing) -> Sharing {
        for (place, counts) in &mut self.0 {
            *counts = *counts - before.0.get(place).copied().unwrap_or_default();
        }
        self
    }

    /// The sum of all places.
    #[must_use]
    pub fn total(&self) -> SharingCounts {
        self.0.values().fold(SharingCounts::default(), |sum, counts| sum + *counts)
    }

    /// The places where lines are shared, those with most first.
    #[must_use]
    pub fn places(&self) -> Vec<(SharingPlace, SharingCounts)> {
        let shared = self.0.iter().filter(|(_, counts)| counts.lines() > 0);
        let mut places: Vec<_> = shared.map(|(place, counts)| (*place, *counts)).collect();
        places.sort_by_key(|(_, counts)| std::cmp::Reverse(counts.lines()));
        places
    }

    /// Runs something on the account of a worker: for a scheduler in steps, whose caller plays all threads. What a
    /// worker does in steps is counted as its own anyway.
    pub fn on_account_of<T>(worker: usize, run: impl FnOnce() -> T) -> T {
        let before = set_actor(Some(worker));
        let result = run();
        reset_actor(before);
        result
    }
}

/// What one thread counts.
type Tally = FxHashMap<usize, (&'static Location<'static>, SharingCounts)>;

static TALLIES: Mutex<Vec<Arc<Mutex<Tally>>>> = Mutex::new(Vec::new());

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn register() -> Arc<Mutex<Tally>> {
    let tally = Arc::default();
    lock(&TALLIES).push(Arc::clone(&tally));
    tally
}

std::thread_local! {
    static MINE: Arc<Mutex<Tally>> = register();
    /// Whose account it is, where that is not the thread's own.
    static ACTOR: Cell<Option<u64>> = const { Cell::new(None) };
}

/// From here on this thread's accesses are a worker's, or its own again. Gives what was before.
pub(crate) fn set_actor(worker: Option<usize>) -> Option<u64> {
    // Threads are numbered from 1.
    ACTOR.replace(worker.map(|worker| THREADS - 1 - worker as u64 % THREADS))
}

/// As it was before [`set_actor`].
pub(crate) fn reset_actor(before: Option<u64>) {
    ACTOR.set(before);
}

fn note(place: &'static Location<'static>, change: impl FnOnce(&mut SharingCounts)) {
    // A thread that ends may access words after its own have gone.
    let _ = MINE.try_with(|tally| {
        let address = std::ptr::from_ref(place).addr();
        change(&mut lock(tally).entry(address).or_insert((place, SharingCounts::default())).1);
    });
}

/// Whether the line of a word comes from another thread, or is taken from one.
fn takes_line(address: usize, writes: bool) -> bool {
    let line = address >> LINE_BITS;
    let known = &LINES[line & ((1 << PLACE_BITS) - 1)];
    let tag = ((line >> PLACE_BITS) as u64) << THREADS;
    let mine = 1 << (ACTOR.get().unwrap_or_else(super::real::thread::number) % THREADS);
    // ORDERING: Relaxed throughout. A statistic.
    let mut word = known.load(Ordering::Relaxed);
    loop {
        let holders = if word & !HOLDERS == tag { word & HOLDERS } else { 0 };
        let shared = if writes { holders & !mine != 0 } else { holders != 0 && holders & mine == 0 };
        let new = tag | if writes { mine } else { holders | mine };
        match known.compare_exchange_weak(word, new, Ordering::Relaxed, Ordering::Relaxed) {
            Ok(_) => return shared,
            Err(now) => word = now,
        }
    }
}

#[track_caller]
fn reads<T>(word: &T) {
    if takes_line(std::ptr::from_ref(word).addr(), false) {
        note(Location::caller(), |counts| counts.lines_read += 1);
    }
}

#[track_caller]
fn writes<T>(word: &T, locked: bool) {
    let taken = takes_line(std::ptr::from_ref(word).addr(), true);
    if taken || locked {
        note(Location::caller(), |counts| {
            counts.locked += u64::from(locked);
            counts.lines_written += u64::from(taken);
        });
    }
}

#[track_caller]
fn sends() {
    note(Location::caller(), |counts| counts.messages += 1);
}

/// Atomics.
pub mod atomic {
    use super::{reads, writes};
    pub use std::sync::atomic::Ordering;

    macro_rules! words {
        ($($name:ident: $of:ty;)*) => {$(
            #[doc = concat!("As std's `", stringify!($name), "`, counted.")]
            #[derive(Debug, Default)]
            #[repr(transparent)]
            pub struct $name(std::sync::atomic::$name);

            #[allow(missing_docs, dead_code, reason = "std's; public to nobody but the crate")]
            impl $name {
                pub const fn new(value: $of) -> Self {
                    $name(std::sync::atomic::$name::new(value))
                }

                #[track_caller]
                pub fn load(&self, ordering: Ordering) -> $of {
                    reads(self);
                    self.0.load(ordering)
                }

                #[track_caller]
                pub fn store(&self, value: $of, ordering: Ordering) {
                    writes(self, false);
                    self.0.store(value, ordering);
                }

                #[track_caller]
                pub fn swap(&self, value: $of, ordering: Ordering) -> $of {
                    writes(self, true);
                    self.0.swap(value, ordering)
                }

                #[track_caller]
                pub fn compare_exchange(
                    &self,
                    known: $of,
                    new: $of,
                    success: Ordering,
                    failure: Ordering,
                ) -> Result<$of, $of> {
                    writes(self, true);
                    self.0.compare_exchange(known, new, success, failure)
                }

                #[track_caller]
                pub fn compare_exchange_weak(
                    &self,
                    known: $of,
                    new: $of,
                    success: Ordering,
                    failure: Ordering,
                ) -> Result<$of, $of> {
                    writes(self, true);
                    self.0.compare_exchange_weak(known, new, success, failure)
                }

                #[track_caller]
                pub fn fetch_update(
                    &self,
                    success: Ordering,
                    failure: Ordering,
                    mut change: impl FnMut($of) -> Option<$of>,
                ) -> Result<$of, $of> {
                    let mut known = self.load(failure);
                    while let Some(new) = change(known) {
                        match self.compare_exchange_weak(known, new, success, failure) {
                            Ok(_) => return Ok(known),
                            Err(now) => known = now,
                        }
                    }
                    Err(known)
                }
            }
        )*};
    }

    macro_rules! sums {
        ($($name:ident: $of:ty;)*) => {$(
            #[allow(missing_docs, dead_code, reason = "std's; public to nobody but the crate")]
            impl $name {
                #[track_caller]
                pub fn fetch_add(&self, amount: $of, ordering: Ordering) -> $of {
                    writes(self, true);
                    self.0.fetch_add(amount, ordering)
                }

                #[track_caller]
                pub fn fetch_sub(&self, amount: $of, ordering: Ordering) -> $of {
                    writes(self, true);
                    self.0.fetch_sub(amount, ordering)
                }
            }
        )*};
    }

    words! {
        AtomicBool: bool;
        AtomicI64: i64;
        AtomicU32: u32;
        AtomicU64: u64;
    }

    sums! {
        AtomicI64: i64;
        AtomicU32: u32;
        AtomicU64: u64;
    }
}

/// Channels whose messages are counted where they are sent.
pub mod channel {
    use super::sends;
    use std::time::Duration;

    pub use crossbeam_channel::{
        Receiver, RecvTimeoutError, SendError, SendTimeoutError, TryRecvError, TrySendError, never, select,
    };

    /// As crossbeam's, counted.
    #[derive(Debug)]
    pub struct Sender<T>(crossbeam_channel::Sender<T>);

    impl<T> Clone for Sender<T> {
        fn clone(&self) -> Self {
            Sender(self.0.clone())
        }
    }

    /// A channel of `capacity` messages.
    pub fn bounded<T>(capacity: usize) -> (Sender<T>, Receiver<T>) {
        let (sender, receiver) = crossbeam_channel::bounded(capacity);
        (Sender(sender), receiver)
    }

    /// A channel without a bound.
    pub fn unbounded<T>() -> (Sender<T>, Receiver<T>) {
        let (sender, receiver) = crossbeam_channel::unbounded();
        (Sender(sender), receiver)
    }

    #[allow(missing_docs, clippy::missing_errors_doc, reason = "crossbeam's")]
    impl<T> Sender<T> {
        #[track_caller]
        pub fn send(&self, message: T) -> Result<(), SendError<T>> {
            sends();
            self.0.send(message)
        }

        #[track_caller]
        pub fn try_send(&self, message: T) -> Result<(), TrySendError<T>> {
            sends();
            self.0.try_send(message)
        }

        #[track_caller]
        pub fn send_timeout(&self, message: T, timeout: Duration) -> Result<(), SendTimeoutError<T>> {
            sends();
            self.0.send_timeout(message, timeout)
        }

        pub fn len(&self) -> usize {
            self.0.len()
        }

        pub fn is_empty(&self) -> bool {
            self.0.is_empty()
        }

        pub fn is_full(&self) -> bool {
            self.0.is_full()
        }
    }
}
