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
    /// Gives a node another total. Below what runs its free room is negative until containers end.
    ///
    /// As in Hadoop, nothing is killed unless something was to end on this node before, by
    /// [`shrink_node`](Self::shrink_node) or by [`decommission_node`](Self::decommission_node): then AMs are told which
    /// containers do not fit, and those end at the node's next report.
    ///
    /// # Errors
    /// [`Refused::NoSuchNode`] when it is gone; [`Refused::BadNode`], [`Refused::UnknownType`], [`Refused::ClusterTooLarge`] of
    /// its total; [`Refused::OwnThread`], [`Refused::TaskLost`], [`Refused::ShutDown`].
    pub fn resize_node(&self, node: &NodeHandle, total: Resource) -> Result<(), Refused> {
        self.door().resize_node(node, total, false)
    }

    /// Gives a node another total, and what does not fit any more ends at once: containers that are no AM first, the youngest
    /// first. Hadoop's overcommit timeout of 0. With lazy preemption they may go for others, and stay until one needs the room.
    ///
    /// # Errors
    /// As of [`resize_node`](Self::resize_node).
    pub fn shrink_node(&self, node: &NodeHandle, total: Resource) -> Result<(), Refused> {
        self.door().resize_node(node, total, true)
    }

    /// Empties a node gracefully: nothing is granted or reserved on it from now on, its total follows what still runs from its
    /// next heartbeat on, and [`SchedulerEvent::NodeDrained`](crate::SchedulerEvent::NodeDrained) tells when nothing runs.
    ///
    /// # Errors
    /// [`Refused::NoSuchNode`] when it is gone; [`Refused::OwnThread`], [`Refused::TaskLost`], [`Refused::ShutDown`].
    pub fn decommission_node(&self, node: &NodeHandle) -> Result<(), Refused> {
        self.door().decommission_node(node)
    }

    /// A decommissioning node stays after all: it has the total again that it had before. Nothing happens where it is not
    /// decommissioning. `RMNodeImpl.RecommissionNodeTransition`.
    ///
    /// # Errors
    /// As of [`decommission_node`](Self::decommission_node).
    pub fn recommission_node(&self, node: &NodeHandle) -> Result<(), Refused> {
        self.door().recommission_node(node)
    }

    /// The attempt has failed: its containers end, or with [`NewAttempt::keep_containers`] those that run go over with what they
    /// are charged, and another attempt of the same application begins in the same queue, with containers numbered from 1 and the
    /// priority that the application was submitted with. The old handle is refused from now on. Outstanding asks go, and what the old AM has not
    /// fetched: the new one asks anew, and is told of what it keeps ([`AppHandle::kept_containers`]). Waits for the control and all workers.
    ///
    /// # Errors
    /// [`Refused::NoSuchApp`] when the application has ended; [`Refused::InvalidResource`], [`Refused::NoLocation`],
    /// [`Refused::OthersLocation`] of the new AM's request: then, where containers were to be kept, nothing has changed; otherwise
    /// the application has ended too. [`Refused::NoWorkers`], [`Refused::Panicked`] (the clock), [`Refused::OwnThread`], [`Refused::TaskLost`],
    /// [`Refused::ShutDown`].
    pub fn new_attempt(&self, app: &AppHandle, new: NewAttempt) -> Result<AppHandle, Refused> {
        self.door().new_attempt(app, new)
    }

    /// Takes over a container that runs already: a node has registered with a ResourceManager that has been restarted, and says so. It is charged
    /// to the node, the application and its queues, whatever their limits say; it has an id from now on, and ends as any other. Its AM has it:
    /// no answer of `allocate` brings it. Submit the application first, [as it was](crate::Submission::recovered_in), with an AM that
    /// [runs](crate::AmRequest::running). As `AbstractYarnScheduler.recoverContainersOnNode`; whose application or attempt is over is not to be
    /// recovered but to be stopped, which is for the caller to see to.
    ///
    /// # Errors
    /// [`Refused::NoSuchApp`], [`Refused::NoSuchNode`] of what is gone; [`Refused::UnknownType`], [`Refused::InvalidResource`] of its size;
    /// [`Refused::Busy`] where no record is left; [`Refused::OwnThread`], [`Refused::TaskLost`], [`Refused::ShutDown`].
    pub fn recover_container(
        &self,
        app: &AppHandle,
        node: &NodeHandle,
        container: RecoveredContainer,
    ) -> Result<ContainerId, Refused> {
        self.door().recover_container(app, node, container)
    }

    /// Kills an application: to the scheduler the same as [`finish`](Self::finish).
    ///
    /// # Errors
    /// As of [`finish`](Self::finish).
    pub fn kill(&self, app: &AppHandle) -> Result<(), Refused> {
        self.finish(app)
    }

    /// The same on behalf of a user, who must have the right to: see [`check_app`](Self::check_app).
    ///
    /// # Errors
    /// [`Refused::AppAcl`] where he has not; otherwise as of [`finish`](Self::finish).
    pub fn kill_as(&self, user: &str, app: &AppHandle) -> Result<(), Refused> {
        self.door().finish_by(Some(user), app)
    }

    /// Moves an application on behalf of a user, as [`FairScheduler::move_app_as`](crate::FairScheduler::move_app_as).
    ///
    /// # Errors
    /// [`Refused::AppAcl`] or, for the target, [`Refused::Acl`] where he may not; otherwise as of [`move_app`](Self::move_app).
    pub fn move_app_as(&self, user: &str, app: &AppHandle, queue: &str) -> Result<(), Refused> {
        self.door().move_by(Some(user), app, queue)
    }

    /// Gives an application another priority on behalf of a user, who must have the right to change it ([`check_app`](Self::check_app)),
    /// and to have that priority by `acl_application_max_priority` of its queue. `ClientRMService.updateApplicationPriority`.
    ///
    /// # Errors
    /// [`Refused::AppAcl`] or [`Refused::PriorityAcl`] where he may not; otherwise as of [`set_priority`](Self::set_priority).
    pub fn set_priority_as(&self, user: &str, app: &AppHandle, priority: i32) -> Result<(), Refused> {
        self.set_priority_by(Some(user), app, priority)
    }

    /// Whether the user has a right in a queue, given there or in a queue above it; none in a queue that is not there, or whose
    /// short name several have. The lists alone count: neither `yarn.acl.enable` nor `yarn.admin.acl`.
    /// `CapacityScheduler.checkAccess`.
    ///
    /// # Errors
    /// [`Refused::OwnThread`], [`Refused::TaskLost`], [`Refused::ShutDown`].
    pub fn has_access(&self, user: &str, queue: &str, access: QueueAccess) -> Result<bool, Refused> {
        self.door().has_access(user, queue, access)
    }

    /// The ResourceManager's question: [`has_access`](Self::has_access), but without `yarn.acl.enable` everybody may do everything.
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

    /// Whether a user may see or change an application, as [`FairScheduler::check_app`](crate::FairScheduler::check_app).
    ///
    /// # Errors
    /// [`Refused::AppAcl`] where he may not; [`Refused::NoSuchApp`] when the application has ended; [`Refused::OwnThread`], [`Refused::TaskLost`], [`Refused::ShutDown`].
    pub fn check_app(&self, user: &str, app: &AppHandle, access: AppAccess) -> Result<(), Refused> {
        self.door().check_app(user, app, access)
    }
}

impl CapacityStepped {
    /// Gives a node another total, as [`CapacityScheduler::resize_node`].
    ///
    /// # Errors
    /// [`Refused::NoSuchNode`] when it is gone; [`Refused::BadNode`], [`Refused::UnknownType`], [`Refused::ClusterTooLarge`] of the total.
    pub fn resize_node(&mut self, node: &NodeHandle, total: Resource) -> Result<(), Refused> {
        self.steps.resize_node(node, total, false)
    }

    /// The same, and what does not fit any more ends, as [`CapacityScheduler::shrink_node`].
    ///
    /// # Errors
    /// [`Refused::NoSuchNode`] when it is gone; [`Refused::BadNode`], [`Refused::UnknownType`], [`Refused::ClusterTooLarge`] of the total.
    pub fn shrink_node(&mut self, node: &NodeHandle, total: Resource) -> Result<(), Refused> {
        self.steps.resize_node(node, total, true)
    }

    /// Empties a node gracefully, as [`CapacityScheduler::decommission_node`].
    ///
    /// # Errors
    /// [`Refused::NoSuchNode`] when it is gone.
    pub fn decommission_node(&mut self, node: &NodeHandle) -> Result<(), Refused> {
        self.steps.decommission_node(node)
    }

    /// A decommissioning node stays after all, as [`CapacityScheduler::recommission_node`].
    ///
    /// # Errors
    /// [`Refused::NoSuchNode`] when it is gone.
    pub fn recommission_node(&mut self, node: &NodeHandle) -> Result<(), Refused> {
        self.steps.recommission_node(node)
    }

    /// Another attempt of an application, as [`CapacityScheduler::new_attempt`].
    ///
    /// # Errors
    /// [`Refused::NoSuchApp`] when the application has ended; [`Refused::InvalidResource`], [`Refused::NoLocation`],
    /// [`Refused::OthersLocation`] of the new AM's request; [`Refused::Panicked`] (the clock).
    pub fn new_attempt(&mut self, app: &AppHandle, new: NewAttempt) -> Result<AppHandle, Refused> {
        self.steps.new_attempt(app, new)
    }

    /// Takes over a container that runs already, as [`Stepped::recover_container`](crate::Stepped::recover_container).
    ///
    /// # Errors
    /// [`Refused::NoSuchApp`], [`Refused::NoSuchNode`] of what is gone; [`Refused::UnknownType`], [`Refused::InvalidResource`] of its size;
    /// [`Refused::Busy`] where no record is left; [`Refused::NoWorkers`] where the node's worker is given up.
    pub fn recover_container(
        &mut self,
        app: &AppHandle,
        node: &NodeHandle,
        container: RecoveredContainer,
    ) -> Result<ContainerId, Refused> {
        self.steps.recover_container(app, node, container)
    }

    /// Kills an application: to the scheduler the same as [`finish`](Self::finish).
    ///
    /// # Errors
    /// [`Refused::NoSuchApp`] when it has ended already.
    pub fn kill(&mut self, app: &AppHandle) -> Result<(), Refused> {
        self.finish(app)
    }

    /// Ends an application on behalf of a user, as [`CapacityScheduler::kill_as`].
    ///
    /// # Errors
    /// [`Refused::AppAcl`] where he may not; or when it has ended already.
    pub fn kill_as(&mut self, user: &str, app: &AppHandle) -> Result<(), Refused> {
        self.steps.finish_by(Some(user), app)
    }

    /// Moves an application on behalf of a user, as [`CapacityScheduler::move_app_as`].
    ///
    /// # Errors
    /// [`Refused::AppAcl`] or, for the target, [`Refused::Acl`] where he may not; otherwise as of [`move_app`](Self::move_app).
    pub fn move_app_as(&mut self, user: &str, app: &AppHandle, queue: &str) -> Result<(), Refused> {
        self.steps.move_by(Some(user), app, queue)
    }

    /// Gives an application another priority on behalf of a user, as [`CapacityScheduler::set_priority_as`].
    ///
    /// # Errors
    /// [`Refused::AppAcl`] or [`Refused::PriorityAcl`] where he may not; or when it has ended.
    pub fn set_priority_as(&mut self, user: &str, app: &AppHandle, priority: i32) -> Result<(), Refused> {
        self.set_priority_by(Some(user), app, priority)
    }

    /// Whether the user has a right in a queue, as [`CapacityScheduler::has_access`].
    pub fn has_access(&mut self, user: &str, queue: &str, access: QueueAccess) -> bool {
        self.steps.stepper.control().has_access(user, queue, access)
    }

    /// The ResourceManager's question, as [`CapacityScheduler::permits`].
    pub fn permits(&mut self, user: &str, queue: &str, access: QueueAccess) -> bool {
        self.steps.stepper.control().permits(user, queue, access)
    }

    /// Whether the user is in `yarn.admin.acl`.
    pub fn is_admin(&mut self, user: &str) -> bool {
        self.steps.stepper.control().is_admin(user)
    }

    /// Whether a user may see or change an application, as [`CapacityScheduler::check_app`].
    ///
    /// # Errors
    /// [`Refused::AppAcl`] where he may not; or when it has ended.
    pub fn check_app(&mut self, user: &str, app: &AppHandle, access: AppAccess) -> Result<(), Refused> {
        self.steps.stepper.control().check_app(user, &app.0, access)
    }
}
