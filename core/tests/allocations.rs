//! The promise that the hot path allocates nothing: on a full cluster where containers complete and others take their
//! place, heartbeats, grants and `allocate` calls use memory that is there, on the caller's thread and on the workers'.
//!
//! What grows with a first use has grown in the warm-up. A failure shows where the first allocations came from. What
//! does allocate is here too, with how much: calls of more than two rows, and lanes between workers.

#![expect(clippy::unwrap_used, reason = "a test's helpers")]

mod churn;
mod counting;

use churn::{Churn, Core, K, Size};
use counting::Counting;
use evenweave::SchedulerApi;
use evenweave::{
    AllocateRequest, Allocation, AppHandle, FairScheduler, Heartbeat, HeartbeatProbe, Location, NodeHandle, Resource,
    Stepped, Submission,
};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;

#[global_allocator]
static ALLOCATOR: Counting = Counting;

const SIZE: Size = Size { nodes: 50, queues: 10, apps: 100, parents: 2 };
const WARM_UP: u64 = 3_000;
const ROUNDS: u64 = 20_000;

/// What this thread allocates while it runs.
fn allocations<T>(run: impl FnOnce() -> T) -> (T, u64) {
    let before = counting::count();
    counting::watch(true);
    let result = run();
    counting::watch(false);
    (result, counting::count() - before)
}

fn rounds<C: Core>(churn: &mut Churn<C>, count: u64) -> u64 {
    let before = churn.fetched;
    (0..count).for_each(|_| churn.round());
    churn.fetched - before
}

fn assert_churn(granted: u64) {
    assert!(granted > ROUNDS * (K as u64 - 1), "{granted} grants in {ROUNDS} rounds: no churn");
}

/// Has its own frame, so that its name is known without debug information, too.
#[inline(never)]
fn one_allocation() {
    drop(std::hint::black_box(vec![1_u8]));
}

#[test]
fn an_allocation_is_seen() {
    let _alone = counting::alone();
    assert_eq!(allocations(one_allocation).1, 1);
    assert!(counting::places().contains("one_allocation"));
    assert_eq!(allocations(|| ()).1, 0);
}

/// The stepped scheduler, and what its calls have allocated.
struct Counted {
    stepped: Stepped,
    heartbeats: u64,
    allocates: u64,
}

impl Core for Counted {
    fn add_node(&mut self, name: &str, rack: &str, total: Resource) -> NodeHandle {
        Core::add_node(&mut self.stepped, name, rack, total)
    }

    fn submit(&mut self, submission: Submission) -> AppHandle {
        Core::submit(&mut self.stepped, submission)
    }

    fn location(&self, name: &str) -> Location {
        Core::location(&self.stepped, name)
    }

    fn update(&mut self) {
        self.stepped.update();
    }

    fn heartbeat(&mut self, heartbeat: Heartbeat) {
        self.heartbeats += allocations(|| self.stepped.heartbeat(&heartbeat)).1;
    }

    fn allocate(&mut self, app: &AppHandle, request: &AllocateRequest, answer: &mut Allocation) {
        let (outcome, allocated) = allocations(|| SchedulerApi::allocate(&mut self.stepped, app, request, answer));
        outcome.unwrap();
        self.allocates += allocated;
    }

    fn running(&mut self) -> u64 {
        self.stepped.stats().running
    }
}

/// What heartbeats and `allocate` calls allocate in so many rounds of churn, and how many calls had asks.
fn stepped_churn(in_leaf: &str, locality: bool) -> (u64, u64, u64) {
    let stepped = SIZE.builder(in_leaf).stepped().unwrap();
    let mut churn = Churn::full(Counted { stepped, heartbeats: 0, allocates: 0 }, SIZE, locality);
    rounds(&mut churn, WARM_UP);
    let (heartbeats, allocates, asked) = (churn.core.heartbeats, churn.core.allocates, churn.asked);
    let _alone = counting::alone();
    assert_churn(rounds(&mut churn, ROUNDS));
    (churn.core.heartbeats - heartbeats, churn.core.allocates - allocates, churn.asked - asked)
}

#[test]
fn a_heartbeat_its_grants_and_the_calls_of_owners_allocate_nothing() {
    let (heartbeats, allocates, _) = stepped_churn("", false);
    assert_eq!((heartbeats, allocates), (0, 0), "in {ROUNDS} rounds; first:\n{}", counting::places());
}

/// Memory for a node's containers is had when the node comes, for an application's when it asks; only of the first
/// container of all its size is noted, in a list with an index.
#[test]
fn nor_do_the_grants_that_fill_a_fresh_cluster() {
    let _alone = counting::alone();
    let stepped = SIZE.builder("").stepped().unwrap();
    let filled = Churn::full(Counted { stepped, heartbeats: 0, allocates: 0 }, SIZE, false);
    let granted = filled.core.stepped.stats().granted;
    assert_eq!(granted, 64 * u64::from(SIZE.nodes), "the cluster is full");
    assert!(filled.core.heartbeats <= 2, "{} in {granted} grants", filled.core.heartbeats);
}

#[test]
fn nor_do_they_under_limits() {
    let (heartbeats, allocates, _) = stepped_churn("<maxResources>100000000 mb, 100000 vcores</maxResources>", false);
    assert_eq!((heartbeats, allocates), (0, 0), "in {ROUNDS} rounds; first:\n{}", counting::places());
}

/// A call of more than two rows makes a list of them; beyond that only rows that are new are made.
/// Heartbeats only make the list longer of those who declined a node, when more of them do than ever before.
#[test]
fn with_locality_a_call_allocates_one_list() {
    let (heartbeats, allocates, asked) = stepped_churn("", true);
    assert!(heartbeats <= 2, "{heartbeats} in {ROUNDS} rounds; first:\n{}", counting::places());
    let new_rows = asked / 100;
    assert!(allocates <= asked + new_rows, "{allocates} in {asked} calls; first:\n{}", counting::places());
}

/// Counts the heartbeats that are worked off, and what each worker's thread has allocated.
#[derive(Debug, Default)]
struct Probe {
    served: AtomicU64,
    watch: AtomicBool,
    allocated: [AtomicU64; 2],
}

impl HeartbeatProbe for Probe {
    fn taken(&self, worker: usize, _stamp: u64) -> u64 {
        self.allocated[worker].store(counting::count(), Ordering::Relaxed);
        counting::watch(self.watch.load(Ordering::Relaxed));
        0
    }

    fn served(&self, _worker: usize, _stamp: u64, _token: u64, _grants: u32) {
        self.served.fetch_add(1, Ordering::Release);
    }
}

/// The scheduler on its threads. The driver is never far ahead of the workers: a call that is told that they are busy
/// hands its message back in a box.
struct Threaded {
    scheduler: FairScheduler,
    probe: Arc<Probe>,
    sent: u64,
}

const AHEAD: u64 = 8;

impl Threaded {
    fn start(workers: usize) -> Threaded {
        let probe = Arc::new(Probe::default());
        let builder = SIZE.builder("").workers(workers).probe(Arc::clone(&probe) as _);
        Threaded { scheduler: builder.start().unwrap(), probe, sent: 0 }
    }

    /// Until at most so many heartbeats are under way.
    fn wait(&self, ahead: u64) {
        // Without a watchdog, which would be counted.
        for _ in 0..1_000_000_000 {
            if self.sent - self.probe.served.load(Ordering::Acquire) <= ahead {
                return;
            }
            thread::yield_now();
        }
        panic!("heartbeats are not worked off");
    }

    fn allocated(&self) -> [u64; 2] {
        self.probe.allocated.each_ref().map(|count| count.load(Ordering::Relaxed))
    }
}

impl Core for Threaded {
    fn add_node(&mut self, name: &str, rack: &str, total: Resource) -> NodeHandle {
        self.scheduler.add_node(name, rack, total).unwrap()
    }

    fn submit(&mut self, submission: Submission) -> AppHandle {
        self.scheduler.submit(submission).unwrap()
    }

    fn location(&self, name: &str) -> Location {
        self.scheduler.location(name)
    }

    fn update(&mut self) {
        self.scheduler.quiesce().unwrap();
        self.scheduler.update_now().unwrap();
        self.scheduler.quiesce().unwrap();
    }

    fn heartbeat(&mut self, mut heartbeat: Heartbeat) {
        heartbeat.stamp = 1;
        self.sent += 1;
        self.scheduler.heartbeat(heartbeat).unwrap();
        self.wait(AHEAD);
    }

    fn allocate(&mut self, app: &AppHandle, request: &AllocateRequest, answer: &mut Allocation) {
        self.scheduler.allocate(app, request, answer).unwrap();
    }

    fn running(&mut self) -> u64 {
        self.scheduler.quiesce().unwrap();
        self.scheduler.stats().running
    }
}

/// Of so many rounds of churn: what the driver's thread and each worker's allocate, and how many messages a worker may
/// have sent another one or had from the control: one of each call with asks, and of each snapshot one to each. `most`:
/// what the workers may allocate with so many messages.
fn threaded_churn(workers: usize, most: impl Fn(u64) -> u64) -> (u64, [u64; 2], u64) {
    let mut churn = Churn::full(Threaded::start(workers), SIZE, false);
    rounds(&mut churn, WARM_UP);
    churn.core.wait(0);
    let version = |churn: &Churn<Threaded>| churn.core.scheduler.stats().snapshot_version;
    churn.core.probe.watch.store(true, Ordering::Relaxed);
    let mut window = || {
        let (snapshots, before, asked) = (version(&churn), churn.core.allocated(), churn.asked);
        let _alone = counting::alone();
        let (granted, driver) = allocations(|| rounds(&mut churn, ROUNDS));
        churn.core.wait(0);
        assert_churn(granted);
        let (after, snapshots) = (churn.core.allocated(), version(&churn) - snapshots);
        let messages = churn.asked - asked + 2 * snapshots;
        (driver, std::array::from_fn(|worker| after[worker] - before[worker]), messages)
    };
    let mut counted = window();
    // A worker that blocks for the first time takes memory once. Whether it blocks in the warm-up is the machine's.
    if counted.1.iter().sum::<u64>() > most(counted.2) {
        counted = window();
    }
    churn.core.scheduler.shutdown().unwrap();
    counted
}

#[test]
fn on_threads_neither_the_caller_nor_the_worker_allocates() {
    let (driver, workers, _) = threaded_churn(1, |_| 0);
    assert_eq!((driver, workers), (0, [0, 0]), "in {ROUNDS} rounds; first:\n{}", counting::places());
}

/// Workers tell each other of new asks over a lane without a bound, which is a list of blocks: one of them for this
/// many messages is all that is allocated.
const MESSAGES_A_BLOCK: u64 = 31;

#[test]
fn two_workers_allocate_what_their_lanes_hold() {
    let most = |messages| messages / MESSAGES_A_BLOCK + 2;
    let (driver, workers, messages) = threaded_churn(2, most);
    assert_eq!(driver, 0, "in {ROUNDS} rounds; first:\n{}", counting::places());
    let blocks = workers[0] + workers[1];
    let most = most(messages);
    assert!(blocks <= most, "{blocks} for {messages} messages, not {most}; first:\n{}", counting::places());
}
