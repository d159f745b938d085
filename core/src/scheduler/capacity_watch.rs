//! Calls of the CapacityScheduler for what passes try.
//!
//! Run on the caller's thread; workers answer between two messages.

use super::policy::Capacity;
use super::stepped::Stepped;
use super::threaded::Scheduler;
use crate::capacity::{CapacityShard as Shard, Watch, Watched};
use crate::engine::ask_workers;
use crate::event::Refused;

/// # What passes try
impl Scheduler<Capacity> {
    /// Records what passes try from now on, for [`take_watched`](Self::take_watched): which queues and applications
    /// they ask, in which order, and with which result. A worker computes this right before the pass, at about the cost
    /// of the pass; passes that are not watched cost no more. Each worker keeps the last 64 passes and 1,024 visits.
    /// Waits for the workers.
    ///
    /// ```
    /// use evenweave::reason::{PassCourse, QueueEnd, Watch};
    /// use evenweave::{AllocateRequest, Allocation, Ask, CapacityConfiguration, CapacityScheduler, Heartbeat, Resource, Submission};
    ///
    /// let queues = [
    ///     ("yarn.scheduler.capacity.root.queues", "default"),
    ///     ("yarn.scheduler.capacity.root.default.capacity", "100"),
    /// ];
    /// let scheduler = CapacityScheduler::builder(CapacityConfiguration::from_properties([], queues)?).start()?;
    /// let node = scheduler.add_node("n1", "/r1", Resource::new(4096, 4))?;
    /// let app = scheduler.submit(Submission::new(1, "ann"))?;
    /// let asks = AllocateRequest::new([Ask::anywhere(1, Resource::new(1024, 1), 1)]);
    /// scheduler.allocate(&app, &asks, &mut Allocation::default())?;
    /// scheduler.watch(Watch::AnyNode)?;
    /// scheduler.heartbeat(Heartbeat::new(&node))?;
    /// scheduler.quiesce();
    /// let watched = scheduler.take_watched()?;
    /// let PassCourse::Offered(root) = &watched.passes[0].course else { panic!("{watched:?}") };
    /// assert_eq!((root.end, root.queues[0].queue.as_str()), (QueueEnd::Allocates, "root.default"));
    /// scheduler.shutdown();
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`Refused::WorkerLost`], [`Refused::OwnThread`], [`Refused::ShutDown`].
    pub fn watch(&self, what: Watch) -> Result<(), Refused> {
        ask_workers(self.door().open_to_wait()?, move |shard: &mut Shard| shard.watch(what))?;
        Ok(())
    }

    /// Returns what was recorded since its last call, in order of time. Waits for the workers.
    ///
    /// # Errors
    /// Those of [`watch`](Self::watch).
    pub fn take_watched(&self) -> Result<Watched, Refused> {
        let found = ask_workers(self.door().open_to_wait()?, |shard: &mut Shard| shard.take_watched())?;
        Ok(Watched::together(found))
    }
}

/// # What passes try
impl Stepped<Capacity> {
    /// Records what passes try from now on, as [`CapacityScheduler::watch`](crate::CapacityScheduler::watch).
    pub fn watch(&mut self, what: Watch) {
        self.steps.stepper.shards().for_each(|shard| shard.watch(what.clone()));
    }

    /// Returns what was recorded since its last call, as
    /// [`CapacityScheduler::take_watched`](crate::CapacityScheduler::take_watched).
    pub fn take_watched(&mut self) -> Watched {
        Watched::together(self.steps.stepper.shards().map(Shard::take_watched))
    }
}
