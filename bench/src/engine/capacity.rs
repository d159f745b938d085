//! The CapacityScheduler under load.

use std::sync::Arc;

use evenweave_tools::figures::QueueFigures;

use super::running::{Loaded, Running};
use super::under_load::{CLUSTER_TIMESTAMP, Engine, NODE_PORT, Wake};
use crate::api::{
    Capacity as CapacityPolicy, CapacityConfiguration, CapacityQueueKind, CapacityQueueView, CapacityScheduler,
    CapacitySchedulerBuilder, Groups, HeartbeatProbe, Refused, Resource, StoredLabels, Worker,
};

/// What it is made from.
pub(crate) struct CapacityParts {
    pub(crate) configuration: CapacityConfiguration,
    pub(crate) workers: usize,
    /// How far workers may be apart, if not as by default.
    pub(crate) fold_every: Option<u32>,
    /// How many containers somebody may be ahead so that workers serve their own, if not as by default.
    pub(crate) slack: Option<u32>,
    pub(crate) groups: Option<Arc<dyn Groups>>,
    /// The node labels that there are from the beginning, and the nodes that have one.
    pub(crate) labels: StoredLabels,
    pub(crate) probe: Arc<dyn HeartbeatProbe>,
    pub(crate) wake: Option<Wake>,
}

/// The threaded CapacityScheduler.
pub(crate) type Capacity = Running<CapacityPolicy>;

impl Capacity {
    /// Starts the scheduler's threads.
    ///
    /// # Errors
    /// What the core says against the configuration.
    pub(crate) fn start(parts: CapacityParts) -> Result<Capacity, String> {
        let scheduler = builder(parts).start().map_err(|error| error.to_string())?;
        Capacity::of(scheduler)
    }

    /// The same, but for its workers, which are the caller's to poll.
    ///
    /// # Errors
    /// What the core says against the configuration.
    pub(crate) fn start_with_workers(parts: CapacityParts) -> Result<(Capacity, Vec<Worker>), String> {
        let (scheduler, workers) = builder(parts).start_with_workers().map_err(|error| error.to_string())?;
        Ok((Capacity::of(scheduler)?, workers))
    }

    fn of(scheduler: CapacityScheduler) -> Result<Capacity, String> {
        // A plan takes applications from the follower's first run on.
        scheduler.follow_plans().map_err(|error| error.to_string())?;
        let has_plans = scheduler.plan_capacities().is_ok();
        let has_labels = !scheduler.labels().map_err(|error| error.to_string())?.is_empty();
        Ok(Capacity { scheduler, has_plans, port: has_labels.then_some(NODE_PORT) })
    }
}

fn builder(parts: CapacityParts) -> CapacitySchedulerBuilder {
    let mut builder =
        CapacityScheduler::builder(parts.configuration).cluster_timestamp(CLUSTER_TIMESTAMP).probe(parts.probe);
    builder = builder.workers(parts.workers).labels(parts.labels);
    if let Some(changes) = parts.fold_every {
        builder = builder.fold_every(changes);
    }
    if let Some(containers) = parts.slack {
        builder = builder.slack(containers);
    }
    if let Some(groups) = parts.groups {
        builder = builder.groups(groups);
    }
    if let Some(wake) = parts.wake {
        builder = builder.on_grants(wake);
    }
    builder
}

impl Loaded for CapacityPolicy {
    fn queue(view: CapacityQueueView, has_plans: bool) -> QueueFigures {
        let kind = view.configured.kind;
        let figures = QueueFigures::from(view);
        let leaf = match kind {
            CapacityQueueKind::Plan => has_plans,
            CapacityQueueKind::Reservation => !has_plans && figures.leaf,
            CapacityQueueKind::Leaf | CapacityQueueKind::Parent | CapacityQueueKind::ManagedParent => figures.leaf,
        };
        QueueFigures { leaf, ..figures }
    }

    fn reload(scheduler: &CapacityScheduler, text: &str) -> Result<(), Refused> {
        scheduler.refresh_queues(text).map(drop)
    }

    fn pending(running: &Capacity) -> Resource {
        running.queues().first().map_or(Resource::ZERO, |root| root.demand.minus(&root.usage))
    }

    fn audit(scheduler: &CapacityScheduler) -> Result<Vec<String>, Refused> {
        Ok(scheduler.audit()?.wrong)
    }
}
