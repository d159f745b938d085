//! What a scenario of the CapacityScheduler is played on: without threads, or on them.

use super::named::Named;
use super::played::Played;
use crate::api::{
    AppHandle, Ask, ByNumber, Capacity, CapacityAppView, CapacityQueueView, CapacityReason, CapacityScheduler,
    CapacityStepped, ContainerId, Journal, Label, LabelView, Location, NewAttempt, NewLabel, NewNode, NodeHandle,
    NodeView, PreemptionRound, RecoveredContainer, Refused, Resource, SchedulerApi, StoredLabels, Submission,
    SubmitTerms,
};
#[cfg(test)]
use crate::api::{CapacityPass, Watch};

/// What a step changes of labels.
pub(super) enum LabelChange<'a> {
    Add(Vec<NewLabel>),
    Remove(Vec<&'a str>),
    Set(Vec<(&'a str, Vec<&'a str>)>),
}

/// The calls of a scenario. Each returns when nothing is under way any more.
pub(super) trait CapacityDriver {
    /// The scheduler, for what is alike on both.
    fn scheduler(&mut self) -> &mut dyn SchedulerApi;
    fn location(&self, name: &str) -> Location;
    fn label(&self, name: &str) -> Label;
    /// With what runs on it; what became of each.
    fn add_node(
        &mut self,
        node: NewNode,
        running: Vec<(Named, RecoveredContainer)>,
    ) -> Result<Vec<Result<(), Refused>>, Refused>;
    fn change_labels(&mut self, change: &LabelChange<'_>) -> Result<(), Refused>;
    fn labels(&mut self) -> Vec<LabelView>;
    fn stored_labels(&mut self) -> StoredLabels;
    fn remove_node(&mut self, name: &str) -> Result<(), Refused>;
    /// The node tells what has been launched and what is over, and is offered.
    fn heartbeat(&mut self, node: &str, launched: &[Named], completed: &[Named]) -> Result<(), Refused>;
    /// A round of asynchronous scheduling that begins at the node with so many before it.
    fn round(&mut self, first: usize) -> Result<(), Refused>;
    fn submit(&mut self, submission: Submission, priority: Option<i32>) -> Result<(), Refused>;
    /// Nodes and racks of the blacklist by name. Gives the headroom, and what is to be preempted.
    fn ask(&mut self, app: u32, asks: &[Ask], add: &[&str], remove: &[&str]) -> Result<(Resource, Vec<u32>), Refused>;
    /// A container that runs already is taken over.
    fn recover(&mut self, node: &str, named: Named, container: RecoveredContainer) -> Result<(), Refused>;
    fn release(&mut self, container: Named) -> Result<(), Refused>;
    fn launch(&mut self, container: Named) -> Result<(), Refused>;
    fn complete(&mut self, container: Named) -> Result<(), Refused>;
    fn new_attempt(&mut self, app: u32, new: NewAttempt) -> Result<(), Refused>;
    /// `kill`: what does not fit any more ends.
    fn resize_node(&mut self, node: &str, total: Resource, kill: bool) -> Result<(), Refused>;
    fn decommission_node(&mut self, node: &str) -> Result<(), Refused>;
    fn recommission_node(&mut self, node: &str) -> Result<(), Refused>;
    fn finish(&mut self, app: u32) -> Result<(), Refused>;
    fn set_priority(&mut self, app: u32, priority: i32) -> Result<(), Refused>;
    fn move_app(&mut self, app: u32, queue: &str) -> Result<(), Refused>;
    fn refresh(&mut self, properties: &[(&str, &str)]) -> Result<(), Refused>;
    fn preempt(&mut self) -> Result<Vec<PreemptionRound>, Refused>;
    /// A round of what removes queues that have made themselves.
    fn expire_queues(&mut self) -> Result<(), Refused>;
    /// A round of what divides what managed parents have.
    fn manage_queues(&mut self) -> Result<(), Refused>;
    /// What happened since this was last called; the end of a step.
    fn take_journal(&mut self) -> Result<Journal, Refused>;
    /// What does not add up inside, where the driver can tell at any step.
    fn audit(&mut self) -> Vec<String>;
    fn queues(&mut self, with_limits: bool) -> Vec<CapacityQueueView>;
    fn apps(&mut self) -> Vec<CapacityAppView>;
    fn nodes(&mut self) -> Vec<NodeView>;
    /// Why an application waits, of one node or of all.
    fn why_waiting(&mut self, app: u32, node: Option<&str>) -> Result<Vec<CapacityReason>, Refused>;
    /// What the next pass over a node tries is to be told.
    #[cfg(test)]
    fn watch(&mut self, node: &str);
    /// What was told since this was last called.
    #[cfg(test)]
    fn watched(&mut self) -> Vec<CapacityPass>;
}

/// What only this scheduler has, with threads and without.
trait CapacityCalls: SchedulerApi<Policy = Capacity> + Sized {
    fn shrink_node(&mut self, node: &NodeHandle, total: Resource) -> Result<(), Refused>;
    fn set_priority(&mut self, app: &AppHandle, priority: i32) -> Result<(), Refused>;
    fn refresh_properties(&mut self, properties: &[(&str, &str)]) -> Result<(), Refused>;
    fn expire_queues(&mut self) -> Result<(), Refused>;
    fn manage_queues(&mut self) -> Result<(), Refused>;
    fn queues_with_limits(&mut self) -> Result<Vec<CapacityQueueView>, Refused>;
    /// Gives back a container of the present attempt, or what is reserved under that number; not on threads.
    fn release_numbered(&mut self, app: u32, number: u32) -> Option<Result<(), Refused>>;
    fn audit(&mut self) -> Vec<String>;
    #[cfg(test)]
    fn watch(&mut self, watch: Watch);
    #[cfg(test)]
    fn watched(&mut self) -> Vec<CapacityPass>;
}

impl CapacityCalls for CapacityStepped {
    fn shrink_node(&mut self, node: &NodeHandle, total: Resource) -> Result<(), Refused> {
        CapacityStepped::shrink_node(self, node, total)
    }

    fn set_priority(&mut self, app: &AppHandle, priority: i32) -> Result<(), Refused> {
        CapacityStepped::set_priority(self, app, priority)
    }

    fn refresh_properties(&mut self, properties: &[(&str, &str)]) -> Result<(), Refused> {
        CapacityStepped::refresh_properties(self, properties.iter().copied())
    }

    fn expire_queues(&mut self) -> Result<(), Refused> {
        CapacityStepped::expire_queues(self);
        Ok(())
    }

    fn manage_queues(&mut self) -> Result<(), Refused> {
        CapacityStepped::manage_queues(self);
        Ok(())
    }

    fn queues_with_limits(&mut self) -> Result<Vec<CapacityQueueView>, Refused> {
        Ok(CapacityStepped::queues_with_limits(self))
    }

    fn release_numbered(&mut self, app: u32, number: u32) -> Option<Result<(), Refused>> {
        Some(ByNumber::release_numbered(self, app, number))
    }

    fn audit(&mut self) -> Vec<String> {
        CapacityStepped::audit(self, false).wrong
    }

    #[cfg(test)]
    fn watch(&mut self, watch: Watch) {
        CapacityStepped::watch(self, watch);
    }

    #[cfg(test)]
    fn watched(&mut self) -> Vec<CapacityPass> {
        CapacityStepped::take_watched(self).passes
    }
}

impl CapacityCalls for CapacityScheduler {
    fn shrink_node(&mut self, node: &NodeHandle, total: Resource) -> Result<(), Refused> {
        CapacityScheduler::shrink_node(self, node, total)
    }

    fn set_priority(&mut self, app: &AppHandle, priority: i32) -> Result<(), Refused> {
        CapacityScheduler::set_priority(self, app, priority)
    }

    fn refresh_properties(&mut self, properties: &[(&str, &str)]) -> Result<(), Refused> {
        CapacityScheduler::refresh_properties(self, properties.iter().copied())
    }

    fn expire_queues(&mut self) -> Result<(), Refused> {
        CapacityScheduler::expire_queues(self)
    }

    fn manage_queues(&mut self) -> Result<(), Refused> {
        CapacityScheduler::manage_queues(self)
    }

    fn queues_with_limits(&mut self) -> Result<Vec<CapacityQueueView>, Refused> {
        CapacityScheduler::queues_with_limits(self)
    }

    fn release_numbered(&mut self, _: u32, _: u32) -> Option<Result<(), Refused>> {
        None
    }

    fn audit(&mut self) -> Vec<String> {
        Vec::new()
    }

    #[cfg(test)]
    fn watch(&mut self, watch: Watch) {
        CapacityScheduler::watch(self, watch).unwrap();
    }

    #[cfg(test)]
    fn watched(&mut self) -> Vec<CapacityPass> {
        self.take_watched().unwrap().passes
    }
}

impl<S: CapacityCalls> CapacityDriver for Played<S> {
    fn scheduler(&mut self) -> &mut dyn SchedulerApi {
        &mut self.scheduler
    }

    fn location(&self, name: &str) -> Location {
        Played::location(self, name)
    }

    fn label(&self, name: &str) -> Label {
        self.scheduler.label(name)
    }

    fn change_labels(&mut self, change: &LabelChange<'_>) -> Result<(), Refused> {
        let outcome = match change {
            LabelChange::Add(labels) => self.scheduler.add_labels(labels),
            LabelChange::Remove(labels) => self.scheduler.remove_labels(labels),
            LabelChange::Set(nodes) => {
                let nodes: Vec<(&str, &[&str])> = nodes.iter().map(|(node, labels)| (*node, &labels[..])).collect();
                self.scheduler.set_node_labels(&nodes)
            }
        };
        self.done(outcome)
    }

    fn labels(&mut self) -> Vec<LabelView> {
        self.scheduler.labels().unwrap_or_default()
    }

    fn stored_labels(&mut self) -> StoredLabels {
        self.scheduler.stored_labels().unwrap_or_default()
    }

    fn add_node(
        &mut self,
        node: NewNode,
        running: Vec<(Named, RecoveredContainer)>,
    ) -> Result<Vec<Result<(), Refused>>, Refused> {
        Played::add_node(self, node, running)
    }

    fn remove_node(&mut self, name: &str) -> Result<(), Refused> {
        self.on_node(name, |scheduler, node| scheduler.remove_node(node))
    }

    fn heartbeat(&mut self, node: &str, launched: &[Named], completed: &[Named]) -> Result<(), Refused> {
        Played::heartbeat(self, node, launched, completed)
    }

    fn round(&mut self, first: usize) -> Result<(), Refused> {
        let outcome = self.scheduler.offer_all_from(first);
        self.done(outcome)
    }

    fn submit(&mut self, submission: Submission, priority: Option<i32>) -> Result<(), Refused> {
        let terms = priority.map(|priority| SubmitTerms::default().with_priority(priority));
        Played::submit(self, submission, terms)
    }

    fn ask(&mut self, app: u32, asks: &[Ask], add: &[&str], remove: &[&str]) -> Result<(Resource, Vec<u32>), Refused> {
        let answer = Played::ask(self, app, asks, add, remove)?;
        let warned = answer.strict_preemptions.into_iter().map(ContainerId::number).collect();
        // Of threads the worker's, which has worked on the asks by now.
        Ok((self.scheduler.headroom(&self.app(app)?)?, warned))
    }

    fn recover(&mut self, node: &str, named: Named, container: RecoveredContainer) -> Result<(), Refused> {
        Played::recover(self, node, named, container)
    }

    fn release(&mut self, container: Named) -> Result<(), Refused> {
        let app = self.calling(container.app)?;
        let is_its_own = app.attempt() == container.attempt && !self.is_taken_over(container);
        let released = is_its_own.then(|| self.scheduler.release_numbered(container.app, container.number));
        released.flatten().unwrap_or_else(|| Played::release(self, container))
    }

    fn launch(&mut self, container: Named) -> Result<(), Refused> {
        Played::launch(self, container)
    }

    fn complete(&mut self, container: Named) -> Result<(), Refused> {
        Played::complete(self, container)
    }

    fn new_attempt(&mut self, app: u32, new: NewAttempt) -> Result<(), Refused> {
        Played::new_attempt(self, app, new)
    }

    fn resize_node(&mut self, node: &str, total: Resource, kill: bool) -> Result<(), Refused> {
        if kill {
            self.on_node(node, |scheduler, node| scheduler.shrink_node(node, total))
        } else {
            Played::resize_node(self, node, total)
        }
    }

    fn decommission_node(&mut self, node: &str) -> Result<(), Refused> {
        self.on_node(node, |scheduler, node| scheduler.decommission_node(node))
    }

    fn recommission_node(&mut self, node: &str) -> Result<(), Refused> {
        self.on_node(node, |scheduler, node| scheduler.recommission_node(node))
    }

    fn finish(&mut self, app: u32) -> Result<(), Refused> {
        self.on_app(app, |scheduler, app| scheduler.finish(app))
    }

    fn set_priority(&mut self, app: u32, priority: i32) -> Result<(), Refused> {
        self.on_app(app, |scheduler, app| scheduler.set_priority(app, priority))
    }

    fn move_app(&mut self, app: u32, queue: &str) -> Result<(), Refused> {
        self.on_app(app, |scheduler, app| scheduler.move_app(app, queue))
    }

    fn refresh(&mut self, properties: &[(&str, &str)]) -> Result<(), Refused> {
        let outcome = self.scheduler.refresh_properties(properties);
        self.done(outcome)
    }

    fn preempt(&mut self) -> Result<Vec<PreemptionRound>, Refused> {
        let outcome = self.scheduler.preempt();
        self.done(outcome)
    }

    fn expire_queues(&mut self) -> Result<(), Refused> {
        let outcome = self.scheduler.expire_queues();
        self.done(outcome)
    }

    fn manage_queues(&mut self) -> Result<(), Refused> {
        let outcome = self.scheduler.manage_queues();
        self.done(outcome)
    }

    fn take_journal(&mut self) -> Result<Journal, Refused> {
        Played::take_journal(self)
    }

    fn audit(&mut self) -> Vec<String> {
        self.scheduler.audit()
    }

    fn queues(&mut self, with_limits: bool) -> Vec<CapacityQueueView> {
        let queues = if with_limits { self.scheduler.queues_with_limits() } else { self.scheduler.queues() };
        queues.unwrap_or_default()
    }

    fn apps(&mut self) -> Vec<CapacityAppView> {
        self.scheduler.apps().unwrap_or_default()
    }

    fn nodes(&mut self) -> Vec<NodeView> {
        self.scheduler.nodes()
    }

    fn why_waiting(&mut self, app: u32, node: Option<&str>) -> Result<Vec<CapacityReason>, Refused> {
        let node = node.map(|name| self.node(name)).transpose()?;
        let app = self.known_app(app)?;
        match node {
            Some(node) => self.scheduler.why_waiting_on(&app, &node),
            None => self.scheduler.why_waiting(&app),
        }
    }

    #[cfg(test)]
    fn watch(&mut self, node: &str) {
        self.scheduler.watch(Watch::Node(node.to_owned()));
    }

    #[cfg(test)]
    fn watched(&mut self) -> Vec<CapacityPass> {
        self.scheduler.watched()
    }
}
