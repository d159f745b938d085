//! What the reservation system needs of the scheduler's queues.

use crate::id::ApplicationId;
use crate::resource::Resource;

/// A queue that is, or was, a plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlanQueue {
    /// Another one for each queue that is made, also where it has the name of one that was removed.
    pub identity: u64,
    /// Whether it may have children. One that has become a leaf is not followed.
    pub parent: bool,
    /// Its steady fair share as it stands: computed at the last occasion at which the scheduler computes them.
    pub share: Resource,
}

/// A child of a plan queue.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlanChild {
    /// The last part of its name.
    pub name: String,
    /// Whether it is a leaf; others are left alone.
    pub leaf: bool,
}

/// The queues of a scheduler, as the follower of plans changes them. Names of queues are full ones.
///
/// A call for a queue that is not there changes nothing.
pub trait PlanQueues {
    /// The queue of this name, if there is one.
    fn plan_queue(&self, queue: &str) -> Option<PlanQueue>;

    /// The largest container that may be asked for now: the configured one, or the largest node's where that is smaller.
    fn largest_container(&self) -> Resource;

    /// The children of a queue.
    fn children(&self, queue: &str) -> Vec<PlanChild>;

    /// The steady fair share of a queue, if there is one.
    fn share(&self, queue: &str) -> Option<Resource>;

    /// Makes a leaf queue of weight 1 where there is none. Steady fair shares are computed anew then.
    fn make_leaf(&mut self, queue: &str);

    /// Sets the weight of a queue. Steady fair shares stay until they are computed for another reason.
    fn set_weight(&mut self, queue: &str, weight: f32);

    /// The applications of a leaf queue, those that run first.
    fn apps(&self, queue: &str) -> Vec<ApplicationId>;

    /// Moves an application as a client's move does; one that may not is left where it is. Whether it went.
    fn move_app(&mut self, app: ApplicationId, to: &str) -> bool;

    /// Kills all applications of a leaf queue.
    fn kill_apps(&mut self, queue: &str);

    /// Removes a queue to which nothing is being submitted.
    fn remove(&mut self, queue: &str);
}
