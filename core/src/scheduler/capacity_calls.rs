//! Calls of the CapacityScheduler that the FairScheduler has too: attempts, nodes that change, what is done on behalf of a user, rights.
//!
//! Run on the caller's thread; their bodies are those of [`calls`](super::calls).

use super::capacity::CapacityStepped;
use super::capacity_threads::CapacityScheduler;
use super::handles::{AppHandle, NodeHandle};
use crate::config::QueueAccess;
use crate::engine::{NewAttempt, RecoveredContainer};
use crate::event::{AppAccess, Refused};
use crate::id::ContainerId;
use crate::resource::Resource;

impl CapacityScheduler {
    /// Changes the total of a node. If more runs than the new total, the free room is negative until containers end.
    ///
    /// As in Hadoop nothing is killed, except on a node that was shrunk ([`shrink_node`](Self::shrink_node)) or decommissioned
    /// ([`decommission_node`](Self::decommission_node)) before. There the AMs are told which containers do not fit, and these end
    /// at the node's next report.
    ///
    /// # Errors
    /// [`Refused::NoSuchNode`] if it is removed; [`Refused::BadNode`], [`Refused::UnknownType`], [`Refused::ClusterTooLarge`] of
    /// its total; [`Refused::OwnThread`], [`Refused::TaskLost`], [`Refused::ShutDown`].
    pub fn resize_node(&self, node: &NodeHandle, total: Resource) -> Result<(), Refused> {
        self.door().resize_node(node, total, false)
    }

    /// Changes the total of a node, and ends at once the containers that no longer fit: those of AMs last, the youngest first.
    /// This is Hadoop's overcommit timeout of 0. With lazy preemption such a container stays until another one needs its room.
    ///
    /// # Errors
    /// Those of [`resize_node`](Self::resize_node).
    pub fn shrink_node(&self, node: &NodeHandle, total: Resource) -> Result<(), Refused> {
        self.door().resize_node(node, total, true)
    }

    /// Empties a node gracefully. From now on nothing is granted or reserved on it. From its next heartbeat on its total follows
    /// what still runs. When nothing runs, the event [`SchedulerEvent::NodeDrained`](crate::SchedulerEvent::NodeDrained) comes.
    ///
    /// # Errors
    /// [`Refused::NoSuchNode`] if it is removed; [`Refused::OwnThread`], [`Refused::TaskLost`], [`Refused::ShutDown`].
    pub fn decommission_node(&self, node: &NodeHandle) -> Result<(), Refused> {
        self.door().decommission_node(node)
    }

    /// Keeps a decommissioning node: it gets back the total that it had before. Does nothing for any other node.
    ///
    /// Follows `RMNodeImpl.RecommissionNodeTransition`.
    ///
    /// # Errors
    /// Those of [`decommission_node`](Self::decommission_node).
    pub fn recommission_node(&self, node: &NodeHandle) -> Result<(), Refused> {
        self.door().recommission_node(node)
    }

    /// Starts another attempt of an application whose attempt has failed, in the same queue. Waits for the control and all
    /// workers.
    ///
    /// - The containers of the old attempt end. With [`NewAttempt::keep_containers`] those that run are handed over, with their
    ///   charges; [`AppHandle::kept_containers`] lists them.
    /// - The outstanding asks of the old attempt, and what the old AM has not fetched, are dropped.
    /// - The new attempt has the priority of the submission. Its containers are numbered from 1.
    /// - Calls with the old handle are refused from now on.
    ///
    /// # Errors
    /// [`Refused::NoSuchApp`] if the application has ended; [`Refused::InvalidResource`], [`Refused::NoLocation`],
    /// [`Refused::OthersLocation`] of the new AM's request: then, where containers were to be kept, nothing has changed; otherwise
    /// the application has ended too. [`Refused::NoWorkers`], [`Refused::Panicked`] (the clock), [`Refused::OwnThread`], [`Refused::TaskLost`],
    /// [`Refused::ShutDown`].
    pub fn new_attempt(&self, app: &AppHandle, new: NewAttempt) -> Result<AppHandle, Refused> {
        self.door().new_attempt(app, new)
    }

    /// Takes over a container that runs already, as
    /// [`FairScheduler::recover_container`](crate::FairScheduler::recover_container). Waits for the control and the node's
    /// worker.
    ///
    /// # Errors
    /// [`Refused::NoSuchApp`], [`Refused::NoSuchNode`] of what is gone; [`Refused::UnknownType`], [`Refused::InvalidResource`] of its size;
    /// [`Refused::Busy`] if no record is left; [`Refused::OwnThread`], [`Refused::TaskLost`], [`Refused::ShutDown`].
    pub fn recover_container(
        &self,
        app: &AppHandle,
        node: &NodeHandle,
        container: RecoveredContainer,
    ) -> Result<ContainerId, Refused> {
        self.door().recover_container(app, node, container)
    }

    /// Kills an application. The scheduler treats this as [`finish`](Self::finish).
    ///
    /// # Errors
    /// Those of [`finish`](Self::finish).
    pub fn kill(&self, app: &AppHandle) -> Result<(), Refused> {
        self.finish(app)
    }

    /// Kills an application on behalf of a user, who must have the right to change it: see [`check_app`](Self::check_app).
    ///
    /// # Errors
    /// [`Refused::AppAcl`] if the user has not; otherwise those of [`finish`](Self::finish).
    pub fn kill_as(&self, user: &str, app: &AppHandle) -> Result<(), Refused> {
        self.door().finish_by(Some(user), app)
    }

    /// Moves an application on behalf of a user, as [`FairScheduler::move_app_as`](crate::FairScheduler::move_app_as).
    ///
    /// # Errors
    /// [`Refused::AppAcl`] or, for the target, [`Refused::Acl`] if the user may not; otherwise those of [`move_app`](Self::move_app).
    pub fn move_app_as(&self, user: &str, app: &AppHandle, queue: &str) -> Result<(), Refused> {
        self.door().move_by(Some(user), app, queue)
    }

    /// Changes the priority of an application on behalf of a user. The user must have the right to change the application
    /// ([`check_app`](Self::check_app)), and to give it this priority by `acl_application_max_priority` of its queue.
    ///
    /// Follows `ClientRMService.updateApplicationPriority`.
    ///
    /// # Errors
    /// [`Refused::AppAcl`] or [`Refused::PriorityAcl`] if the user may not; otherwise those of [`set_priority`](Self::set_priority).
    pub fn set_priority_as(&self, user: &str, app: &AppHandle, priority: i32) -> Result<(), Refused> {
        self.set_priority_by(Some(user), app, priority)
    }

    /// Whether the user has a right in a queue: by the ACL of the queue or of a queue above it. In a queue that does not exist,
    /// or whose short name is ambiguous, nobody has a right. Only the ACLs count, not `yarn.acl.enable` and `yarn.admin.acl`.
    /// Waits for the control.
    ///
    /// Follows `CapacityScheduler.checkAccess`.
    ///
    /// # Errors
    /// [`Refused::OwnThread`], [`Refused::TaskLost`], [`Refused::ShutDown`].
    pub fn has_access(&self, user: &str, queue: &str, access: QueueAccess) -> Result<bool, Refused> {
        self.door().has_access(user, queue, access)
    }

    /// The ResourceManager's check of a right: as [`has_access`](Self::has_access), but without `yarn.acl.enable` everybody has
    /// every right. Waits for the control.
    ///
    /// # Errors
    /// [`Refused::OwnThread`], [`Refused::TaskLost`], [`Refused::ShutDown`].
    pub fn permits(&self, user: &str, queue: &str, access: QueueAccess) -> Result<bool, Refused> {
        self.door().permits(user, queue, access)
    }

    /// Whether the user is in `yarn.admin.acl`, as [`FairScheduler::is_admin`](crate::FairScheduler::is_admin).
    ///
    /// # Errors
    /// [`Refused::OwnThread`], [`Refused::TaskLost`], [`Refused::ShutDown`].
    pub fn is_admin(&self, user: &str) -> Result<bool, Refused> {
        self.door().is_admin(user)
    }

    /// Checks that a user may see or change an application, as [`FairScheduler::check_app`](crate::FairScheduler::check_app).
    ///
    /// # Errors
    /// [`Refused::AppAcl`] if the user may not; [`Refused::NoSuchApp`] if the application has ended; [`Refused::OwnThread`], [`Refused::TaskLost`], [`Refused::ShutDown`].
    pub fn check_app(&self, user: &str, app: &AppHandle, access: AppAccess) -> Result<(), Refused> {
        self.door().check_app(user, app, access)
    }
}

impl CapacityStepped {
    /// Changes the total of a node, as [`CapacityScheduler::resize_node`].
    ///
    /// # Errors
    /// [`Refused::NoSuchNode`] if it is removed; [`Refused::BadNode`], [`Refused::UnknownType`], [`Refused::ClusterTooLarge`] of the total.
    pub fn resize_node(&mut self, node: &NodeHandle, total: Resource) -> Result<(), Refused> {
        self.steps.resize_node(node, total, false)
    }

    /// Changes the total of a node, and ends the containers that no longer fit, as [`CapacityScheduler::shrink_node`].
    ///
    /// # Errors
    /// [`Refused::NoSuchNode`] if it is removed; [`Refused::BadNode`], [`Refused::UnknownType`], [`Refused::ClusterTooLarge`] of the total.
    pub fn shrink_node(&mut self, node: &NodeHandle, total: Resource) -> Result<(), Refused> {
        self.steps.resize_node(node, total, true)
    }

    /// Empties a node gracefully, as [`CapacityScheduler::decommission_node`].
    ///
    /// # Errors
    /// [`Refused::NoSuchNode`] if it is removed.
    pub fn decommission_node(&mut self, node: &NodeHandle) -> Result<(), Refused> {
        self.steps.decommission_node(node)
    }

    /// Keeps a decommissioning node, as [`CapacityScheduler::recommission_node`].
    ///
    /// # Errors
    /// [`Refused::NoSuchNode`] if it is removed.
    pub fn recommission_node(&mut self, node: &NodeHandle) -> Result<(), Refused> {
        self.steps.recommission_node(node)
    }

    /// Starts another attempt of an application, as [`CapacityScheduler::new_attempt`].
    ///
    /// # Errors
    /// [`Refused::NoSuchApp`] if the application has ended; [`Refused::InvalidResource`], [`Refused::NoLocation`],
    /// [`Refused::OthersLocation`] of the new AM's request; [`Refused::Panicked`] (the clock).
    pub fn new_attempt(&mut self, app: &AppHandle, new: NewAttempt) -> Result<AppHandle, Refused> {
        self.steps.new_attempt(app, new)
    }

    /// Takes over a container that runs already, as [`Stepped::recover_container`](crate::Stepped::recover_container).
    ///
    /// # Errors
    /// [`Refused::NoSuchApp`], [`Refused::NoSuchNode`] of what is gone; [`Refused::UnknownType`], [`Refused::InvalidResource`] of its size;
    /// [`Refused::Busy`] if no record is left; [`Refused::NoWorkers`] if the node's worker is given up.
    pub fn recover_container(
        &mut self,
        app: &AppHandle,
        node: &NodeHandle,
        container: RecoveredContainer,
    ) -> Result<ContainerId, Refused> {
        self.steps.recover_container(app, node, container)
    }

    /// Kills an application. The scheduler treats this as [`finish`](Self::finish).
    ///
    /// # Errors
    /// [`Refused::NoSuchApp`] if it has already ended.
    pub fn kill(&mut self, app: &AppHandle) -> Result<(), Refused> {
        self.finish(app)
    }

    /// Kills an application on behalf of a user, as [`CapacityScheduler::kill_as`].
    ///
    /// # Errors
    /// [`Refused::AppAcl`] if the user may not; or if it has already ended.
    pub fn kill_as(&mut self, user: &str, app: &AppHandle) -> Result<(), Refused> {
        self.steps.finish_by(Some(user), app)
    }

    /// Moves an application on behalf of a user, as [`CapacityScheduler::move_app_as`].
    ///
    /// # Errors
    /// [`Refused::AppAcl`] or, for the target, [`Refused::Acl`] if the user may not; otherwise those of [`move_app`](Self::move_app).
    pub fn move_app_as(&mut self, user: &str, app: &AppHandle, queue: &str) -> Result<(), Refused> {
        self.steps.move_by(Some(user), app, queue)
    }

    /// Changes the priority of an application on behalf of a user, as [`CapacityScheduler::set_priority_as`].
    ///
    /// # Errors
    /// [`Refused::AppAcl`] or [`Refused::PriorityAcl`] if the user may not; or if it has ended.
    pub fn set_priority_as(&mut self, user: &str, app: &AppHandle, priority: i32) -> Result<(), Refused> {
        self.set_priority_by(Some(user), app, priority)
    }

    /// Whether the user has a right in a queue, as [`CapacityScheduler::has_access`].
    pub fn has_access(&mut self, user: &str, queue: &str, access: QueueAccess) -> bool {
        self.steps.stepper.control().has_access(user, queue, access)
    }

    /// The ResourceManager's check of a right, as [`CapacityScheduler::permits`].
    pub fn permits(&mut self, user: &str, queue: &str, access: QueueAccess) -> bool {
        self.steps.stepper.control().permits(user, queue, access)
    }

    /// Whether the user is in `yarn.admin.acl`.
    pub fn is_admin(&mut self, user: &str) -> bool {
        self.steps.stepper.control().is_admin(user)
    }

    /// Checks that a user may see or change an application, as [`CapacityScheduler::check_app`].
    ///
    /// # Errors
    /// [`Refused::AppAcl`] if the user may not; or if it has ended.
    pub fn check_app(&mut self, user: &str, app: &AppHandle, access: AppAccess) -> Result<(), Refused> {
        self.steps.stepper.control().check_app(user, &app.0, access)
    }
}
