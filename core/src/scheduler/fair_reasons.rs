//! Calls of the FairScheduler for why an application waits.
//!
//! Run on the caller's thread; workers answer for their nodes, the control for what has ended and for limits of running applications.

use super::fair::FairScheduler;
use super::handles::{AppHandle, NodeHandle};
use super::stepped::Stepped;
use crate::app::Reason;
use crate::engine::ask_workers;
use crate::event::Refused;
use crate::fair::{FairReason, FairWait, NotOffered, Shard, Waits};

fn stopped(why: impl Into<NotOffered>) -> Vec<FairReason> {
    vec![Reason::whole(FairWait::NotOffered(why.into()))]
}

impl FairScheduler {
    /// Returns why an application waits now: the obstacles that hold on every node, otherwise, for each request key, its
    /// obstacles with the number of nodes. The answer is what the next report of each node would find if no other application
    /// came first. If one does, by the policies, this is a reason of its own ([`FairWait::Behind`]). Changes nothing, and needs
    /// no trace. Waits for the control and all workers. O(nodes × request keys).
    ///
    /// ```
    /// use evenweave::{AllocateRequest, Allocation, Ask, FairScheduler, Resource, Submission};
    ///
    /// let scheduler = FairScheduler::builder().start()?;
    /// scheduler.add_node("n1", "/r1", Resource::new(2048, 4))?;
    /// scheduler.add_node("n2", "/r1", Resource::new(4096, 4))?;
    /// let app = scheduler.submit(Submission::new(1, "ann"))?;
    /// let asks = AllocateRequest::new([Ask::anywhere(1, Resource::new(4096, 1), 1)]);
    /// scheduler.allocate(&app, &asks, &mut Allocation::default())?;
    /// scheduler.quiesce(); // asks travel
    /// scheduler.update_now(); // new demand counts from the next update on
    /// scheduler.quiesce();
    /// let reasons = scheduler.why_waiting(&app)?;
    /// let said = "priority 1: larger than the whole node: wants 4096 MB, 1 vcores, the node has 2048 MB, 4 vcores (n1)";
    /// assert_eq!(reasons[0].to_string(), said);
    /// scheduler.shutdown();
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`Refused::WorkerLost`], [`Refused::OwnThread`], [`Refused::ShutDown`], [`Refused::TaskLost`]. An application that has ended is not an error:
    /// [`NotOffered::Ended`].
    pub fn why_waiting(&self, app: &AppHandle) -> Result<Vec<FairReason>, Refused> {
        self.why(app, None)
    }

    /// As [`why_waiting`](Self::why_waiting) for one node.
    ///
    /// # Errors
    /// [`Refused::NoSuchNode`] if it is removed; otherwise those of [`why_waiting`](Self::why_waiting).
    pub fn why_waiting_on(&self, app: &AppHandle, node: &NodeHandle) -> Result<Vec<FairReason>, Refused> {
        self.why(app, Some(node))
    }

    fn why(&self, app: &AppHandle, node: Option<&NodeHandle>) -> Result<Vec<FairReason>, Refused> {
        let shared = self.open_to_wait()?;
        if let Some(node) = node
            && !node.stands_in(&shared.nodes.lock())
        {
            return Err(Refused::NoSuchNode(node.0.name.to_string()));
        }
        let of_control = app.0.clone();
        if let Some(why) = self.look(move |control| control.why_stopped(&of_control))? {
            return Ok(stopped(why));
        }
        self.owner_is_there(app.0.home)?;
        let (asked, on) = (app.0.clone(), node.map(|node| node.0.clone()));
        let look = move |shard: &mut Shard| (shard.id(), shard.why_waiting(&asked, on.as_deref()));
        let mut found = ask_workers(shared, look)?;
        found.sort_by_key(|(worker, _)| *worker != app.0.home);
        Ok(Waits::together(found.into_iter().map(|(_, waits)| waits)))
    }
}

impl Stepped {
    /// Returns why an application waits now, as [`FairScheduler::why_waiting`].
    pub fn why_waiting(&mut self, app: &AppHandle) -> Vec<FairReason> {
        self.why(app, None)
    }

    /// As [`why_waiting`](Self::why_waiting) for one node: see [`FairScheduler::why_waiting_on`].
    ///
    /// # Errors
    /// [`Refused::NoSuchNode`].
    pub fn why_waiting_on(&mut self, app: &AppHandle, node: &NodeHandle) -> Result<Vec<FairReason>, Refused> {
        if !node.stands_in(&self.shared().nodes.lock()) {
            return Err(Refused::NoSuchNode(node.0.name.to_string()));
        }
        Ok(self.why(app, Some(node)))
    }

    fn why(&mut self, app: &AppHandle, node: Option<&NodeHandle>) -> Vec<FairReason> {
        if let Some(why) = self.stepper().control().why_stopped(&app.0) {
            return stopped(why);
        }
        let look = |shard: &mut Shard| shard.why_waiting(&app.0, node.map(|node| &*node.0));
        let mut found: Vec<_> = self.stepper().shards().map(|shard| (shard.id(), look(shard))).collect();
        found.sort_by_key(|(worker, _)| *worker != app.0.home);
        Waits::together(found.into_iter().map(|(_, waits)| waits))
    }
}
