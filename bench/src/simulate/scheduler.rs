//! The scheduler that is simulated: either of the two without threads, behind one set of calls.

use crate::api::{
    AllocateRequest, Allocation, AppHandle, CapacityStepped, Heartbeat, Location, NodeHandle, Refused, Resource,
    Stepped, Submission,
};
use crate::engine::QueueFigures;

/// See the module's text.
#[derive(Debug)]
pub(super) enum Scheduler {
    Fair(Box<Stepped>),
    Capacity(Box<CapacityStepped>),
}

impl Scheduler {
    pub(super) fn location(&self, name: &str) -> Location {
        match self {
            Scheduler::Fair(core) => core.location(name),
            Scheduler::Capacity(core) => core.location(name),
        }
    }

    pub(super) fn add_node(&mut self, name: &str, rack: &str, total: Resource) -> Result<NodeHandle, Refused> {
        match self {
            Scheduler::Fair(core) => core.add_node(name, rack, total),
            Scheduler::Capacity(core) => core.add_node(name, rack, total),
        }
    }

    pub(super) fn remove_node(&mut self, node: &NodeHandle) -> Result<(), Refused> {
        match self {
            Scheduler::Fair(core) => core.remove_node(node),
            Scheduler::Capacity(core) => core.remove_node(node),
        }
    }

    pub(super) fn resize_node(&mut self, node: &NodeHandle, total: Resource) -> Result<(), Refused> {
        match self {
            Scheduler::Fair(core) => core.resize_node(node, total),
            Scheduler::Capacity(core) => core.resize_node(node, total),
        }
    }

    pub(super) fn heartbeat(&mut self, heartbeat: &Heartbeat) {
        match self {
            Scheduler::Fair(core) => core.heartbeat(heartbeat),
            Scheduler::Capacity(core) => core.heartbeat(heartbeat),
        }
    }

    pub(super) fn submit(&mut self, submission: &Submission) -> Result<AppHandle, Refused> {
        match self {
            Scheduler::Fair(core) => core.submit(submission),
            Scheduler::Capacity(core) => core.submit(submission),
        }
    }

    pub(super) fn allocate(
        &mut self,
        app: &AppHandle,
        request: &AllocateRequest,
        answer: &mut Allocation,
    ) -> Result<(), Refused> {
        match self {
            Scheduler::Fair(core) => core.allocate(app, request, answer),
            Scheduler::Capacity(core) => core.allocate(app, request, answer),
        }
    }

    /// What is in an application's mailbox.
    pub(super) fn fetch(&mut self, app: &AppHandle, answer: &mut Allocation) -> Result<(), Refused> {
        match self {
            Scheduler::Fair(core) => core.fetch(app, answer),
            Scheduler::Capacity(core) => core.fetch(app, answer),
        }
    }

    pub(super) fn finish(&mut self, app: &AppHandle) -> Result<(), Refused> {
        match self {
            Scheduler::Fair(core) => core.finish(app),
            Scheduler::Capacity(core) => core.finish(app),
        }
    }

    /// What time has made due: containers that nobody has launched.
    pub(super) fn tick(&mut self) {
        match self {
            Scheduler::Fair(core) => core.tick(),
            Scheduler::Capacity(core) => core.tick(),
        }
    }

    /// Demand and shares; the CapacityScheduler has no such step.
    pub(super) fn update(&mut self) {
        if let Scheduler::Fair(core) = self {
            core.update_now();
        }
    }

    /// A round of preemption: how many containers it marks.
    pub(super) fn preempt(&mut self) -> Result<usize, Refused> {
        match self {
            Scheduler::Fair(core) => Ok(core.preempt(false)?.iter().map(|round| round.containers.len()).sum()),
            Scheduler::Capacity(core) => core.preempt().map(|marked| marked.len()),
        }
    }

    /// Ends what was marked long enough ago; of the CapacityScheduler its round does.
    pub(super) fn kill_due(&mut self) -> Result<(), Refused> {
        match self {
            Scheduler::Fair(core) => core.kill_due(),
            Scheduler::Capacity(_) => Ok(()),
        }
    }

    /// Offers all nodes: a pass of continuous scheduling, or a round of asynchronous scheduling that begins at a node.
    pub(super) fn offer_all(&mut self, first: usize) {
        match self {
            Scheduler::Fair(core) => core.continuous(),
            Scheduler::Capacity(core) => core.offer_all(first),
        }
    }

    pub(super) fn queues(&mut self) -> Vec<QueueFigures> {
        match self {
            Scheduler::Fair(core) => core.queues().into_iter().map(QueueFigures::from).collect(),
            Scheduler::Capacity(core) => core.queues(false).into_iter().map(QueueFigures::from).collect(),
        }
    }

    /// How many reservations there have been.
    pub(super) fn reservations(&self) -> u64 {
        match self {
            Scheduler::Fair(core) => core.stats().reservations,
            Scheduler::Capacity(core) => core.stats().reservations,
        }
    }
}
