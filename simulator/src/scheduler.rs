//! The scheduler that is simulated: either of the two without threads, behind one set of calls.

use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;

use evenweave_tools::Failure;
use evenweave_tools::figures::QueueFigures;

use super::cluster::NodeSpec;
use super::record::WrittenRun;
use super::scribe::Scribe;
use crate::api::{
    AllocateRequest, Allocation, AppHandle, CapacityStepped, CoreWords, Followed, Heartbeat, Location, NodeHandle,
    PreemptionRound, Refused, Reservation, ReservationId, ReservationQuery, ReservationSubmission, ReserveError,
    Resource, ResourceTypes, SchedulerApi, SchedulerEvent, Stepped, Submission,
};

/// What a simulation needs of each of the two in its own way.
trait Simulated: SchedulerApi + fmt::Debug {
    fn report(&mut self, heartbeat: &Heartbeat);

    fn figures(&mut self) -> Vec<QueueFigures>;

    /// Of the first reason for which an application waits.
    fn waits_for(&mut self, app: &AppHandle, types: &ResourceTypes) -> Option<String>;

    /// How many reservations of nodes there have been.
    fn reserved(&self) -> u64;
}

impl Simulated for Stepped {
    fn report(&mut self, heartbeat: &Heartbeat) {
        self.heartbeat(heartbeat);
    }

    fn figures(&mut self) -> Vec<QueueFigures> {
        self.queues().into_iter().map(QueueFigures::from).collect()
    }

    fn waits_for(&mut self, app: &AppHandle, types: &ResourceTypes) -> Option<String> {
        self.why_waiting(app).first().map(|reason| CoreWords::new(types).wait(&reason.wait).to_string())
    }

    fn reserved(&self) -> u64 {
        self.stats().reservations
    }
}

impl Simulated for CapacityStepped {
    fn report(&mut self, heartbeat: &Heartbeat) {
        self.heartbeat(heartbeat);
    }

    fn figures(&mut self) -> Vec<QueueFigures> {
        self.queues().into_iter().map(QueueFigures::from).collect()
    }

    fn waits_for(&mut self, app: &AppHandle, _: &ResourceTypes) -> Option<String> {
        self.why_waiting(app).first().map(|reason| reason.wait.to_string())
    }

    fn reserved(&self) -> u64 {
        self.stats().reservations
    }
}

/// See the module's text.
#[derive(Debug)]
pub(super) struct Scheduler {
    core: Box<dyn Simulated>,
    /// A look at the queues is a step of the scenario, so that it shows them, too.
    looks_are_steps: bool,
    /// Who notes the calls.
    scribe: Option<Box<Scribe>>,
}

impl Scheduler {
    pub(super) fn fair(core: Stepped, scribe: Option<Scribe>) -> Scheduler {
        Scheduler { core: Box::new(core), looks_are_steps: false, scribe: scribe.map(Box::new) }
    }

    pub(super) fn capacity(core: CapacityStepped, scribe: Option<Scribe>) -> Scheduler {
        Scheduler { core: Box::new(core), looks_are_steps: true, scribe: scribe.map(Box::new) }
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
        let place = self.core.location(name);
        if let Some(scribe) = &self.scribe {
            scribe.named(place, name);
        }
        place
    }

    pub(super) fn add_node(&mut self, spec: &NodeSpec) -> Result<NodeHandle, Refused> {
        if !spec.label.is_empty() {
            self.core.set_node_labels(&[(&spec.name, &[&spec.label])])?;
        }
        let node = self.core.add_node(&spec.name, &spec.rack, spec.total)?;
        if let Some(scribe) = self.scribe() {
            scribe.node_added(&node, &spec.total, &spec.label);
        }
        Ok(node)
    }

    pub(super) fn remove_node(&mut self, node: &NodeHandle) -> Result<(), Refused> {
        self.core.remove_node(node)?;
        if let Some(scribe) = self.scribe() {
            scribe.node_removed(node);
        }
        Ok(())
    }

    pub(super) fn resize_node(&mut self, node: &NodeHandle, total: Resource) -> Result<(), Refused> {
        self.core.resize_node(node, total)?;
        if let Some(scribe) = self.scribe() {
            scribe.node_resized(node, &total);
        }
        Ok(())
    }

    pub(super) fn heartbeat(&mut self, heartbeat: &Heartbeat, node: &NodeHandle) {
        if let Some(scribe) = self.scribe() {
            scribe.heartbeat(heartbeat, node);
        }
        self.core.report(heartbeat)
    }

    /// `am`: what its AM asks for, if it has a container; `job`: its name in the trace.
    pub(super) fn submit(
        &mut self,
        submission: &Submission,
        am: Option<&Resource>,
        job: &str,
    ) -> Result<AppHandle, Refused> {
        let app = self.core.submit(submission.clone());
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
        let outcome = self.core.allocate(app, request, answer);
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
        self.core.fetch(app, answer)?;
        if let Some(scribe) = &mut self.scribe {
            scribe.fetched(app, answer);
        }
        Ok(())
    }

    pub(super) fn finish(&mut self, app: &AppHandle) -> Result<(), Refused> {
        if let Some(scribe) = self.scribe() {
            scribe.finishes(app);
        }
        self.core.finish(app)
    }

    /// What time has made due: containers that nobody has launched.
    pub(super) fn tick(&mut self) {
        self.core.tick()
    }

    /// Demand and shares; the CapacityScheduler has no such step.
    pub(super) fn update(&mut self) {
        // Without threads nothing keeps it from computing.
        let _ = self.core.update_now();
        if let Some(scribe) = self.scribe() {
            scribe.updated();
        }
    }

    /// A round of preemption: how many containers it marks.
    pub(super) fn preempt(&mut self) -> Result<usize, Refused> {
        let marked = self.core.preempt()?.iter().map(PreemptionRound::count).sum();
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
        self.core.kill_due()
    }

    /// Offers all nodes: a pass of continuous scheduling, or a round of asynchronous scheduling that begins at a node.
    pub(super) fn offer_all(&mut self, first: usize) {
        // Without threads nothing keeps it from offering.
        let _ = self.core.offer_all_from(first);
        if let Some(scribe) = self.scribe() {
            scribe.offered(first);
        }
    }

    pub(super) fn queues(&mut self) -> Vec<QueueFigures> {
        if self.looks_are_steps
            && let Some(scribe) = self.scribe()
        {
            scribe.updated();
        }
        self.core.figures()
    }

    /// What an application waits for, in words; nothing where it waits for nothing.
    pub(super) fn waits_for(&mut self, app: &AppHandle, types: &ResourceTypes) -> Option<String> {
        self.core.waits_for(app, types)
    }

    /// A name for a new reservation.
    pub(super) fn reserve_new(&mut self) -> Result<ReservationId, ReserveError> {
        self.core.reserve_new()
    }

    pub(super) fn reserve_submit(
        &mut self,
        user: &str,
        request: &ReservationSubmission<'_>,
    ) -> Result<(), ReserveError> {
        self.core.reserve_submit(user, request)
    }

    pub(super) fn reserve_list(
        &mut self,
        user: &str,
        query: &ReservationQuery<'_>,
    ) -> Result<Vec<Reservation>, ReserveError> {
        self.core.reserve_list(user, query)
    }

    /// A run of the follower: what it did to each plan.
    pub(super) fn follow_plans(&mut self) -> Result<BTreeMap<String, Followed>, ReserveError> {
        self.core.follow_plans()
    }

    /// How often the follower is due.
    pub(super) fn plan_step(&mut self) -> Result<Duration, ReserveError> {
        self.core.plan_step()
    }

    /// Each plan, and what may be promised of its memory, MiB; none where there is no reservation system.
    pub(super) fn plans(&mut self) -> Vec<(String, i64)> {
        let plans = self.core.plan_capacities();
        let plans = plans.unwrap_or_default().into_iter();
        plans.map(|(name, capacity)| (name, capacity.memory_mb())).collect()
    }

    /// What the scheduler tells by itself.
    pub(super) fn next_event(&mut self) -> Option<SchedulerEvent> {
        self.core.next_event()
    }

    /// How many reservations there have been.
    pub(super) fn reservations(&self) -> u64 {
        self.core.reserved()
    }
}
