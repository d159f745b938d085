//! What all threads of one scheduler share: settings, the publisher, arenas, the name table, lanes.

use crate::app::{Location, LocationTag};
use crate::clock::Clock;
use crate::engine::books::node_table::NodeTable;
use crate::engine::books::pace::Pace;
use crate::engine::decider::Decider;
use crate::engine::driver::deciders::TaskCall;
use crate::engine::driver::quiet::Handled;
use crate::engine::driver::rounds::Outstanding;
use crate::engine::intake::messages::{ControlMessage, Internal, Parcel, Round};
use crate::engine::mail::mailbox::Arena;
use crate::engine::publish::snapshot::Publisher;
use crate::engine::settings::Settings;
use crate::event::{LONGEST_NAME, Refused};
use crate::id::{ContainerId, ContainerName};
use crate::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use crate::sync::channel::Sender;
use crate::sync::{Arc, CachePadded, Map, Mutex, ProcessCount};
use std::fmt;

/// Told how long sampled heartbeats take; see [`HeartbeatProbe::taken`].
pub trait HeartbeatProbe: Send + Sync {
    /// A worker takes a heartbeat with a stamp that is not zero off its channel. What it returns comes back in
    /// [`HeartbeatProbe::served`].
    fn taken(&self, worker: usize, stamp: u64) -> u64;

    /// All that the heartbeat granted is in mailboxes.
    fn served(&self, worker: usize, stamp: u64, token: u64, grants: u32);
}

/// Called, with the number of an application, when its empty mailbox gets a grant or the news of an ended container. It
/// runs on a worker: be quick, and call nothing that waits for the scheduler (`finish`, `remove_node`, `quiesce`,
/// `shutdown`, …).
pub type WakeUp = Arc<dyn Fn(u32) + Send + Sync>;

/// Names of nodes and racks as small numbers. 0 is `*`. At the edge: the workers see numbers only.
///
/// A name keeps its number for good: numbers are in embedders' hands and in rows of asks. So an AM that asks for ever new names
/// would take ever more memory: what is kept of names that no node or rack has had when they were first heard is bounded.
#[derive(Debug)]
pub(crate) struct Locations {
    /// What its numbers carry outside.
    tag: LocationTag,
    numbers: Map<Box<str>, u32>,
    made: Mutex<Made>,
}

#[derive(Debug)]
struct Made {
    next: u32,
    /// Bytes that names may still take which come from requests.
    left: usize,
}

/// Bytes for the names that come from requests, each counted with [`BESIDE_A_NAME`]: a million and a half of 20 letters.
const NAMES_OF_REQUESTS: usize = 128 << 20;

/// What a name takes in memory besides its letters.
const BESIDE_A_NAME: usize = 64;

/// The number of `*`.
pub(crate) const ANY: u32 = 0;

/// The number of all places in requests that got none of their own: no node is there.
pub(crate) const ELSEWHERE: u32 = 1;

impl Locations {
    /// Of the process's scheduler of this number.
    pub(crate) fn new(scheduler: u64) -> Locations {
        let numbers = Map::default();
        numbers.insert("*".into(), ANY);
        Locations {
            tag: LocationTag::of(scheduler),
            numbers,
            made: Mutex::new(Made { next: ELSEWHERE + 1, left: NAMES_OF_REQUESTS }),
        }
    }

    /// The number of a name that a node or rack has; none where there are no more.
    pub(crate) fn intern(&self, name: &str) -> Option<u32> {
        self.number(name, |_| true)
    }

    /// The place of a name in a request, [`ELSEWHERE`] of a new one where there are too many: what names it is served as if no
    /// node had that name. `NOWHERE` of one that is too long.
    pub(crate) fn requested(&self, name: &str) -> Location {
        self.request_number(name).map_or(Location::NOWHERE, |number| self.tag.location(number))
    }

    fn request_number(&self, name: &str) -> Option<u32> {
        if name.len() > LONGEST_NAME {
            return None;
        }
        let may_be_new = |made: &mut Made| match made.left.checked_sub(name.len() + BESIDE_A_NAME) {
            Some(left) => {
                made.left = left;
                true
            }
            None => false,
        };
        Some(self.number(name, may_be_new).unwrap_or(ELSEWHERE))
    }

    /// Whether these are all this scheduler's own.
    ///
    /// # Errors
    /// Why the first that is not is none.
    #[inline]
    pub(crate) fn check<'a>(&self, mut asked: impl Iterator<Item = &'a Location>) -> Result<(), Refused> {
        match asked.find(|location| !self.tag.takes(**location)) {
            None => Ok(()),
            Some(&Location::NOWHERE) => Err(Refused::NoLocation),
            Some(_) => Err(Refused::OthersLocation),
        }
    }

    /// The names of numbers, in place of what stands there. O(all names).
    #[cfg(not(loom))]
    pub(crate) fn tell_names(&self, of: &mut rustc_hash::FxHashMap<u32, String>) {
        for entry in &self.numbers {
            if let Some(name) = of.get_mut(entry.value()) {
                entry.key().as_ref().clone_into(name);
            }
        }
    }

    fn number(&self, name: &str, may_be_new: impl FnOnce(&mut Made) -> bool) -> Option<u32> {
        if let Some(number) = self.numbers.get(name) {
            return Some(*number);
        }
        let mut made = self.made.lock();
        // Another thread may have been quicker.
        if let Some(number) = self.numbers.get(name) {
            return Some(*number);
        }
        let number = made.next;
        if number > LocationTag::LAST_NUMBER || !may_be_new(&mut made) {
            return None;
        }
        made.next = number + 1;
        self.numbers.insert(name.into(), number);
        Some(number)
    }
}

/// What one worker counts. Written by that worker alone.
#[derive(Debug, Default)]
pub(crate) struct WorkerCounters {
    pub(crate) granted: AtomicU64,
    /// Of these, on a node that was asked for, and on a rack that was.
    pub(crate) node_local: AtomicU64,
    pub(crate) rack_local: AtomicU64,
    pub(crate) ended: AtomicU64,
    pub(crate) heartbeats: AtomicU64,
    pub(crate) offers: AtomicU64,
    pub(crate) reserved: AtomicU64,
    pub(crate) refused: AtomicU64,
    pub(crate) folds: AtomicU64,
    /// Messages of both lanes.
    pub(crate) handled: Handled,
}

/// Adds to a counter that only the caller's thread writes.
#[inline]
pub(crate) fn count(counter: &AtomicU64, n: u64) {
    // ORDERING: Relaxed. A statistic with one writer; readers act on no other memory.
    counter.store(counter.load(Ordering::Relaxed) + n, Ordering::Relaxed);
}

/// The sending ends of all lanes.
#[derive(Debug)]
pub(crate) struct Lanes<D: Decider> {
    /// Bounded; what the embedder sends.
    pub(crate) external: Vec<Sender<Parcel>>,
    /// Unbounded, so that no core thread ever blocks on a send; what bounds them is that a worker takes nothing
    /// external while another worker's internal lane is long.
    pub(crate) internal: Vec<Sender<Internal<D>>>,
    pub(crate) control: Sender<ControlMessage<D>>,
    pub(crate) preemption: Sender<TaskCall<D::PreemptionCall>>,
}

/// A number for a new scheduler: no other of the process has it. Handles carry it, so that one that is given to another
/// scheduler than its own is recognised.
pub(crate) fn number_scheduler() -> u64 {
    static MADE: ProcessCount = ProcessCount::new(0);
    // ORDERING: Relaxed. Only uniqueness counts.
    MADE.fetch_add(1, Ordering::Relaxed)
}

/// Shared by all threads of one scheduler.
pub(crate) struct Shared<D: Decider> {
    /// Which of the process's schedulers this is.
    pub(crate) scheduler: u64,
    pub(crate) settings: Settings,
    pub(crate) decider: D,
    pub(crate) workers: usize,
    pub(crate) types: usize,
    pub(crate) cluster_timestamp: u64,
    /// In the names of containers.
    pub(crate) epoch: u32,
    /// Whether nodes list what they have to stop.
    pub(crate) node_stops: bool,
    /// The largest node bounds what one container may have.
    pub(crate) largest_node: bool,
    pub(crate) publisher: Publisher<D>,
    pub(crate) arenas: Box<[Arena]>,
    pub(crate) locations: Locations,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) counters: Box<[CachePadded<WorkerCounters>]>,
    pub(crate) lanes: Lanes<D>,
    pub(crate) on_grants: Option<WakeUp>,
    pub(crate) probe: Option<Arc<dyn HeartbeatProbe>>,
    /// Present nodes; for the edge.
    pub(crate) nodes: Mutex<NodeTable>,
    /// When the others' grants are folded in.
    pub(crate) pace: Pace,
    /// Messages of the control's lane.
    pub(crate) control_handled: Handled,
    /// Workers that panicked and could not begin anew.
    pub(crate) dead: Box<[AtomicBool]>,
    /// Offers to all nodes of a worker that are on their way.
    pub(crate) offers: Outstanding,
    /// The same of passes of continuous scheduling.
    pub(crate) continuous: Outstanding,
}

impl<D: Decider> Shared<D> {
    /// A container as the outside world names it.
    pub(crate) fn container_name(&self, id: ContainerId) -> ContainerName {
        id.name(self.cluster_timestamp, self.epoch)
    }

    /// Whether a name may be one of this scheduler's: of its cluster and epoch.
    pub(crate) fn makes(&self, name: &ContainerName) -> bool {
        (name.attempt.application.cluster_timestamp, name.epoch) == (self.cluster_timestamp, self.epoch)
    }

    /// Whether a worker has panicked and could not begin anew.
    pub(crate) fn is_dead(&self, worker: usize) -> bool {
        // ORDERING: Relaxed. Whoever sees it late sends to a worker that takes nothing, and tells of what somebody waits for.
        self.dead[worker].load(Ordering::Relaxed)
    }

    /// By that worker.
    pub(crate) fn set_dead(&self, worker: usize) {
        // ORDERING: Relaxed, as in `is_dead`. The control reads it again after the worker's message, by the lane.
        self.dead[worker].store(true, Ordering::Relaxed);
    }

    /// The rounds of this kind that are on their way.
    pub(crate) fn outstanding(&self, round: Round) -> &Outstanding {
        match round {
            Round::Offers => &self.offers,
            Round::Continuous => &self.continuous,
        }
    }
}

impl<D: Decider> fmt::Debug for Shared<D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Shared").field("workers", &self.workers).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_get_numbers_once() {
        let locations = Locations::new(7);
        let intern = |name| locations.intern(name).unwrap();
        assert_eq!(intern("*"), ANY);
        let n1 = intern("n1");
        assert_eq!((intern("/r1"), intern("n1")), (n1 + 1, n1));
        assert_eq!(["*", "n1", "n2"].map(|name| locations.requested(name).number()), [ANY, n1, n1 + 2]);
        assert_eq!(locations.requested("*"), Location::ANY);
    }

    #[test]
    fn names_of_requests_end_and_those_of_nodes_do_not() {
        let locations = Locations::new(0);
        let n1 = locations.intern("n1").unwrap();
        assert_eq!(locations.requested(&"x".repeat(LONGEST_NAME + 1)), Location::NOWHERE);
        locations.made.lock().left = 2 * (BESIDE_A_NAME + 2);
        let requested = |name| locations.requested(name).number();
        assert_eq!(["a1", "a2", "a3", "a1"].map(requested), [n1 + 1, n1 + 2, ELSEWHERE, n1 + 1]);
        assert_eq!((locations.intern("a3"), requested("a3")), (Some(n1 + 3), n1 + 3));
        // The last number there is.
        locations.made.lock().next = LocationTag::LAST_NUMBER;
        assert_eq!((locations.intern("b"), locations.intern("c")), (Some(LocationTag::LAST_NUMBER), None));
        assert_eq!((locations.intern("b"), requested("c")), (Some(LocationTag::LAST_NUMBER), ELSEWHERE));
    }

    #[test]
    fn a_location_is_one_schedulers_alone() {
        let made: Vec<_> = (0..62).map(Locations::new).collect();
        for (of, locations) in made.iter().enumerate() {
            let (place, any) = (locations.requested("n"), locations.requested("*"));
            for (at, other) in made.iter().enumerate() {
                let refused = if of == at { Ok(()) } else { Err(Refused::OthersLocation) };
                assert_eq!(other.check([any, place].iter()), refused, "of {of} at {at}");
            }
            assert_eq!(locations.check([Location::NOWHERE].iter()), Err(Refused::NoLocation));
        }
    }
}
