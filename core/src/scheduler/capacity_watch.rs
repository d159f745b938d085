//! Calls of the CapacityScheduler for what passes try.
//!
//! Run on the caller's thread; workers answer between two messages.

use super::capacity::CapacityStepped;
use super::capacity_threads::CapacityScheduler;
use crate::capacity::{CapacityShard as Shard, Watch, Watched};
use crate::engine::ask_workers;
use crate::event::Refused;

impl CapacityScheduler {
    /// Tells what passes try from now on, for [`take_watched`](Self::take_watched): which queues and applications are asked, in which order, and
    /// what comes of each. What is told is worked out right before the pass, at about the cost of the pass; others cost nothing more. Each
    /// worker keeps the last 64 passes and 1,024 visits. Asks the workers and waits for them.
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

    /// What was told since this was last called, in order of time. Asks the workers and waits for them.
    ///
    /// # Errors
    /// As of [`watch`](Self::watch).
    pub fn take_watched(&self) -> Result<Watched, Refused> {
        let found = ask_workers(self.door().open_to_wait()?, |shard: &mut Shard| shard.take_watched())?;
        Ok(Watched::together(found))
    }
}

impl CapacityStepped {
    /// Tells what passes try from now on, as [`CapacityScheduler::watch`].
    pub fn watch(&mut self, what: &Watch) {
        self.steps.stepper.shards().for_each(|shard| shard.watch(what.clone()));
    }

    /// What was told since this was last called, as [`CapacityScheduler::take_watched`].
    pub fn take_watched(&mut self) -> Watched {
        Watched::together(self.steps.stepper.shards().map(Shard::take_watched))
    }
}
