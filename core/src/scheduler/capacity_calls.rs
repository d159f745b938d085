//! Calls that only the CapacityScheduler has: priorities, nodes that shrink, its configuration and its queues that make
//! themselves.
//!
//! Bodies run on the caller's thread: with threads they send and wait, without they do it.

use super::api::SchedulerApi;
use super::capacity::{queues, queues_stepped, take_to_tell};
use super::handles::{AppHandle, NodeHandle};
use super::policy::Capacity;
use super::stepped::Stepped;
use super::threaded::Scheduler;
use crate::capacity::{CapacityCall, CapacityConfiguration, CapacityQueueView, Refresh, SubmitTerms};
use crate::engine::intake::to_control::Call;
use crate::engine::{AllocateRequest, Allocation, Submission, collect};
use crate::event::Refused;
use crate::event::refused::NotFound;
#[cfg(doc)]
use crate::event::refused::*;
use crate::resource::Resource;

/// # Of the CapacityScheduler alone
impl Scheduler<Capacity> {
    /// Changes the total of a node, and ends at once the containers that no longer fit: those of AMs last, the youngest
    /// first. This is Hadoop's overcommit timeout of 0. With lazy preemption such a container stays until another one
    /// needs its room.
    ///
    /// # Errors
    /// Those of [`resize_node`](Self::resize_node).
    pub fn shrink_node(&self, node: &NodeHandle, total: Resource) -> Result<(), Refused> {
        self.door().resize_node(node, total, true)
    }

    /// As [`submit`](Self::submit), with a priority. A larger number is more important. It is cut to
    /// `yarn.cluster.max-application-priority`.
    ///
    /// # Errors
    /// Those of [`submit`](Self::submit).
    pub fn submit_with_priority(&self, submission: Submission, priority: i32) -> Result<AppHandle, Refused> {
        self.submit_with(submission, SubmitTerms::default().with_priority(priority))
    }

    /// Changes the priority of an application. It is cut to `yarn.cluster.max-application-priority`. Waits for the
    /// control.
    ///
    /// # Errors
    /// [`NotFound::App`] if it has ended; [`Invalid::OwnThread`], [`Gone::Task`], [`Gone::ShutDown`].
    pub fn set_priority(&self, app: &AppHandle, priority: i32) -> Result<(), Refused> {
        self.set_priority_by(None, app, priority)
    }

    /// Changes the priority of an application on behalf of a user. The user must have the right to change the
    /// application ([`check_app`](Self::check_app)), and to give it this priority by `acl_application_max_priority` of
    /// its queue.
    ///
    /// Follows `ClientRMService.updateApplicationPriority`.
    ///
    /// # Errors
    /// [`Denied::App`] or [`Denied::Priority`] if the user may not; otherwise those of
    /// [`set_priority`](Self::set_priority).
    pub fn set_priority_as(&self, user: &str, app: &AppHandle, priority: i32) -> Result<(), Refused> {
        self.set_priority_by(Some(user), app, priority)
    }

    fn set_priority_by(&self, by: Option<&str>, app: &AppHandle, priority: i32) -> Result<(), Refused> {
        let (app, by) = (app.0.clone(), by.map(str::to_owned));
        self.door().call(|reply| Call::Own(CapacityCall::SetPriority { app, by, priority, reply }))?
    }

    /// Refreshes the queues from the properties of another `capacity-scheduler.xml`, under their full names, which are
    /// read on the caller's thread. The site's properties stay. Waits for the control.
    ///
    /// # Errors
    /// [`Configuration::Invalid`]: the queues are as before, except with
    /// [`rules_last`](crate::CapacitySchedulerBuilder::rules_last); [`Invalid::OwnThread`], [`Gone::Task`],
    /// [`Gone::ShutDown`].
    pub fn refresh_properties<'a>(
        &self,
        properties: impl IntoIterator<Item = (&'a str, &'a str)>,
    ) -> Result<(), Refused> {
        let read = self.configuration()?.read_queues(properties);
        self.refresh_from(Refresh::from_read(read)?)
    }

    /// As [`refresh_properties`](Self::refresh_properties), from what was read before, as
    /// [`CapacityStepped::refresh_with`](crate::CapacityStepped::refresh_with). Waits for the control.
    ///
    /// # Errors
    /// As of that call, and [`Invalid::OwnThread`], [`Gone::Task`], [`Gone::ShutDown`].
    pub fn refresh_with(&self, configuration: CapacityConfiguration) -> Result<(), Refused> {
        let refresh = Refresh::with(configuration, &self.configuration()?)?;
        self.refresh_from(refresh)
    }

    fn refresh_from(&self, refresh: Refresh) -> Result<(), Refused> {
        self.door().call(|reply| Call::Reload(Box::new(refresh), reply))??;
        self.refresh_plans()
    }

    /// Makes one round of the policy that removes queues, as
    /// [`CapacityStepped::expire_queues`](crate::CapacityStepped::expire_queues). Waits for the control.
    ///
    /// # Errors
    /// [`Invalid::OwnThread`], [`Gone::Task`], [`Gone::ShutDown`].
    pub fn expire_queues(&self) -> Result<(), Refused> {
        self.door().call(|reply| Call::Own(CapacityCall::ExpireQueues(reply)))
    }

    /// Makes one round of the policy that divides the capacity of managed parents, as
    /// [`CapacityStepped::manage_queues`](crate::CapacityStepped::manage_queues). Waits for the control.
    ///
    /// # Errors
    /// [`Invalid::OwnThread`], [`Gone::Task`], [`Gone::ShutDown`].
    pub fn manage_queues(&self) -> Result<(), Refused> {
        self.door().call(|reply| Call::Own(CapacityCall::ManageQueues(reply)))
    }

    /// As [`offer_all`](Self::offer_all), but the round starts at the node with index `first`, goes on to the last
    /// node, and then from the first node to that one again. Hadoop starts at a random node. Does nothing if there are
    /// not so many nodes. With `schedule-asynchronously` a thread sends one every `scheduling-interval-ms`, unless the
    /// last one is still under way.
    ///
    /// # Errors
    /// [`Invalid::OwnThread`], [`Gone::Worker`], [`Gone::ShutDown`].
    pub fn offer_all_from(&self, first: usize) -> Result<(), Refused> {
        self.offer_from(first)
    }

    /// Returns the configuration in force: the site's, with the queues of the last accepted refresh. Waits for the
    /// control.
    ///
    /// # Errors
    /// [`Invalid::OwnThread`], [`Gone::Task`], [`Gone::ShutDown`].
    pub fn configuration(&self) -> Result<CapacityConfiguration, Refused> {
        self.door().look(|control| control.configuration())
    }

    /// As [`queues`](Self::queues), and also computes what each user may use.
    ///
    /// # Errors
    /// Those of [`queues`](Self::queues).
    pub fn queues_with_limits(&self) -> Result<Vec<CapacityQueueView>, Refused> {
        queues(self.door(), true)
    }
}

/// # Of the CapacityScheduler alone
impl Stepped<Capacity> {
    /// Changes the total of a node, and ends the containers that no longer fit, as
    /// [`CapacityScheduler::shrink_node`](crate::CapacityScheduler::shrink_node).
    ///
    /// # Errors
    /// [`NotFound::Node`] if it is removed; [`Invalid::NodeTotal`], [`Invalid::UnknownType`],
    /// [`Limit::ClusterTooLarge`] of the total.
    pub fn shrink_node(&mut self, node: &NodeHandle, total: Resource) -> Result<(), Refused> {
        self.steps.resize_node(node, total, true)
    }

    /// As [`submit`](Self::submit), with a priority. A larger number is more important. It is cut to
    /// `yarn.cluster.max-application-priority`.
    ///
    /// # Errors
    /// Those of [`submit`](Self::submit).
    pub fn submit_with_priority(&mut self, submission: Submission, priority: i32) -> Result<AppHandle, Refused> {
        self.submit_with(submission, SubmitTerms::default().with_priority(priority))
    }

    /// A call of the ResourceManager for an application: containers end, asks come back, news is fetched. As
    /// [`allocate`](Self::allocate), but no AM calls: as in Hadoop no headroom is computed, and so no user limit.
    ///
    /// # Errors
    /// Those of [`allocate`](Self::allocate).
    #[doc(hidden)]
    pub fn manage(
        &mut self,
        app: &AppHandle,
        request: &AllocateRequest,
        answer: &mut Allocation,
    ) -> Result<(), Refused> {
        self.steps.stepper.shards().for_each(|shard| shard.own.silent = true);
        let sent = self.steps.send(app, request);
        self.steps.stepper.shards().for_each(|shard| shard.own.silent = false);
        sent?;
        collect(self.steps.stepper.shared(), &app.0, answer)?;
        answer.strict_preemptions = take_to_tell(app);
        Ok(())
    }

    /// Ends an attempt as the event `APP_ATTEMPT_REMOVED` does, before [`new_attempt`](Self::new_attempt) or
    /// [`finish`](Self::finish). Its asks and reservations are dropped, and it leaves the lists of its queue, where
    /// others may start. So may those that wait for a limit of parallel applications. It keeps its containers: release
    /// those that the next attempt does not keep before.
    ///
    /// # Errors
    /// [`NotFound::App`] of another scheduler's application, or if the attempt has ended.
    #[doc(hidden)]
    pub fn stop_attempt(&mut self, app: &AppHandle) -> Result<(), Refused> {
        self.steps.stepper.pump();
        let is_here = app.0.scheduler == self.steps.stepper.shared().scheduler && !app.is_finished();
        if is_here {
            self.steps.stepper.shards().for_each(|shard| shard.stop_app(app.0.slot));
            self.steps.stepper.control().attempt_stopped(&app.0);
        }
        self.steps.settle();
        is_here.then_some(()).ok_or(Refused::NotFound(NotFound::App(app.number())))
    }

    /// Gives up the reservation of a node, as the event `KILL_RESERVED_CONTAINER` does. Returns whether the node was
    /// reserved. The ask stays outstanding.
    #[doc(hidden)]
    pub fn give_up_reservation(&mut self, node: &NodeHandle) -> bool {
        if node.0.scheduler != self.steps.stepper.shared().scheduler {
            return false;
        }
        let shard = self.steps.stepper.shard(node.0.owner);
        let Some(place) = shard.place_of(&node.0) else { return false };
        let is_reserved = shard.nodes[place as usize].reservation.is_some();
        shard.end_reservation(place);
        self.steps.settle();
        is_reserved
    }

    /// Does what the event `NODE_LABELS_UPDATE` does. A ResourceManager sends it after each node that comes, goes or
    /// changes its size, even without labels, and names the node unless it has gone. The reservations of the nodes are
    /// given up. Then everything that follows from a change of the cluster is computed again: amounts may differ, and
    /// more applications may start.
    #[doc(hidden)]
    pub fn labels_updated(&mut self, nodes: &[NodeHandle]) {
        for node in nodes {
            self.give_up_reservation(node);
        }
        self.steps.stepper.control().cluster_changed();
        self.steps.settle();
    }

    /// Changes the priority of an application. It is cut to `yarn.cluster.max-application-priority`.
    ///
    /// # Errors
    /// [`NotFound::App`] if it has ended.
    pub fn set_priority(&mut self, app: &AppHandle, priority: i32) -> Result<(), Refused> {
        self.set_priority_by(None, app, priority)
    }

    /// Changes the priority of an application on behalf of a user, as
    /// [`CapacityScheduler::set_priority_as`](crate::CapacityScheduler::set_priority_as).
    ///
    /// # Errors
    /// [`Denied::App`] or [`Denied::Priority`] if the user may not; or if it has ended.
    pub fn set_priority_as(&mut self, user: &str, app: &AppHandle, priority: i32) -> Result<(), Refused> {
        self.set_priority_by(Some(user), app, priority)
    }

    fn set_priority_by(&mut self, by: Option<&str>, app: &AppHandle, priority: i32) -> Result<(), Refused> {
        let outcome = self.steps.stepper.control().set_priority(by, &app.0, priority);
        self.steps.settle();
        outcome
    }

    /// Refreshes the queues from the properties of another `capacity-scheduler.xml`, under their full names. The site's
    /// properties stay.
    ///
    /// # Errors
    /// [`Configuration::Invalid`]: the queues are as before, except with
    /// [`rules_last`](crate::CapacitySchedulerBuilder::rules_last).
    pub fn refresh_properties<'a>(
        &mut self,
        properties: impl IntoIterator<Item = (&'a str, &'a str)>,
    ) -> Result<(), Refused> {
        let read = self.configuration().read_queues(properties);
        self.refresh_from(Refresh::from_read(read)?)
    }

    /// As [`refresh_properties`](Self::refresh_properties), from what [`CapacityConfiguration::with_queues`] of the
    /// [`configuration`](Self::configuration) in force has read. What was looked at there is what counts, also of
    /// mapping rules that stand in a file of their own.
    ///
    /// # Errors
    /// As of that call; also [`Configuration::Invalid`] of another scheduler's configuration.
    pub fn refresh_with(&mut self, configuration: CapacityConfiguration) -> Result<(), Refused> {
        let refresh = Refresh::with(configuration, &self.configuration())?;
        self.refresh_from(refresh)
    }

    fn refresh_from(&mut self, refresh: Refresh) -> Result<(), Refused> {
        let outcome = self.steps.stepper.control().refresh(refresh);
        self.steps.settle();
        outcome?;
        self.refresh_plans()
    }

    /// Makes one round of `AutoCreatedQueueDeletionPolicy`, whether or not its monitor is on. It removes automatically
    /// created (flexible) queues that were empty in the last round too, and whose last submission is longer ago than
    /// `auto-queue-creation-v2.queue-expiration-time`.
    pub fn expire_queues(&mut self) {
        self.steps.stepper.control().expire_queues();
        self.steps.settle();
    }

    /// Makes one round of `QueueManagementDynamicEditPolicy`, whether or not its monitor is on. In managed parents,
    /// leaf queues without applications lose their capacity, and those whose applications have waited longest get one.
    pub fn manage_queues(&mut self) {
        self.steps.stepper.control().manage_queues();
        self.steps.settle();
    }

    /// As [`offer_all`](Self::offer_all), from the node with index `first` on, as
    /// [`CapacityScheduler::offer_all_from`](crate::CapacityScheduler::offer_all_from).
    pub fn offer_all_from(&mut self, first: usize) {
        self.offer_from(first);
    }

    /// Returns the configuration in force, as
    /// [`CapacityScheduler::configuration`](crate::CapacityScheduler::configuration).
    pub fn configuration(&mut self) -> CapacityConfiguration {
        self.steps.stepper.control().configuration()
    }

    /// As [`queues`](Self::queues), and also computes what each user may use.
    pub fn queues_with_limits(&mut self) -> Vec<CapacityQueueView> {
        queues_stepped(&mut self.steps, true)
    }
}
