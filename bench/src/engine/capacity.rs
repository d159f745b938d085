//! The CapacityScheduler under load.

use super::figures::{AppFigures, QueueFigures, Totals};
use super::under_load::{CLUSTER_TIMESTAMP, Engine, Pending, Wake, finish_soon};
use crate::api::{
    AllocateRequest, Allocation, AppHandle, CapacityConfiguration, CapacityQueueKind, CapacityQueueView,
    CapacityScheduler, Groups, Heartbeat, HeartbeatProbe, Location, NodeHandle, NodeView, NotSent, Refused, Resource,
    SiteFile, Submission,
};
use std::fmt;
use std::sync::Arc;

/// What it is made from.
pub(crate) struct CapacityParts {
    pub(crate) configuration: CapacityConfiguration,
    pub(crate) workers: usize,
    /// How far workers may be apart, if not as by default.
    pub(crate) fold_every: Option<u32>,
    pub(crate) groups: Option<Arc<dyn Groups>>,
    pub(crate) probe: Arc<dyn HeartbeatProbe>,
    pub(crate) wake: Option<Wake>,
}

/// The threaded CapacityScheduler.
pub(crate) struct Capacity {
    scheduler: CapacityScheduler,
    /// Plans are followed: jobs are sent to them, and not to the queues below, which come and go.
    has_plans: bool,
}

impl fmt::Debug for Capacity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Capacity")
    }
}

impl Capacity {
    /// Starts the scheduler's threads.
    ///
    /// # Errors
    /// What the core says against the configuration.
    pub(crate) fn start(parts: CapacityParts) -> Result<Capacity, String> {
        let mut builder =
            CapacityScheduler::builder(parts.configuration).cluster_timestamp(CLUSTER_TIMESTAMP).probe(parts.probe);
        builder = builder.workers(parts.workers);
        if let Some(changes) = parts.fold_every {
            builder = builder.fold_every(changes);
        }
        if let Some(groups) = parts.groups {
            builder = builder.groups(groups);
        }
        if let Some(wake) = parts.wake {
            builder = builder.on_grants(wake);
        }
        let scheduler = builder.start().map_err(|error| error.to_string())?;
        // A plan takes applications from the follower's first run on.
        scheduler.follow_plans().map_err(|error| error.to_string())?;
        let has_plans = scheduler.plan_capacities().is_ok();
        Ok(Capacity { scheduler, has_plans })
    }

    /// The scheduler itself.
    pub(crate) fn scheduler(&self) -> CapacityScheduler {
        self.scheduler.clone()
    }
}

impl Engine for Capacity {
    fn add_node(&self, name: &str, rack: &str, total: Resource) -> Result<NodeHandle, String> {
        self.scheduler.add_node(name, rack, total).map_err(|error| error.to_string())
    }

    fn submit_all(&self, submissions: Vec<Submission>) -> Result<Pending, String> {
        // One after the other: each waits for the control.
        let submit = |submission| self.scheduler.submit(submission).map_err(|refused| refused.to_string());
        let mut answers = Some(submissions.into_iter().map(submit).collect());
        Ok(Box::new(move || answers.take()))
    }

    fn reload(&self, text: &str) -> Result<(), String> {
        let file = SiteFile::parse(text, "capacity-scheduler.xml").map_err(|error| error.to_string())?;
        self.scheduler.refresh_properties(file.pairs()).map_err(|error| error.to_string())
    }

    fn location(&self, name: &str) -> Location {
        self.scheduler.location(name)
    }

    fn heartbeat(&self, heartbeat: Heartbeat) -> Result<(), Box<NotSent<Heartbeat>>> {
        self.scheduler.heartbeat(heartbeat)
    }

    fn heartbeats(&self, batch: Vec<Heartbeat>) -> Result<(), Vec<Heartbeat>> {
        self.scheduler.heartbeats(batch).map_err(|not_sent| not_sent.returned)
    }

    fn allocate(&self, app: &AppHandle, request: &AllocateRequest, answer: &mut Allocation) -> Result<(), Refused> {
        self.scheduler.allocate(app, request, answer)
    }

    fn finish(&self, app: &AppHandle) -> Result<(), String> {
        finish_soon(|| self.scheduler.begin_finish(app)).map_err(|error| error.to_string())
    }

    fn queues(&self) -> Vec<QueueFigures> {
        // It is asked again where the scheduler is being shut down.
        let views = self.scheduler.queues().unwrap_or_default();
        let figures = |view: CapacityQueueView| {
            let kind = view.configured.kind;
            let figures = QueueFigures::from(view);
            let leaf = match kind {
                CapacityQueueKind::Plan => self.has_plans,
                CapacityQueueKind::Reservation => !self.has_plans && figures.leaf,
                CapacityQueueKind::Leaf | CapacityQueueKind::Parent | CapacityQueueKind::ManagedParent => figures.leaf,
            };
            QueueFigures { leaf, ..figures }
        };
        views.into_iter().map(figures).collect()
    }

    fn apps(&self) -> Vec<AppFigures> {
        self.scheduler.apps().unwrap_or_default().into_iter().map(AppFigures::from).collect()
    }

    fn nodes(&self) -> Vec<NodeView> {
        self.scheduler.nodes()
    }

    fn stats(&self) -> Totals {
        self.scheduler.stats().into()
    }

    fn pending(&self) -> Resource {
        self.queues().first().map_or(Resource::ZERO, |root| root.demand.minus(&root.usage))
    }

    fn update_now(&self) {}

    fn quiesce(&self) {
        self.scheduler.quiesce();
    }

    fn audit(&self) -> Vec<String> {
        self.scheduler.audit().map_or_else(|refused| vec![refused.to_string()], |audit| audit.wrong)
    }

    fn shutdown(&self) {
        self.scheduler.shutdown();
    }
}
