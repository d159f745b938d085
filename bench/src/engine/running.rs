//! A scheduler with threads under load: a FairScheduler or a CapacityScheduler.

use std::fmt;

use evenweave_tools::figures::QueueFigures;

use super::figures::{AppFigures, Totals};
use super::under_load::{Engine, Pending, finish_soon};
use crate::api::{
    AllocateRequest, Allocation, AppHandle, Heartbeat, Label, LabelView, Location, NewNode, NodeHandle, NodeView,
    NotSent, Policy, Refused, Resource, Scheduler, Submission,
};

/// What the load needs of each of the two in its own way.
pub(crate) trait Loaded:
    Policy<QueueView: Into<QueueFigures>, AppView: Into<AppFigures>, Stats: Into<Totals>>
{
    /// A queue. `has_plans`: plans are followed.
    fn queue(view: Self::QueueView, _has_plans: bool) -> QueueFigures {
        view.into()
    }

    /// The file of queues is another from now on.
    fn reload(scheduler: &Scheduler<Self>, text: &str) -> Result<(), Refused>;

    /// What is asked for and not granted, as the scheduler last worked it out.
    fn pending(running: &Running<Self>) -> Resource;

    /// Of every kind of record inside what does not add up.
    fn audit(scheduler: &Scheduler<Self>) -> Result<Vec<String>, Refused>;

    /// What helps the calls that come next.
    fn prefetch_calls(_: &Scheduler<Self>, _apps: &[AppHandle], _next: &[u32]) {}
}

/// See the module's text.
pub(crate) struct Running<P: Loaded> {
    pub(super) scheduler: Scheduler<P>,
    /// Plans are followed: jobs are sent to them, and not to the queues below, which come and go.
    pub(super) has_plans: bool,
    /// Of the nodes' NodeManagers, where nodes may have labels: these go by host and port.
    pub(super) port: Option<u16>,
}

impl<P: Loaded> fmt::Debug for Running<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Running")
    }
}

impl<P: Loaded> Running<P> {
    /// The scheduler itself, for what the load does not need of every engine.
    pub(crate) fn scheduler(&self) -> Scheduler<P> {
        self.scheduler.clone()
    }
}

impl<P: Loaded> Engine for Running<P> {
    fn add_node(&self, name: &str, rack: &str, total: Resource) -> Result<NodeHandle, String> {
        let added = match self.port {
            None => self.scheduler.add_node(name, rack, total),
            Some(port) => {
                let node = NewNode::new(name, rack, total).with_port(port);
                self.scheduler.register_node(node, Vec::new()).map(|(node, _)| node)
            }
        };
        added.map_err(|error| error.to_string())
    }

    fn submit_all(&self, submissions: Vec<Submission>) -> Result<Pending, String> {
        let submitted = self.scheduler.submit_all(submissions).map_err(|refusal| refusal.to_string())?;
        Ok(Box::new(move || {
            let answers = submitted.try_take()?;
            Some(answers.into_iter().map(|answer| answer.map_err(|refusal| refusal.to_string())).collect())
        }))
    }

    fn reload(&self, text: &str) -> Result<(), String> {
        P::reload(&self.scheduler, text).map_err(|error| error.to_string())
    }

    fn location(&self, name: &str) -> Location {
        self.scheduler.location(name)
    }

    fn label(&self, name: &str) -> Label {
        self.scheduler.label(name)
    }

    fn labels(&self) -> Vec<LabelView> {
        self.scheduler.labels().unwrap_or_default()
    }

    fn heartbeat(&self, heartbeat: Heartbeat) -> Result<(), Box<NotSent<Heartbeat>>> {
        self.scheduler.heartbeat(heartbeat)
    }

    fn heartbeats(&self, batch: Vec<Heartbeat>) -> Result<(), Vec<Heartbeat>> {
        self.scheduler.heartbeats(batch).map_err(|not_sent| not_sent.returned)
    }

    fn prefetch_calls(&self, apps: &[AppHandle], next: &[u32]) {
        P::prefetch_calls(&self.scheduler, apps, next);
    }

    fn allocate(&self, app: &AppHandle, request: &AllocateRequest, answer: &mut Allocation) -> Result<(), Refused> {
        self.scheduler.allocate(app, request, answer)
    }

    fn finish(&self, app: &AppHandle) -> Result<(), String> {
        // Without waiting: the books are looked at once the scheduler is quiet.
        finish_soon(|| self.scheduler.begin_finish(app)).map_err(|error| error.to_string())
    }

    fn queues(&self) -> Vec<QueueFigures> {
        // It is asked again where the scheduler is being shut down.
        let views = self.scheduler.queues().unwrap_or_default();
        views.into_iter().map(|view| P::queue(view, self.has_plans)).collect()
    }

    fn apps(&self) -> Vec<AppFigures> {
        self.scheduler.apps().unwrap_or_default().into_iter().map(Into::into).collect()
    }

    fn nodes(&self) -> Vec<NodeView> {
        self.scheduler.nodes()
    }

    fn stats(&self) -> Totals {
        self.scheduler.stats().into()
    }

    fn pending(&self) -> Resource {
        P::pending(self)
    }

    // Why one of these has not been done is an event, and the audit finds what it leaves.

    fn update_now(&self) {
        let _ = self.scheduler.update_now();
    }

    fn quiesce(&self) {
        let _ = self.scheduler.quiesce();
    }

    fn audit(&self) -> Vec<String> {
        P::audit(&self.scheduler).unwrap_or_else(|refused| vec![refused.to_string()])
    }

    fn shutdown(&self) {
        let _ = self.scheduler.shutdown();
    }
}
