//! What the reservation system needs of the scheduler's queues.

use crate::config::rooted;
use crate::id::ApplicationId;
use crate::resource::Resource;

/// A queue that is, or was, a plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlanQueue {
    /// A number that is different for each queue that is made, even if a removed queue had the same name.
    pub identity: u64,
    /// Whether it may have children. A queue that has become a leaf is not followed.
    pub parent: bool,
    /// The plan's capacity: the queue's steady fair share, as computed last, or its guaranteed part of the cluster.
    pub share: Resource,
}

/// A child of a plan queue.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlanChild {
    /// The last part of its name.
    pub name: String,
    /// Whether it is a leaf queue. The follower leaves others alone.
    pub leaf: bool,
}

/// The queues of a scheduler, as the follower changes them. Names of plans are full names. [`PlanQueues::leaf`] and
/// [`PlanQueues::default_leaf`] make the names of their leaf queues.
///
/// A call for a queue that does not exist changes nothing. The provided methods are those of a FairScheduler.
pub trait PlanQueues {
    /// The queue of this name, if there is one.
    fn plan_queue(&self, queue: &str) -> Option<PlanQueue>;

    /// The largest container that may be asked for now: the configured one, or that of the largest node if it is
    /// smaller.
    fn largest_container(&self) -> Resource;

    /// The full name of a queue.
    fn full_name(&self, queue: &str) -> String {
        rooted(queue)
    }

    /// The name of a plan's child.
    fn leaf(&self, plan: &str, child: &str) -> String {
        format!("{plan}.{child}")
    }

    /// The name of the default queue of a plan.
    fn default_leaf(&self, plan: &str) -> String {
        let child = plan.rsplit('.').next().unwrap_or(plan);
        format!("{plan}.{child}-default")
    }

    /// Whether a plan's capacity is its queue's present share. If not, it is the share at the follower's last run.
    fn shares_count_at_once(&self) -> bool {
        true
    }

    /// The capacity of a plan when it is made.
    fn first_share(&self, _plan: &str, found: &PlanQueue) -> Resource {
        found.share
    }

    /// The total of the cluster, if amounts are compared by more than their memory.
    fn cluster(&self) -> Resource {
        Resource::ZERO
    }

    /// The children of a queue.
    fn children(&self, queue: &str) -> Vec<PlanChild>;

    /// The share of a leaf queue, if it exists.
    fn share(&self, queue: &str) -> Option<Resource>;

    /// The part of its plan that a leaf queue has, if it exists: what [`entitle`](PlanQueues::entitle) set last.
    fn part(&self, queue: &str) -> Option<f32>;

    /// Makes a leaf queue in a plan, with weight 1 or without capacity, if the plan has none of this name. Steady fair
    /// shares are then computed again.
    fn make_leaf(&mut self, plan: &str, queue: &str);

    /// The same as [`make_leaf`](PlanQueues::make_leaf), where `make_leaf` is called for another leaf of this plan
    /// later, and until then nobody asks for any share but the plan's own. What follows from the new leaf for other
    /// shares may be left to that call.
    fn make_leaf_before_others(&mut self, plan: &str, queue: &str) {
        self.make_leaf(plan, queue);
    }

    /// Sets the part of its plan that a leaf queue has, and the part that it may use. Returns whether that is allowed.
    /// A FairScheduler's queue gets the first as its weight and has no such maximum; its steady fair share stays until
    /// it is computed for another reason.
    fn entitle(&mut self, queue: &str, part: f32, most: f32) -> bool;

    /// The applications of a leaf queue, in the order in which they move.
    fn apps(&self, queue: &str) -> Vec<ApplicationId>;

    /// Moves an application, as a client's move does. Returns whether it moved; one that may not move stays.
    fn move_app(&mut self, app: ApplicationId, to: &str) -> bool;

    /// Kills all applications of a leaf queue.
    fn kill_apps(&mut self, queue: &str);

    /// Removes an empty queue.
    fn remove(&mut self, queue: &str);
}
