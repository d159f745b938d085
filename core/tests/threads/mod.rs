//! What tests of the threaded scheduler share: calls that are repeated until they are taken, and the books.

#![allow(dead_code, missing_docs, clippy::unwrap_used, reason = "a test's helpers, of which each user needs a part")]

use evenweave::{
    AllocateRequest, Allocation, AppHandle, Ask, FairScheduler, FairSchedulerBuilder, Heartbeat, NodeHandle, NotSent,
    Polled, Refused, Resource, Settings, Submission, Worker,
};
use std::sync::mpsc;
use std::thread::{self, JoinHandle};
use std::time::Duration;

/// Every container of these tests.
pub(crate) const SMALL: Resource = Resource::new(1024, 1);

pub(crate) fn settings(properties: &[(&str, &str)]) -> Settings {
    Settings::from_properties(properties.iter().copied()).unwrap()
}

/// A whole node is offered at once.
pub(crate) fn greedy() -> Settings {
    settings(&[
        ("yarn.scheduler.fair.assignmultiple", "true"),
        ("yarn.scheduler.fair.dynamic.max.assign", "false"),
        ("yarn.scheduler.fair.max.assign", "-1"),
    ])
}

pub(crate) fn unmanaged(number: u32, queue: &str) -> Submission {
    Submission::new(number, "ann").in_queue(queue)
}

pub(crate) fn add_nodes(scheduler: &FairScheduler, count: usize) -> Vec<NodeHandle> {
    let add = |i| scheduler.add_node(&format!("n{i}"), &format!("/r{}", i % 4), Resource::new(8192, 8)).unwrap();
    (0..count).map(add).collect()
}

/// Sends until it is taken, or its node is gone.
pub(crate) fn beat(scheduler: &FairScheduler, mut heartbeat: Heartbeat) {
    while let Err(not_sent) = scheduler.heartbeat(heartbeat) {
        let NotSent { returned, reason, .. } = *not_sent;
        if matches!(reason, Refused::NoSuchNode(_)) {
            return;
        }
        assert_eq!(reason, Refused::Busy);
        heartbeat = returned;
        thread::yield_now();
    }
}

/// Calls until it is not told that the scheduler is busy.
pub(crate) fn allocate(
    scheduler: &FairScheduler,
    app: &AppHandle,
    request: &AllocateRequest,
) -> Result<Allocation, Refused> {
    let mut answer = Allocation::default();
    loop {
        match scheduler.allocate(app, request, &mut answer) {
            Err(Refused::Busy) => thread::yield_now(),
            Err(refused) => return Err(refused),
            Ok(()) => return Ok(answer),
        }
    }
}

pub(crate) fn ask(count: u32) -> AllocateRequest {
    AllocateRequest::new([Ask::anywhere(1, SMALL, count)])
}

pub(crate) fn poll(scheduler: &FairScheduler, app: &AppHandle) -> Allocation {
    allocate(scheduler, app, &AllocateRequest::default()).unwrap()
}

/// Update, then a round of heartbeats, until nothing more is granted.
pub(crate) fn fill(scheduler: &FairScheduler, nodes: &[NodeHandle]) {
    loop {
        let before = scheduler.stats().granted;
        scheduler.quiesce();
        scheduler.update_now();
        // The nodes are offered under the new shares: a round that grants nothing is the last.
        scheduler.quiesce();
        nodes.iter().for_each(|node| beat(scheduler, Heartbeat::new(node)));
        scheduler.quiesce();
        if scheduler.stats().granted == before {
            return;
        }
    }
}

/// At quiet: the books of nodes, queues, applications and counters agree.
pub(crate) fn assert_sums(scheduler: &FairScheduler) {
    scheduler.quiesce();
    let (stats, queues, apps) = (scheduler.stats(), scheduler.queues(), scheduler.apps());
    let mut used = Resource::ZERO;
    for node in scheduler.nodes() {
        assert!(Resource::ZERO.fits_in(&node.free), "I1: {} is over-committed: {}", node.name, node.free);
        used = used.plus(&node.total.minus(&node.free));
    }
    for queue in &queues {
        let parts: Vec<Resource> = if queue.leaf {
            apps.iter().filter(|app| app.queue == queue.name).map(|app| app.usage).collect()
        } else {
            let below = |name: &str| name.rsplit_once('.').is_some_and(|(above, _)| above == queue.name);
            queues.iter().filter(|child| below(&child.name)).map(|child| child.usage).collect()
        };
        let sum = parts.iter().fold(Resource::ZERO, |sum, part| sum.plus(part));
        assert_eq!(queue.usage, sum, "I4: {}", queue.name);
    }
    assert_eq!(stats.allocated, used, "queues and nodes");
    assert_eq!(stats.running, stats.granted - stats.completed);
    assert_eq!(stats.running * 1024, u64::try_from(stats.allocated.memory_mb()).unwrap(), "all containers are small");
    assert_nothing_is_left(scheduler);
}

/// No record, lease or count is left over, and whoever can be served has a place.
pub(crate) fn assert_nothing_is_left(scheduler: &FairScheduler) {
    let audit = scheduler.audit().unwrap();
    assert!(audit.wrong.is_empty(), "{:#?}\nof {:?}", audit.wrong, audit.counted);
}

/// All nodes were offered: of small containers, asked for anywhere, none is outstanding that a node and its queues have room for (I7).
pub(crate) fn assert_nobody_waits(scheduler: &FairScheduler) {
    let queues = scheduler.queues();
    let nodes = scheduler.nodes();
    let Some(free) = nodes.iter().find(|node| SMALL.fits_in(&node.free)) else { return };
    for app in scheduler.apps().iter().filter(|app| app.runnable && !app.outstanding.is_zero()) {
        let inside =
            |name: &str| app.queue.strip_prefix(name).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'));
        let full =
            queues.iter().find(|queue| inside(&queue.name) && !queue.usage.plus(&SMALL).fits_in(&queue.max_share));
        assert!(full.is_some(), "I7: {app:?} waits, and {free:?} has room");
    }
}

/// No queue is above its limit.
pub(crate) fn assert_limits(scheduler: &FairScheduler) {
    for queue in scheduler.queues() {
        assert!(queue.usage.fits_in(&queue.max_share), "I2: {} has {}", queue.name, queue.usage);
    }
}

/// Who waits so long waits for ever. Long enough for a thread that other programs keep from the processor.
const HANG: Duration = Duration::from_secs(60);

/// Does something that must not take long; ends the whole program where it hangs.
pub(crate) fn within<T>(what: &str, call: impl FnOnce() -> T) -> T {
    let (done, over) = mpsc::channel::<()>();
    let name = what.to_owned();
    let watchdog = thread::spawn(move || {
        if over.recv_timeout(HANG) == Err(mpsc::RecvTimeoutError::Timeout) {
            eprintln!("{name} hangs");
            std::process::abort();
        }
    });
    let outcome = call();
    drop(done);
    watchdog.join().unwrap();
    outcome
}

/// Waits for what another thread does.
pub(crate) fn until(what: &str, mut done: impl FnMut() -> bool) {
    within(what, || {
        while !done() {
            thread::yield_now();
        }
    });
}

/// A scheduler whose workers are polled, each on a thread that ends with it and says what it came to.
pub(crate) fn start_polled(builder: FairSchedulerBuilder) -> (FairScheduler, Vec<JoinHandle<Polled>>) {
    let (scheduler, workers) = builder.start_with_workers().unwrap();
    let threads = workers.into_iter().map(|mut worker| thread::spawn(move || poll_to_the_end(&mut worker))).collect();
    (scheduler, threads)
}

/// Polls until the worker does nothing more.
pub(crate) fn poll_to_the_end(worker: &mut Worker) -> Polled {
    loop {
        match worker.poll(64) {
            Polled::More => {}
            Polled::GiveWay => thread::yield_now(),
            Polled::Idle => drop(worker.wait(Duration::from_secs(60))),
            end @ (Polled::GivenUp | Polled::Ended | _) => return end,
        }
    }
}

/// What the threads of polled workers came to.
pub(crate) fn ends(threads: Vec<JoinHandle<Polled>>) -> Vec<Polled> {
    threads.into_iter().map(|thread| within("the thread of a worker", || thread.join().unwrap())).collect()
}
