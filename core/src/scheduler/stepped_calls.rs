//! What a scheduler without threads does in the calls that all schedulers have.

use super::api::{SchedulerApi, Sealed};
use super::calls::fetch;
use super::door::NotSent;
use super::handles::{AppHandle, NodeHandle};
use super::journal::{AllocatedView, Journal};
use super::policy::Policy;
use super::preemption_round::PreemptionRound;
use super::reservations::Planning;
use super::stepped::Stepped;
use crate::app::{Label, Location};
use crate::capacity::SubmitTerms;
use crate::config::{Diagnostic, QueueAccess};
use crate::engine::{
    AllocateRequest, Allocation, ContainerCounts, ContainerView, Heartbeat, LabelView, NewAttempt, NewNode, NodeView,
    RecoveredContainer, RequestView, Submission, headroom, node_view,
};
use crate::event::refused::NotFound;
use crate::event::{AppAccess, Refused, SchedulerEvent};
use crate::id::{ContainerId, ContainerName, NodeId};
use crate::labels::{NewLabel, StoredLabels};
use crate::reservation::{
    Followed, PlanBooks, Reservation, ReservationDefinition, ReservationId, ReservationQuery, ReservationState,
    ReservationSubmission, ReserveError,
};
use crate::resource::Resource;
use std::collections::BTreeMap;
use std::time::Duration;

impl<P: Policy> Sealed for Stepped<P> {}

impl<P: Policy> SchedulerApi for Stepped<P> {
    type Policy = P;

    fn heartbeat(&mut self, heartbeat: Heartbeat) -> Result<(), Box<NotSent<Heartbeat>>> {
        Stepped::heartbeat(self, &heartbeat);
        Ok(())
    }

    fn settle(&mut self) -> Result<(), Refused> {
        Ok(())
    }

    fn tick(&mut self) {
        P::tick(&mut self.steps, &mut self.beside);
    }

    fn update_now(&mut self) -> Result<(), Refused> {
        Stepped::update_now(self);
        Ok(())
    }

    fn preempt(&mut self) -> Result<Vec<PreemptionRound>, Refused> {
        Stepped::preempt(self)
    }

    fn kill_due(&mut self) -> Result<(), Refused> {
        P::kill_due(&mut self.steps)
    }

    fn offer_all_from(&mut self, first: usize) -> Result<(), Refused> {
        self.offer_from(first);
        Ok(())
    }

    fn add_node(&mut self, name: &str, rack: &str, total: Resource) -> Result<NodeHandle, Refused> {
        self.steps.add_node(name, rack, total)
    }

    fn add_node_with_containers(
        &mut self,
        name: &str,
        rack: &str,
        total: Resource,
        running: Vec<(AppHandle, RecoveredContainer)>,
    ) -> Result<(NodeHandle, Vec<Result<ContainerId, Refused>>), Refused> {
        self.steps.add_node_with(NewNode::new(name, rack, total), running)
    }

    fn register_node(
        &mut self,
        node: NewNode,
        running: Vec<(AppHandle, RecoveredContainer)>,
    ) -> Result<(NodeHandle, Vec<Result<ContainerId, Refused>>), Refused> {
        self.steps.add_node_with(node, running)
    }

    fn remove_node(&mut self, node: &NodeHandle) -> Result<(), Refused> {
        self.steps.remove_node(node)
    }

    fn resize_node(&mut self, node: &NodeHandle, total: Resource) -> Result<(), Refused> {
        self.steps.resize_node(node, total, false)
    }

    fn decommission_node(&mut self, node: &NodeHandle) -> Result<(), Refused> {
        self.steps.decommission_node(node)
    }

    fn recommission_node(&mut self, node: &NodeHandle) -> Result<(), Refused> {
        self.steps.recommission_node(node)
    }

    fn location(&self, name: &str) -> Location {
        self.steps.location(name)
    }

    fn label(&self, name: &str) -> Label {
        self.label_named(name)
    }

    fn add_labels(&mut self, labels: &[NewLabel]) -> Result<(), Refused> {
        self.add(labels)
    }

    fn remove_labels(&mut self, labels: &[&str]) -> Result<(), Refused> {
        self.remove(labels)
    }

    fn set_node_labels(&mut self, nodes: &[(&str, &[&str])]) -> Result<(), Refused> {
        self.replace(nodes)
    }

    fn labels(&mut self) -> Result<Vec<LabelView>, Refused> {
        Ok(self.steps.stepper.control().label_views())
    }

    fn node_labels(&mut self, nodes: &[&str]) -> Result<Vec<String>, Refused> {
        Ok(self.labels_of(nodes))
    }

    fn stored_labels(&mut self) -> Result<StoredLabels, Refused> {
        Ok(self.steps.stepper.control().stored_labels())
    }

    fn submit(&mut self, submission: Submission) -> Result<AppHandle, Refused> {
        let outcome = self.steps.stepper.control().submit(&submission);
        self.steps.submitted(outcome)
    }

    fn submit_with(&mut self, submission: Submission, terms: SubmitTerms) -> Result<AppHandle, Refused> {
        P::check_terms(&submission, &terms)?;
        let outcome = P::submit(self.steps.stepper.control(), &submission, terms);
        self.steps.submitted(outcome)
    }

    fn accept(&mut self, submission: Submission, terms: SubmitTerms) -> Result<String, Refused> {
        P::check_terms(&submission, &terms)?;
        let outcome = P::accept(self.steps.stepper.control(), &submission, terms);
        self.steps.settle();
        outcome
    }

    fn new_attempt(&mut self, app: &AppHandle, new: NewAttempt) -> Result<AppHandle, Refused> {
        self.steps.new_attempt(app, new)
    }

    fn recover_container(
        &mut self,
        app: &AppHandle,
        node: &NodeHandle,
        container: RecoveredContainer,
    ) -> Result<ContainerId, Refused> {
        self.steps.recover_container(app, node, container)
    }

    fn allocate(&mut self, app: &AppHandle, request: &AllocateRequest, answer: &mut Allocation) -> Result<(), Refused> {
        P::allocate_stepped(&mut self.steps, app, request, answer)
    }

    fn fetch(&self, app: &AppHandle, answer: &mut Allocation) -> Result<(), Refused> {
        fetch(self.steps.stepper.shared(), app, answer)
    }

    fn headroom(&self, app: &AppHandle) -> Result<Resource, Refused> {
        headroom(self.steps.stepper.shared(), &app.0)
    }

    fn finish(&mut self, app: &AppHandle) -> Result<(), Refused> {
        self.steps.finish_by(None, app)
    }

    fn finish_as(&mut self, user: &str, app: &AppHandle) -> Result<(), Refused> {
        self.steps.finish_by(Some(user), app)
    }

    fn move_app(&mut self, app: &AppHandle, queue: &str) -> Result<(), Refused> {
        self.steps.move_by(None, app, queue)
    }

    fn move_app_as(&mut self, user: &str, app: &AppHandle, queue: &str) -> Result<(), Refused> {
        self.steps.move_by(Some(user), app, queue)
    }

    fn check_app(&mut self, user: &str, app: &AppHandle, access: AppAccess) -> Result<(), Refused> {
        self.steps.stepper.control().check_app(user, &app.0, access)
    }

    fn place(&mut self, user: &str, queue: Option<&str>) -> Result<Option<String>, Refused> {
        P::place(self.steps.stepper.control(), user, queue)
    }

    fn refresh_queues(&mut self, text: &str) -> Result<Vec<Diagnostic>, Refused> {
        let warnings = P::refresh_stepped(&mut self.steps, text)?;
        self.refresh_plans()?;
        Ok(warnings)
    }

    fn find_node(&mut self, name: &str) -> Option<NodeHandle> {
        self.steps.node_named(name).map(NodeHandle)
    }

    fn find_node_by_id(&mut self, id: NodeId) -> Option<NodeHandle> {
        self.steps.stepper.control().all_nodes().find(|node| node.id == id).cloned().map(NodeHandle)
    }

    fn container_name(&self, id: ContainerId) -> ContainerName {
        self.steps.stepper.shared().container_name(id)
    }

    fn node(&mut self, name: &str) -> Option<NodeView> {
        self.steps.node_named(name).map(|node| node_view(&node))
    }

    fn nodes(&mut self) -> Vec<NodeView> {
        self.steps.stepper.control().all_nodes().map(|node| node_view(node)).collect()
    }

    fn why_waiting_on(&mut self, app: &AppHandle, node: &NodeHandle) -> Result<Vec<P::Reason>, Refused> {
        if !node.stands_in(&self.steps.stepper.shared().nodes.lock()) {
            return Err(NotFound::Node(node.0.name.to_string()).into());
        }
        Ok(P::why_waiting_stepped(&mut self.steps, app, Some(node)))
    }

    fn next_event(&mut self) -> Option<SchedulerEvent> {
        self.steps.next_event()
    }

    // What needs no `Result` without threads has none in the call of that name.

    fn take_journal(&mut self) -> Result<Journal, Refused> {
        Ok(Stepped::take_journal(self))
    }

    fn stats(&self) -> P::Stats {
        P::stats(self.steps.stepper.shared())
    }

    fn has_access(&mut self, user: &str, queue: &str, access: QueueAccess) -> Result<bool, Refused> {
        Ok(Stepped::has_access(self, user, queue, access))
    }

    fn permits(&mut self, user: &str, queue: &str, access: QueueAccess) -> Result<bool, Refused> {
        Ok(Stepped::permits(self, user, queue, access))
    }

    fn is_admin(&mut self, user: &str) -> Result<bool, Refused> {
        Ok(Stepped::is_admin(self, user))
    }

    fn find_app(&mut self, number: u32) -> Result<Option<AppHandle>, Refused> {
        Ok(Stepped::find_app(self, number))
    }

    fn find_container(&mut self, name: &ContainerName) -> Result<Option<ContainerId>, Refused> {
        Ok(Stepped::find_container(self, name))
    }

    fn containers(&mut self) -> Result<Vec<ContainerView>, Refused> {
        Ok(Stepped::containers(self))
    }

    fn container_counts(&mut self) -> Result<ContainerCounts, Refused> {
        Ok(Stepped::container_counts(self))
    }

    fn requests(&mut self) -> Result<Vec<RequestView>, Refused> {
        Ok(Stepped::requests(self))
    }

    fn reservations(&mut self) -> Result<Vec<AllocatedView>, Refused> {
        Ok(Stepped::reservations(self))
    }

    fn queues(&mut self) -> Result<Vec<P::QueueView>, Refused> {
        Ok(Stepped::queues(self))
    }

    fn app(&mut self, number: u32) -> Result<Option<P::AppView>, Refused> {
        Ok(Stepped::app(self, number))
    }

    fn apps(&mut self) -> Result<Vec<P::AppView>, Refused> {
        Ok(Stepped::apps(self))
    }

    fn not_offered(&mut self, app: &AppHandle) -> Result<Option<P::NotOffered>, Refused> {
        Ok(Stepped::not_offered(self, app))
    }

    fn why_waiting(&mut self, app: &AppHandle) -> Result<Vec<P::Reason>, Refused> {
        Ok(Stepped::why_waiting(self, app))
    }

    fn reserve_new(&mut self) -> Result<ReservationId, ReserveError> {
        self.steps.reserve_new()
    }

    fn reserve_submit(&mut self, user: &str, request: &ReservationSubmission<'_>) -> Result<(), ReserveError> {
        self.steps.reserve_submit(user, request)
    }

    fn reserve_update(
        &mut self,
        user: &str,
        id: Option<ReservationId>,
        definition: Option<&ReservationDefinition>,
    ) -> Result<(), ReserveError> {
        self.steps.reserve_update(user, id, definition)
    }

    fn reserve_delete(&mut self, user: &str, id: Option<ReservationId>) -> Result<(), ReserveError> {
        self.steps.reserve_delete(user, id)
    }

    fn reserve_list(&mut self, user: &str, query: &ReservationQuery<'_>) -> Result<Vec<Reservation>, ReserveError> {
        self.steps.reserve_list(user, query)
    }

    fn follow_plans(&mut self) -> Result<BTreeMap<String, Followed>, ReserveError> {
        self.steps.follow_plans()
    }

    fn plan_step(&mut self) -> Result<Duration, ReserveError> {
        self.steps.plan_step()
    }

    fn plans(&mut self) -> Result<BTreeMap<String, PlanBooks>, ReserveError> {
        self.steps.plans()
    }

    fn plan_capacities(&mut self) -> Result<BTreeMap<String, Resource>, ReserveError> {
        self.steps.plan_capacities()
    }

    fn reservation_state(&mut self) -> Result<ReservationState, ReserveError> {
        self.steps.reservation_state()
    }

    fn restore_reservations(&mut self, state: &ReservationState) -> Result<Vec<String>, ReserveError> {
        self.steps.restore_reservations(state)
    }
}
