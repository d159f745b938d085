//! Calls of the CapacityScheduler for why an application waits.
//!
//! Run on the caller's thread; workers answer for their nodes, the control for limits of parallel applications.

use super::capacity::CapacityStepped;
use super::capacity_threads::CapacityScheduler;
use super::handles::{AppHandle, NodeHandle};
use crate::capacity::{CapacityReason, CapacityShard as Shard, CapacityWait, Waits};
use crate::engine::ask_workers;
use crate::event::Refused;
use crate::queue::RunningLimit;

/// Whether the control knows which limit it is that an application waits for.
fn waits_to_run(reasons: &[CapacityReason]) -> bool {
    reasons.iter().any(|reason| matches!(reason.wait, CapacityWait::NotRunnable { .. }))
}

fn with_limit(mut reasons: Vec<CapacityReason>, found: Option<RunningLimit>) -> Vec<CapacityReason> {
    for reason in &mut reasons {
        if let CapacityWait::NotRunnable { limit } = &mut reason.wait {
            limit.clone_from(&found);
        }
    }
    reasons
}

impl CapacityScheduler {
    /// Returns why an application waits now: the obstacles that hold on every node, otherwise, for each request key, its
    /// obstacles with the number of nodes. The answer is what the next report of each node would find. It does not consider other
    /// applications that come first; [`why_waiting_on`](Self::why_waiting_on) does. Changes nothing. Waits for the workers.
    /// O(nodes × request keys).
    ///
    /// ```
    /// use evenweave::reason::CapacityWait;
    /// use evenweave::{AllocateRequest, Allocation, Ask, CapacityConfiguration, CapacityScheduler, Resource, Submission};
    ///
    /// let queues = [
    ///     ("yarn.scheduler.capacity.root.queues", "default"),
    ///     ("yarn.scheduler.capacity.root.default.capacity", "100"),
    /// ];
    /// let scheduler = CapacityScheduler::builder(CapacityConfiguration::from_properties([], queues)?).start()?;
    /// scheduler.add_node("n1", "/r1", Resource::new(4096, 4))?;
    /// let app = scheduler.submit(Submission::new(1, "ann"))?;
    /// let asks = AllocateRequest::new([Ask::anywhere(1, Resource::new(1024, 1), 1)]);
    /// scheduler.allocate(&app, &asks, &mut Allocation::default())?;
    /// scheduler.quiesce();
    /// let reasons = scheduler.why_waiting(&app)?;
    /// assert_eq!(reasons[0].wait, CapacityWait::Offer, "the node has not reported yet");
    /// assert_eq!(reasons[0].to_string(), "priority 1: nothing stands against it (n1)");
    /// scheduler.shutdown();
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`Refused::WorkerLost`], [`Refused::OwnThread`], [`Refused::TaskLost`], [`Refused::ShutDown`]. An application that has ended is not an error:
    /// [`CapacityWait::Ended`].
    pub fn why_waiting(&self, app: &AppHandle) -> Result<Vec<CapacityReason>, Refused> {
        let asked = app.0.clone();
        let look = move |shard: &mut Shard| shard.why_waiting(&asked, None);
        let found = ask_workers(self.door().open_to_wait()?, look)?;
        self.with_running_limit(app, Waits::together(found, true))
    }

    /// As [`why_waiting`](Self::why_waiting) for one node, and which application comes first there ([`CapacityWait::Behind`],
    /// [`CapacityWait::HeldBack`]). Only the application that the node's next report serves gets [`CapacityWait::Offer`].
    /// O(applications).
    ///
    /// # Errors
    /// [`Refused::NoSuchNode`] if it is removed; otherwise those of [`why_waiting`](Self::why_waiting).
    pub fn why_waiting_on(&self, app: &AppHandle, node: &NodeHandle) -> Result<Vec<CapacityReason>, Refused> {
        let shared = self.door().open_to_wait()?;
        if !node.stands_in(&shared.nodes.lock()) {
            return Err(Refused::NoSuchNode(node.0.name.to_string()));
        }
        let (asked, on) = (app.0.clone(), node.0.clone());
        let look = move |shard: &mut Shard| shard.why_waiting(&asked, Some(&on));
        let found = ask_workers(shared, look)?;
        self.with_running_limit(app, Waits::together(found, false))
    }

    fn with_running_limit(
        &self,
        app: &AppHandle,
        reasons: Vec<CapacityReason>,
    ) -> Result<Vec<CapacityReason>, Refused> {
        if !waits_to_run(&reasons) {
            return Ok(reasons);
        }
        let app = app.0.clone();
        let limit = self.door().look(move |control| control.parallel_limit(&app))?;
        Ok(with_limit(reasons, limit))
    }
}

impl CapacityStepped {
    /// Returns why an application waits now, as [`CapacityScheduler::why_waiting`].
    pub fn why_waiting(&mut self, app: &AppHandle) -> Vec<CapacityReason> {
        let found = self.steps.stepper.shards().map(|shard| shard.why_waiting(&app.0, None)).collect();
        self.with_running_limit(app, Waits::together(found, true))
    }

    /// As [`why_waiting`](Self::why_waiting) for one node: see [`CapacityScheduler::why_waiting_on`].
    ///
    /// # Errors
    /// [`Refused::NoSuchNode`] if it is removed.
    pub fn why_waiting_on(&mut self, app: &AppHandle, node: &NodeHandle) -> Result<Vec<CapacityReason>, Refused> {
        if !self.steps.stepper.control().all_nodes().any(|known| std::ptr::eq(&**known, &*node.0)) {
            return Err(Refused::NoSuchNode(node.0.name.to_string()));
        }
        let found = self.steps.stepper.shards().map(|shard| shard.why_waiting(&app.0, Some(&node.0))).collect();
        Ok(self.with_running_limit(app, Waits::together(found, false)))
    }

    fn with_running_limit(&mut self, app: &AppHandle, reasons: Vec<CapacityReason>) -> Vec<CapacityReason> {
        let limit = waits_to_run(&reasons).then(|| self.steps.stepper.control().parallel_limit(&app.0)).flatten();
        with_limit(reasons, limit)
    }
}
