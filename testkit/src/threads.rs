//! Calls on threads that are repeated until they are taken, and workers that a test polls.

use crate::{until, wait_for, within};
use evenweave::refused::{NotFound, TryAgain};
use evenweave::{
    AllocateRequest, Allocation, AppHandle, CapacityScheduler, FairScheduler, FairSchedulerBuilder, Heartbeat,
    NodeHandle, NotSent, Polled, Refused, Resource, SchedulerEvent, Worker,
};
use std::sync::mpsc;
use std::thread::{self, JoinHandle};
use std::time::Duration;

/// Either scheduler on threads.
pub trait Threads {
    /// As the scheduler's own.
    fn add_node(&self, name: &str, rack: &str, total: Resource) -> Result<NodeHandle, Refused>;
    /// As the scheduler's own.
    fn heartbeat(&self, heartbeat: Heartbeat) -> Result<(), Box<NotSent<Heartbeat>>>;
    /// As the scheduler's own.
    fn allocate(&self, app: &AppHandle, request: &AllocateRequest, answer: &mut Allocation) -> Result<(), Refused>;
    /// As the scheduler's own.
    fn next_event(&self) -> Option<SchedulerEvent>;
}

macro_rules! threads {
    ($scheduler:ty) => {
        impl Threads for $scheduler {
            fn add_node(&self, name: &str, rack: &str, total: Resource) -> Result<NodeHandle, Refused> {
                <$scheduler>::add_node(self, name, rack, total)
            }
            fn heartbeat(&self, heartbeat: Heartbeat) -> Result<(), Box<NotSent<Heartbeat>>> {
                <$scheduler>::heartbeat(self, heartbeat)
            }
            fn allocate(
                &self,
                app: &AppHandle,
                request: &AllocateRequest,
                answer: &mut Allocation,
            ) -> Result<(), Refused> {
                <$scheduler>::allocate(self, app, request, answer)
            }
            fn next_event(&self) -> Option<SchedulerEvent> {
                <$scheduler>::next_event(self)
            }
        }
    };
}

threads!(FairScheduler);
threads!(CapacityScheduler);

/// So many nodes, in four racks.
pub fn add_nodes(scheduler: &impl Threads, count: usize) -> Vec<NodeHandle> {
    let add = |i| scheduler.add_node(&format!("n{i}"), &format!("/r{}", i % 4), Resource::new(8192, 8)).unwrap();
    (0..count).map(add).collect()
}

/// Sends until the scheduler is not busy; counts how often it was. Returns why else the heartbeat was refused.
pub fn send(scheduler: &impl Threads, heartbeat: Heartbeat, busy: &mut usize) -> Result<(), Refused> {
    let mut unsent = Some(heartbeat);
    let mut sent = || {
        let Err(not_sent) = scheduler.heartbeat(unsent.take()?) else { return Some(Ok(())) };
        if not_sent.reason != Refused::TryAgain(TryAgain::Busy) {
            return Some(Err(not_sent.reason));
        }
        *busy += 1;
        unsent = Some(not_sent.returned);
        None
    };
    // Mostly it is taken at once, and a bound takes a thread.
    sent().unwrap_or_else(|| wait_for("a heartbeat", sent))
}

/// Sends until it is taken, or its node is gone.
pub fn beat(scheduler: &impl Threads, heartbeat: Heartbeat) {
    let sent = send(scheduler, heartbeat, &mut 0);
    assert!(matches!(sent, Ok(()) | Err(Refused::NotFound(NotFound::Node(_)))), "{sent:?}");
}

/// Calls until it is not told that the scheduler is busy.
pub fn allocate(scheduler: &impl Threads, app: &AppHandle, request: &AllocateRequest) -> Result<Allocation, Refused> {
    let mut answer = Allocation::default();
    let mut told = || match scheduler.allocate(app, request, &mut answer) {
        Err(Refused::TryAgain(TryAgain::Busy)) => None,
        told => Some(told),
    };
    told().unwrap_or_else(|| wait_for("a call", told)).map(|()| answer)
}

/// What there is for the AM.
pub fn poll(scheduler: &impl Threads, app: &AppHandle) -> Allocation {
    allocate(scheduler, app, &AllocateRequest::default()).unwrap()
}

/// The next thing that is told.
pub fn event(scheduler: &impl Threads) -> SchedulerEvent {
    wait_for("an event", || scheduler.next_event())
}

/// Update, then a round of heartbeats, until nothing more is granted.
pub fn fill(scheduler: &FairScheduler, nodes: &[NodeHandle]) {
    until("a full cluster", || {
        let before = scheduler.stats().granted;
        scheduler.quiesce().unwrap();
        scheduler.update_now().unwrap();
        // The nodes are offered under the new shares: a round that grants nothing is the last.
        scheduler.quiesce().unwrap();
        nodes.iter().for_each(|node| beat(scheduler, Heartbeat::new(node)));
        scheduler.quiesce().unwrap();
        scheduler.stats().granted == before
    });
}

/// A scheduler whose workers are polled, each on a thread that ends with it and says what it came to.
pub fn start_polled(builder: FairSchedulerBuilder) -> (FairScheduler, Vec<JoinHandle<Polled>>) {
    let (scheduler, workers) = builder.start_with_workers().unwrap();
    let threads = workers.into_iter().map(|mut worker| thread::spawn(move || poll_to_the_end(&mut worker))).collect();
    (scheduler, threads)
}

/// Polls until the worker does nothing more.
pub fn poll_to_the_end(worker: &mut Worker) -> Polled {
    loop {
        match worker.poll(64) {
            Polled::More => {}
            Polled::GiveWay => thread::yield_now(),
            Polled::Idle => drop(worker.wait(Duration::from_secs(60))),
            end @ (Polled::GivenUp | Polled::Ended | _) => return end,
        }
    }
}

/// The same on a thread of its own. When this returns, the worker belongs to that thread: here one may wait for it.
pub fn poll_on_a_thread(mut worker: Worker) -> JoinHandle<Polled> {
    let (moved, is_moved) = mpsc::channel();
    let thread = thread::spawn(move || {
        let _ = worker.poll(1);
        moved.send(()).unwrap();
        poll_to_the_end(&mut worker)
    });
    is_moved.recv().unwrap();
    thread
}

/// Polls until the worker has nothing to do.
pub fn poll_until_idle(worker: &mut Worker) {
    until("an idle worker", || worker.poll(64) == Polled::Idle);
}

/// What the threads of polled workers came to.
pub fn ends(threads: Vec<JoinHandle<Polled>>) -> Vec<Polled> {
    threads.into_iter().map(|thread| within("the thread of a worker", || thread.join().unwrap())).collect()
}
