//! A worker of the scheduler on a thread of the embedder's.

use crate::engine::decider::Decider;
use crate::engine::{Lent, Polled};
use std::fmt;
use std::time::Duration;

/// A worker of a [`FairScheduler`](crate::FairScheduler) or a [`CapacityScheduler`](crate::CapacityScheduler) that the
/// embedder runs on one of its own threads.
///
/// [`FairSchedulerBuilder::start_with_workers`](crate::FairSchedulerBuilder::start_with_workers) returns one for each
/// worker. Call [`poll`](Worker::poll), which does the work and never blocks, and [`wait`](Worker::wait) in a loop, as
/// the scheduler's own threads do.
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
/// scheduler.quiesce()?;
/// scheduler.update_now()?;
/// scheduler.heartbeat(Heartbeat::new(&node))?;
/// scheduler.quiesce()?;
/// scheduler.allocate(&app, &AllocateRequest::default(), &mut answer)?;
/// assert_eq!(answer.granted.len(), 1);
/// scheduler.shutdown()?;
/// for thread in threads {
///     assert_eq!(thread.join().unwrap(), Polled::Ended);
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Until its end
/// Poll a worker until [`Polled::Ended`]. While nobody polls it, heartbeats of its nodes and calls of its applications
/// wait, and so does everything that needs all workers, such as the end of an application. A worker may move from one
/// thread to another.
///
/// A worker that is dropped earlier is given up, as after two panics in a row: its nodes are lost, the event
/// [`SchedulerEvent::WorkerPanicked`](crate::SchedulerEvent::WorkerPanicked) reports it, and calls that wait for it
/// return.
///
/// # Panics
/// A panic in a poll, for example in a callback of the embedder, does not leave the poll: the worker loses its nodes,
/// and begins anew.
///
/// # Deadlock
/// On a thread that polls a worker, these calls cannot return, because they wait for all workers:
/// [`quiesce`](crate::FairScheduler::quiesce),
/// [`finish`](crate::FairScheduler::finish),
/// [`new_attempt`](crate::FairScheduler::new_attempt), [`move_app`](crate::FairScheduler::move_app),
/// [`remove_node`](crate::FairScheduler::remove_node), [`offer_all`](crate::FairScheduler::offer_all),
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

    /// The number of the worker, from 0. [`NodeHandle::worker`](crate::NodeHandle::worker) of its nodes has the same
    /// number.
    #[must_use]
    pub fn index(&self) -> usize {
        self.0.index()
    }

    /// Processes messages: first all that the scheduler's threads have sent to each other, and then at most about
    /// `budget` of those that the embedder has sent (0 counts as 1). Never blocks.
    ///
    /// The worker gives back leased room and asks when it [waits](Worker::wait). Until then another worker that needs
    /// them recalls them.
    ///
    /// The scheduler's own threads poll with 64. A smaller budget costs more for each message. A much larger one keeps
    /// room from other workers for longer.
    pub fn poll(&mut self, budget: usize) -> Polled {
        self.0.poll(budget)
    }

    /// Blocks until there is something to process, a message or something that is due by time, but at most for `time`.
    /// Returns whether there is: `false` after the time. Processes nothing: the next poll does.
    pub fn wait(&mut self, at_most: Duration) -> bool {
        self.0.wait(at_most)
    }
}
