//! A worker of the scheduler on a thread of the embedder's.

use crate::engine::decider::Decider;
use crate::engine::{Lent, Polled};
use std::fmt;
use std::time::Duration;

/// A worker of a [`FairScheduler`](crate::FairScheduler) or a [`CapacityScheduler`](crate::CapacityScheduler) that the embedder runs, on a
/// thread of his own.
///
/// [`FairSchedulerBuilder::start_with_workers`](crate::FairSchedulerBuilder::start_with_workers) gives out one for each worker. The
/// scheduler's own threads are a loop over the same two calls: [`poll`](Worker::poll), which does the work and never blocks, and
/// [`wait`](Worker::wait).
///
/// ```
/// use evenweave::{AllocateRequest, Allocation, Ask, FairScheduler, Heartbeat, Polled, Resource, Submission};
/// use std::time::Duration;
///
/// let (scheduler, workers) = FairScheduler::builder().workers(2).start_with_workers()?;
/// let threads: Vec<_> = workers
///     .into_iter()
///     .map(|mut worker| {
///         std::thread::spawn(move || {
///             loop {
///                 match worker.poll(64) {
///                     Polled::More => {}
///                     Polled::GiveWay => std::thread::yield_now(),
///                     Polled::Idle => drop(worker.wait(Duration::from_secs(1))),
///                     // `Ended`, or `GivenUp` after panics.
///                     end => return end,
///                 }
///                 // Between two polls the thread may do something of its own.
///             }
///         })
///     })
///     .collect();
///
/// let node = scheduler.add_node("n1", "/r1", Resource::new(8192, 8))?;
/// let app = scheduler.submit(Submission::new(1, "ann"))?;
/// let (mut request, mut answer) = (AllocateRequest::default(), Allocation::default());
/// request.asks.push(Ask::anywhere(1, Resource::new(1024, 1), 1));
/// scheduler.allocate(&app, &request, &mut answer)?;
/// scheduler.quiesce();
/// scheduler.update_now();
/// scheduler.heartbeat(Heartbeat::new(&node))?;
/// scheduler.quiesce();
/// scheduler.allocate(&app, &AllocateRequest::default(), &mut answer)?;
/// assert_eq!(answer.granted.len(), 1);
/// scheduler.shutdown();
/// for thread in threads {
///     assert_eq!(thread.join().unwrap(), Polled::Ended);
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Until its end
/// A worker has to be polled, or waited for and polled, until [`Polled::Ended`]: heartbeats of its nodes and calls of the applications whose
/// home it is pile up meanwhile, and nobody else does its part of what needs all workers, such as the end of an
/// application. It may move from one thread to another.
///
/// One that is dropped before is given up, as after two panics in a row: its nodes are lost,
/// [`SchedulerEvent::WorkerPanicked`](crate::SchedulerEvent::WorkerPanicked) tells of it, and whoever waits for it is answered.
///
/// # Panics
/// What panics in a poll, such as a callback of the embedder's, does not leave it: the worker's nodes are lost, and it begins anew.
///
/// # Deadlock
/// Calls that wait for workers never return on the one thread that polls one of these:
/// [`quiesce`](crate::FairScheduler::quiesce), [`take_journal`](crate::FairScheduler::take_journal),
/// [`finish`](crate::FairScheduler::finish), [`kill`](crate::FairScheduler::kill),
/// [`new_attempt`](crate::FairScheduler::new_attempt), [`move_app`](crate::FairScheduler::move_app),
/// [`remove_node`](crate::FairScheduler::remove_node), [`continuous`](crate::FairScheduler::continuous),
/// [`containers`](crate::FairScheduler::containers), [`preempt`](crate::FairScheduler::preempt) and
/// [`kill_marked`](crate::FairScheduler::kill_marked). Make them on another thread.
/// [`shutdown`](crate::FairScheduler::shutdown) may be called anywhere.
#[derive(Debug)]
#[must_use = "a worker that is dropped is given up"]
pub struct Worker(Box<dyn Polling>);

/// A worker, whichever scheduler it is of.
trait Polling: fmt::Debug + Send {
    fn index(&self) -> usize;

    fn poll(&mut self, budget: usize) -> Polled;

    fn wait(&mut self, at_most: Duration) -> bool;
}

impl<D: Decider> Polling for Lent<D> {
    fn index(&self) -> usize {
        Lent::index(self)
    }

    fn poll(&mut self, budget: usize) -> Polled {
        Lent::poll(self, budget)
    }

    fn wait(&mut self, at_most: Duration) -> bool {
        Lent::wait(self, at_most)
    }
}

impl Worker {
    pub(super) fn all<D: Decider>(lent: Vec<Lent<D>>) -> Vec<Worker> {
        lent.into_iter().map(|worker| Worker(Box::new(worker))).collect()
    }

    /// Which worker it is, from 0: what [`NodeHandle::worker`](crate::NodeHandle::worker) says of its nodes.
    #[must_use]
    pub fn index(&self) -> usize {
        self.0.index()
    }

    /// Works messages off: of those that the embedder has sent about `budget` at most (0 counts as 1), and before them all that
    /// the scheduler's threads have told each other. It never blocks. What it has leased of room and asks goes back when it
    /// [waits](Worker::wait); until then another worker that needs it recalls it.
    ///
    /// The scheduler's own threads poll with 64. A smaller budget costs more a message; a much larger one keeps room from others
    /// for longer.
    pub fn poll(&mut self, budget: usize) -> Polled {
        self.0.poll(budget)
    }

    /// Blocks until there is something to work off, a message or what is due by time, for so long at most. Says whether there is:
    /// `false` when the time is over. It takes nothing: what has come is worked off by the next poll.
    pub fn wait(&mut self, at_most: Duration) -> bool {
        self.0.wait(at_most)
    }
}
