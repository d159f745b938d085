//! The scheduler that is simulated: either of the two without threads, behind one set of calls.

use std::collections::BTreeMap;
use std::time::Duration;

use super::record::WrittenRun;
use super::scribe::Scribe;
use crate::api::{
    AllocateRequest, Allocation, AppHandle, CapacityStepped, CoreWords, Followed, Heartbeat, Location, NodeHandle,
    Refused, Reservation, ReservationId, ReservationQuery, ReservationSubmission, ReserveError, Resource,
    ResourceTypes, SchedulerEvent, Stepped, Submission,
};
use crate::engine::QueueFigures;
use crate::failure::Failure;

/// Which of the two it is.
#[derive(Debug)]
enum Core {
    Fair(Box<Stepped>),
    Capacity(Box<CapacityStepped>),
}

/// See the module's text.
#[derive(Debug)]
pub(super) struct Scheduler {
    core: Core,
    /// Who notes the calls.
    scribe: Option<Box<Scribe>>,
}

impl Scheduler {
    pub(super) fn fair(core: Stepped, scribe: Option<Scribe>) -> Scheduler {
        Scheduler { core: Core::Fair(Box::new(core)), scribe: scribe.map(Box::new) }
    }

    pub(super) fn capacity(core: CapacityStepped, scribe: Option<Scribe>) -> Scheduler {
        Scheduler { core: Core::Capacity(Box::new(core)), scribe: scribe.map(Box::new) }
    }

    /// Who notes the calls, while somebody does.
    fn scribe(&mut self) -> Option<&mut Scribe> {
        self.scribe.as_deref_mut().filter(|scribe| scribe.is_on())
    }

    /// What was noted, as a scenario on one line.
    ///
    /// # Errors
    /// Where it does not come to what the run came to.
    pub(super) fn take_scenario(&mut self) -> Result<Option<WrittenRun>, Failure> {
        self.scribe.take().map(|scribe| scribe.written()).transpose()
    }

    pub(super) fn location(&self, name: &str) -> Location {
        let place = match &self.core {
            Core::Fair(core) => core.location(name),
            Core::Capacity(core) => core.location(name),
        };
        if let Some(scribe) = &self.scribe {
            scribe.named(place, name);
        }
        place
    }

    pub(super) fn add_node(&mut self, name: &str, rack: &str, total: Resource) -> Result<NodeHandle, Refused> {
        let node = match &mut self.core {
            Core::Fair(core) => core.add_node(name, rack, total),
            Core::Capacity(core) => core.add_node(name, rack, total),
        }?;
        if let Some(scribe) = self.scribe() {
            scribe.node_added(&node, &total);
        }
        Ok(node)
    }

    pub(super) fn remove_node(&mut self, node: &NodeHandle) -> Result<(), Refused> {
        match &mut self.core {
            Core::Fair(core) => core.remove_node(node),
            Core::Capacity(core) => core.remove_node(node),
        }?;
        if let Some(scribe) = self.scribe() {
            scribe.node_removed(node);
        }
        Ok(())
    }

    pub(super) fn resize_node(&mut self, node: &NodeHandle, total: Resource) -> Result<(), Refused> {
        match &mut self.core {
            Core::Fair(core) => core.resize_node(node, total),
            Core::Capacity(core) => core.resize_node(node, total),
        }?;
        if let Some(scribe) = self.scribe() {
            scribe.node_resized(node, &total);
        }
        Ok(())
    }

    pub(super) fn heartbeat(&mut self, heartbeat: &Heartbeat, node: &NodeHandle) {
        if let Some(scribe) = self.scribe() {
            scribe.heartbeat(heartbeat, node);
        }
        match &mut self.core {
            Core::Fair(core) => core.heartbeat(heartbeat),
            Core::Capacity(core) => core.heartbeat(heartbeat),
        }
    }

    /// `am`: what its AM asks for, if it has a container; `job`: its name in the trace.
    pub(super) fn submit(
        &mut self,
        submission: &Submission,
        am: Option<&Resource>,
        job: &str,
    ) -> Result<AppHandle, Refused> {
        let app = match &mut self.core {
            Core::Fair(core) => core.submit(submission),
            Core::Capacity(core) => core.submit(submission),
        };
        if let Some(scribe) = self.scribe() {
            scribe.submitted(submission, am, job);
            if app.is_err() {
                scribe.refused();
            }
        }
        app
    }

    pub(super) fn allocate(
        &mut self,
        app: &AppHandle,
        request: &AllocateRequest,
        answer: &mut Allocation,
    ) -> Result<(), Refused> {
        let outcome = match &mut self.core {
            Core::Fair(core) => core.allocate(app, request, answer),
            Core::Capacity(core) => core.allocate(app, request, answer),
        };
        if let Some(scribe) = self.scribe() {
            scribe.calls(app, request, outcome.is_err());
            if outcome.is_err() {
                scribe.refused();
            }
        }
        if let Some(scribe) = self.scribe.as_deref_mut().filter(|_| outcome.is_ok()) {
            scribe.told(answer);
        }
        outcome
    }

    /// What is in an application's mailbox.
    pub(super) fn fetch(&mut self, app: &AppHandle, answer: &mut Allocation) -> Result<(), Refused> {
        match &mut self.core {
            Core::Fair(core) => core.fetch(app, answer),
            Core::Capacity(core) => core.fetch(app, answer),
        }?;
        if let Some(scribe) = &mut self.scribe {
            scribe.fetched(app, answer);
        }
        Ok(())
    }

    pub(super) fn finish(&mut self, app: &AppHandle) -> Result<(), Refused> {
        if let Some(scribe) = self.scribe() {
            scribe.finishes(app);
        }
        match &mut self.core {
            Core::Fair(core) => core.finish(app),
            Core::Capacity(core) => core.finish(app),
        }
    }

    /// What time has made due: containers that nobody has launched.
    pub(super) fn tick(&mut self) {
        match &mut self.core {
            Core::Fair(core) => core.tick(),
            Core::Capacity(core) => core.tick(),
        }
    }

    /// Demand and shares; the CapacityScheduler has no such step.
    pub(super) fn update(&mut self) {
        if let Core::Fair(core) = &mut self.core {
            core.update_now();
        }
        if let Some(scribe) = self.scribe() {
            scribe.updated();
        }
    }

    /// A round of preemption: how many containers it marks.
    pub(super) fn preempt(&mut self) -> Result<usize, Refused> {
        let marked = match &mut self.core {
            Core::Fair(core) => core.preempt()?.iter().map(|round| round.containers.len()).sum(),
            Core::Capacity(core) => core.preempt().map(|marked| marked.len())?,
        };
        if let Some(scribe) = self.scribe() {
            scribe.marked(marked);
        }
        Ok(marked)
    }

    /// Ends what was marked long enough ago; of the CapacityScheduler its round does.
    pub(super) fn kill_due(&mut self) -> Result<(), Refused> {
        if let Some(scribe) = self.scribe() {
            scribe.kills();
        }
        match &mut self.core {
            Core::Fair(core) => core.kill_due(),
            Core::Capacity(_) => Ok(()),
        }
    }

    /// Offers all nodes: a pass of continuous scheduling, or a round of asynchronous scheduling that begins at a node.
    pub(super) fn offer_all(&mut self, first: usize) {
        match &mut self.core {
            Core::Fair(core) => core.offer_all(),
            Core::Capacity(core) => core.offer_all_from(first),
        }
        if let Some(scribe) = self.scribe() {
            scribe.offered(first);
        }
    }

    pub(super) fn queues(&mut self) -> Vec<QueueFigures> {
        if matches!(self.core, Core::Capacity(_))
            && let Some(scribe) = self.scribe()
        {
            // So that the scenario shows them, too.
            scribe.updated();
        }
        match &mut self.core {
            Core::Fair(core) => core.queues().into_iter().map(QueueFigures::from).collect(),
            Core::Capacity(core) => core.queues().into_iter().map(QueueFigures::from).collect(),
        }
    }

    /// What an application waits for, in words; nothing where it waits for nothing.
    pub(super) fn waits_for(&mut self, app: &AppHandle, types: &ResourceTypes) -> Option<String> {
        match &mut self.core {
            Core::Fair(core) => {
                core.why_waiting(app).first().map(|reason| CoreWords::new(types).wait(&reason.wait).to_string())
            }
            Core::Capacity(core) => core.why_waiting(app).first().map(|reason| reason.wait.to_string()),
        }
    }

    /// A name for a new reservation.
    pub(super) fn reserve_new(&mut self) -> Result<ReservationId, ReserveError> {
        match &mut self.core {
            Core::Fair(core) => core.reserve_new(),
            Core::Capacity(core) => core.reserve_new(),
        }
    }

    pub(super) fn reserve_submit(
        &mut self,
        user: &str,
        request: &ReservationSubmission<'_>,
    ) -> Result<(), ReserveError> {
        match &mut self.core {
            Core::Fair(core) => core.reserve_submit(user, request),
            Core::Capacity(core) => core.reserve_submit(user, request),
        }
    }

    pub(super) fn reserve_list(
        &mut self,
        user: &str,
        query: &ReservationQuery<'_>,
    ) -> Result<Vec<Reservation>, ReserveError> {
        match &mut self.core {
            Core::Fair(core) => core.reserve_list(user, query),
            Core::Capacity(core) => core.reserve_list(user, query),
        }
    }

    /// A run of the follower: what it did to each plan.
    pub(super) fn follow_plans(&mut self) -> Result<BTreeMap<String, Followed>, ReserveError> {
        match &mut self.core {
            Core::Fair(core) => core.follow_plans(),
            Core::Capacity(core) => core.follow_plans(),
        }
    }

    /// How often the follower is due.
    pub(super) fn plan_step(&mut self) -> Result<Duration, ReserveError> {
        match &mut self.core {
            Core::Fair(core) => core.plan_step(),
            Core::Capacity(core) => core.plan_step(),
        }
    }

    /// Each plan, and what may be promised of its memory, MiB; none where there is no reservation system.
    pub(super) fn plans(&mut self) -> Vec<(String, i64)> {
        let plans = match &mut self.core {
            Core::Fair(core) => core.plan_capacities(),
            Core::Capacity(core) => core.plan_capacities(),
        };
        let plans = plans.unwrap_or_default().into_iter();
        plans.map(|(name, capacity)| (name, capacity.memory_mb())).collect()
    }

    /// What the scheduler tells by itself.
    pub(super) fn next_event(&mut self) -> Option<SchedulerEvent> {
        match &mut self.core {
            Core::Fair(core) => core.next_event(),
            Core::Capacity(core) => core.next_event(),
        }
    }

    /// How many reservations there have been.
    pub(super) fn reservations(&self) -> u64 {
        match &self.core {
            Core::Fair(core) => core.stats().reservations,
            Core::Capacity(core) => core.stats().reservations,
        }
    }
}
