//! What the reservation system needs of the scheduler's queues.

use crate::config::rooted;
use crate::id::ApplicationId;
use crate::resource::Resource;

/// A queue that is, or was, a plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlanQueue {
    /// Another one for each queue that is made, also where it has the name of one that was removed.
    pub identity: u64,
    /// Whether it may have children. One that has become a leaf is not followed.
    pub parent: bool,
    /// What it is to have: the steady fair share as it stands, computed at the last occasion at which the scheduler computes them; or the
    /// guaranteed part of the cluster.
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

/// The queues of a scheduler, as the follower of plans changes them. Names of plans are full ones; those of their leaves are what
/// [`PlanQueues::leaf`] and [`PlanQueues::default_leaf`] make.
///
/// A call for a queue that is not there changes nothing. What is provided is as a FairScheduler has it.
pub trait PlanQueues {
    /// The queue of this name, if there is one.
    fn plan_queue(&self, queue: &str) -> Option<PlanQueue>;

    /// The largest container that may be asked for now: the configured one, or the largest node's where that is smaller.
    fn largest_container(&self) -> Resource;

    /// The full name of a queue that somebody names.
    fn full_name(&self, queue: &str) -> String {
        rooted(queue)
    }

    /// The name of a plan's child.
    fn leaf(&self, plan: &str, child: &str) -> String {
        format!("{plan}.{child}")
    }

    /// The name of the leaf that has what nobody has reserved.
    fn default_leaf(&self, plan: &str) -> String {
        let child = plan.rsplit('.').next().unwrap_or(plan);
        format!("{plan}.{child}-default")
    }

    /// Whether a plan's capacity is its queue's share at each moment. Else it is that of the follower's last run.
    fn shares_count_at_once(&self) -> bool {
        true
    }

    /// What a plan has when it is made.
    fn first_share(&self, _plan: &str, found: &PlanQueue) -> Resource {
        found.share
    }

    /// All that there is, where amounts are compared by more than their memory.
    fn cluster(&self) -> Resource {
        Resource::ZERO
    }

    /// The children of a queue.
    fn children(&self, queue: &str) -> Vec<PlanChild>;

    /// What a leaf is to have, if there is one.
    fn share(&self, queue: &str) -> Option<Resource>;

    /// The part of its plan that a leaf has, if there is one: what [`entitle`](PlanQueues::entitle) set last.
    fn part(&self, queue: &str) -> Option<f32>;

    /// Makes a leaf queue in a plan, of weight 1 or of no capacity, where the plan has none of this name. Steady fair shares are computed anew then.
    fn make_leaf(&mut self, plan: &str, queue: &str);

    /// Sets the part of its plan that a leaf has, and the part that it may use: the weight of a FairScheduler's queue, which has no such
    /// maximum, and whose steady fair share stays until it is computed for another reason. Whether that may be.
    fn entitle(&mut self, queue: &str, part: f32, most: f32) -> bool;

    /// The applications of a leaf queue, in the order in which they move.
    fn apps(&self, queue: &str) -> Vec<ApplicationId>;

    /// Moves an application as a client's move does; one that may not is left where it is. Whether it went.
    fn move_app(&mut self, app: ApplicationId, to: &str) -> bool;

    /// Kills all applications of a leaf queue.
    fn kill_apps(&mut self, queue: &str);

    /// Removes a queue to which nothing is being submitted.
    fn remove(&mut self, queue: &str);
}
