//! Calls of the CapacityScheduler that record what its passes do: which queues and applications they try.
//!
//! They run on the caller's thread. Workers answer between two messages.

use super::policy::Capacity;
use super::stepped::Stepped;
use super::threaded::Scheduler;
use crate::capacity::{CapacityShard as Shard, Watch, Watched};
use crate::engine::ask_workers;
use crate::event::Refused;
#[cfg(doc)]
use crate::event::refused::*;

/// # Recorded passes
impl Scheduler<Capacity> {
    /// Starts to record what passes do, for [`take_watched`](Self::take_watched): which queues and applications a pass
    /// tries, in which order, and with which result. [`Watch`] says what is recorded and when that ends: the next pass
    /// of each worker, the next pass over one node, or the visits of one application for some time.
    ///
    /// The pass itself makes the record, so a recorded pass takes longer. While an application is watched, every pass
    /// of every worker is recorded in this way. While nothing is watched, passes cost no more. Each worker keeps the
    /// last 64 passes and 1,024 visits. Waits for the workers.
    ///
    /// ```
    /// use evenweave::reason::{PassCourse, QueueEnd, Watch};
    /// use evenweave::{AllocateRequest, Allocation, Ask, CapacityConfiguration, CapacityScheduler, Heartbeat};
    /// use evenweave::{Resource, Submission};
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
    /// scheduler.quiesce()?;
    /// let watched = scheduler.take_watched()?;
    /// let PassCourse::Offered(root) = &watched.passes[0].course else { panic!("{watched:?}") };
    /// assert_eq!((root.end, root.queues[0].queue.as_str()), (QueueEnd::Allocates, "root.default"));
    /// scheduler.shutdown()?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`Gone::Worker`], [`Invalid::OwnThread`], [`Gone::ShutDown`].
    pub fn watch(&self, what: Watch) -> Result<(), Refused> {
        ask_workers(self.door().open_to_wait()?, move |shard: &mut Shard| shard.watch(what))?;
        Ok(())
    }

    /// Takes what was recorded since the last call of this function, in order of time. Waits for the workers.
    ///
    /// # Errors
    /// Those of [`watch`](Self::watch).
    pub fn take_watched(&self) -> Result<Watched, Refused> {
        let found = ask_workers(self.door().open_to_wait()?, |shard: &mut Shard| shard.take_watched())?;
        Ok(Watched::together(found))
    }
}

/// # Recorded passes
impl Stepped<Capacity> {
    /// Starts to record what passes do, as [`CapacityScheduler::watch`](crate::CapacityScheduler::watch).
    pub fn watch(&mut self, what: Watch) {
        self.steps.stepper.shards().for_each(|shard| shard.watch(what.clone()));
    }

    /// Takes what was recorded since the last call of this function, as
    /// [`CapacityScheduler::take_watched`](crate::CapacityScheduler::take_watched).
    pub fn take_watched(&mut self) -> Watched {
        Watched::together(self.steps.stepper.shards().map(Shard::take_watched))
    }
}
