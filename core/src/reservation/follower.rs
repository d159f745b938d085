//! The follower: brings the queues below a plan to what the plan says of now.
//!
//! Follows `AbstractSchedulerPlanFollower` of Hadoop 3.4.2; what its two kinds differ in is behind [`PlanQueues`].
//! Reservations that are there now have a leaf queue each, with their part of the plan; a default leaf has what is
//! left.

use super::id::ReservationId;
use super::plan::Plan;
use super::queues::{PlanChild, PlanQueues};
use super::replanner::Replanner;
use crate::id::ApplicationId;
use crate::resource::Resource;
use crate::resource::sorted;
use rustc_hash::FxHashSet;

/// A run of the follower over one plan.
#[derive(Debug)]
pub(super) struct Run<'a> {
    /// The full name of the plan queue.
    pub(super) queue: &'a str,
    /// Of the queue whose share is the plan's capacity.
    pub(super) identity: u64,
    /// The time, ms; not rounded.
    pub(super) now: i64,
    /// Who makes room where the plan has promised too much. Without one, all get less.
    pub(super) replanner: Option<&'a dyn Replanner>,
    /// Whether applications of a reservation that has ended go to the default queue; else they are killed.
    pub(super) move_on_expiry: bool,
}

/// An application that has moved to the default queue of its plan, because its own queue has gone.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct MovedApp {
    /// The application.
    pub app: ApplicationId,
    /// Where it is now.
    pub queue: String,
    /// Whose queue it was in: a reservation that has ended or was deleted. `None` where it was in the default queue
    /// that a CapacityScheduler's plan begins with, which goes with the first run.
    pub reservation: Option<ReservationId>,
}

/// What a run did to its plan.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Followed {
    /// Reservations that the replanner took out.
    pub replanned: Vec<ReservationId>,
    /// Reservations that have ended so long ago that they count no more.
    pub archived: Vec<ReservationId>,
    /// Applications whose queue has gone, and which have moved.
    pub moved: Vec<MovedApp>,
    /// Applications whose queue has gone, and which could not move or were not to.
    pub killed: Vec<ApplicationId>,
    /// Whether the scheduler has other queues, parts, shares or applications below the plan than before the run. Most
    /// runs find nothing to do.
    pub changed: bool,
}

/// A leaf of a plan: its name, the bits of its part, its share.
type Leaf = (String, Option<u32>, Option<Resource>);

impl Run<'_> {
    /// Makes, weighs, empties and removes queues. A plan queue that is not there, or is a leaf, is passed over.
    pub(super) fn follow(&self, plan: &mut Plan, queues: &mut dyn PlanQueues) -> Followed {
        let mut followed = Followed::default();
        let Some(before) = queues.plan_queue(self.queue).filter(|queue| queue.parent) else { return followed };
        let leaves = self.leaves(queues);
        let now = self.rounded(plan);
        // As they are before the replanner: what it takes out keeps its queue until the next run, as in Hadoop.
        let current: Vec<(ReservationId, Resource)> =
            plan.books().between(now, now).iter().map(|one| (one.id(), one.at(now))).collect();
        let reserved: Resource = current.iter().map(|(_, has)| *has).sum();
        let rest = queues.default_leaf(self.queue);
        queues.make_leaf(self.queue, &rest);
        let mut shrink = false;
        let found = queues.plan_queue(self.queue);
        if let Some(own) = found.filter(|found| found.identity == self.identity) {
            plan.books_mut().set_capacity(own.share);
        }
        // Where shares count at once, the share as it stands: it changes when a queue is made.
        let share = |queues: &dyn PlanQueues| match queues.shares_count_at_once() {
            true => queues.plan_queue(self.queue).map_or(Resource::ZERO, |queue| queue.share),
            false => before.share,
        };
        let measure = plan.books().measure().of(queues.cluster());
        if measure.is_more(&reserved, &share(queues)) {
            match self.replanner {
                Some(replanner) => followed.replanned = replanner.replan(plan, self.now),
                None => shrink = true,
            }
        }
        let wanted = current.iter().map(|(id, _)| self.leaf(*id, queues)).chain([rest.clone()]).collect();
        self.expire(&wanted, &rest, queues, &mut followed);
        queues.entitle(&rest, 0.0, 1.0);
        let mut assigned = 0.0_f32;
        let current = self.by_change(current, queues);
        let is_new = |(id, _): &(ReservationId, Resource)| queues.part(&self.leaf(*id, queues)).is_none();
        let last_new = current.iter().rposition(is_new);
        for (at, (id, has)) in current.into_iter().enumerate() {
            let leaf = self.leaf(id, queues);
            match Some(at) < last_new {
                true => queues.make_leaf_before_others(self.queue, &leaf),
                false => queues.make_leaf(self.queue, &leaf),
            }
            let all = share(queues);
            let mut part = 0.0;
            if all.memory_mb() > 0 && all.vcores() > 0 {
                let has = if shrink { all.times(f64::from(measure.ratio(&has, &reserved))) } else { has };
                part = measure.divide(&has, &all);
            }
            // Hadoop has a smaller maximum for reservations with gangs, and marks none as such.
            queues.entitle(&leaf, part, 1.0);
            assigned += part;
        }
        queues.entitle(&rest, 1.0 - assigned, 1.0);
        followed.archived = plan.archive(now);
        // Parts are set to others on the way: only what is left at the end counts.
        let apps_went = !followed.moved.is_empty() || !followed.killed.is_empty();
        followed.changed = apps_went || leaves != self.leaves(queues);
        followed
    }

    /// The leaves of the plan, as they stand, by name.
    fn leaves(&self, queues: &dyn PlanQueues) -> Vec<Leaf> {
        let leaf = |child: PlanChild| {
            let name = queues.leaf(self.queue, &child.name);
            let (part, share) = (queues.part(&name).map(f32::to_bits), queues.share(&name));
            (name, part, share)
        };
        let mut leaves: Vec<Leaf> =
            queues.children(self.queue).into_iter().filter(|child| child.leaf).map(leaf).collect();
        sorted::by(&mut leaves, |a, b| a.0.cmp(&b.0));
        leaves
    }

    /// The time, rounded up to the plan's step.
    fn rounded(&self, plan: &Plan) -> i64 {
        let step = plan.books().terms().step_ms;
        match self.now.wrapping_rem(step) {
            0 => self.now,
            rest => self.now.wrapping_add(step.wrapping_sub(rest)),
        }
    }

    fn leaf(&self, id: ReservationId, queues: &dyn PlanQueues) -> String {
        queues.leaf(self.queue, &id.to_string())
    }

    /// Empties and removes the leaves that nobody wants any more.
    fn expire(&self, wanted: &FxHashSet<String>, rest: &str, queues: &mut dyn PlanQueues, followed: &mut Followed) {
        let leaves = queues.children(self.queue).into_iter().filter(|child| child.leaf);
        let names = leaves.map(|child| queues.leaf(self.queue, &child.name));
        let mut expired: Vec<String> = names.filter(|leaf| !wanted.contains(leaf)).collect();
        expired.sort_unstable();
        for leaf in expired {
            if !queues.entitle(&leaf, 0.0, 0.0) {
                continue;
            }
            if self.move_on_expiry {
                let moved = queues.apps(&leaf).into_iter().filter(|app| queues.move_app(*app, rest));
                let moved: Vec<ApplicationId> = moved.collect();
                let reservation = leaf.rsplit('.').next().and_then(|name| name.parse().ok());
                let queue = queues.full_name(rest);
                let told = |app| MovedApp { app, queue: queue.clone(), reservation };
                followed.moved.extend(moved.into_iter().map(told));
            }
            let left = queues.apps(&leaf);
            if left.is_empty() {
                queues.remove(&leaf);
            } else {
                // The queue goes with the next run.
                queues.kill_apps(&leaf);
                followed.killed.extend(left);
            }
        }
    }

    /// Those that give up most first, so that shares of the plan are not given twice meanwhile.
    fn by_change(
        &self,
        mut current: Vec<(ReservationId, Resource)>,
        queues: &dyn PlanQueues,
    ) -> Vec<(ReservationId, Resource)> {
        current.sort_by_cached_key(|(id, has)| {
            let share = queues.share(&self.leaf(*id, queues)).unwrap_or(Resource::ZERO);
            (*has.minus(&share).amounts(), *id)
        });
        current
    }
}
