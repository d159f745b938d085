//! The reservation system over the FairScheduler's queues.
//!
//! Plain calls of the control, between two publishes. Follows `FairReservationSystem` and `FairSchedulerPlanFollower`
//! of Hadoop 3.4.2 (rules/reservations.md 8 and 10).

use crate::config::rooted;
use crate::event::Refused;
use crate::event::refused::{Configuration, NoQueue};
use crate::fair::engine::Control;
use crate::id::ApplicationId;
use crate::reservation::{
    PlanChild, PlanQueue, PlanQueues, ReservationId, ReservationOptions, ReservationSystem, ReserveError, UnknownClass,
};
use crate::resource::Resource;

impl Control {
    /// Plans for the reservable queues, if the site files ask for a reservation system.
    pub(crate) fn begin_reservations(&mut self, options: ReservationOptions) -> Result<(), UnknownClass> {
        let (settings, file) = (self.shared.decider.settings.clone(), self.own.file.clone());
        if settings.reservation_system {
            let timestamp = i64::try_from(self.shared.cluster_timestamp).unwrap_or(i64::MAX);
            self.plans = Some(ReservationSystem::new(&settings, options, &file, self, timestamp)?);
        }
        Ok(())
    }

    /// Reservable queues that an administrator's refresh has brought become plans.
    pub(crate) fn refresh_plans(&mut self) -> Result<(), Refused> {
        let file = self.own.file.clone();
        match self.with_plans(|system, queues| system.refresh(&file, queues)) {
            Ok(refreshed) => refreshed
                .map_err(|unknown| Refused::Configuration(Configuration::PlanClass { why: unknown.to_string() })),
            Err(ReserveError::Scheduler(refused)) => Err(refused),
            Err(ReserveError::Reservation(_) | ReserveError::State(_)) => Ok(()),
        }
    }

    /// The queue of a reservation below a plan, which has to be there.
    pub(super) fn leaf_of_reservation(&self, plan: &str, id: ReservationId) -> Result<String, Refused> {
        let leaf = format!("{plan}.{id}");
        if self.tree.find(&leaf).is_none() {
            return Err(NoQueue::ReservationNotActive { reservation: id.to_string(), plan: plan.to_owned() }.into());
        }
        Ok(leaf)
    }

    /// Makes a leaf that is not there; whether it did.
    fn made_leaf(&mut self, queue: &str) -> bool {
        self.plan_slot(queue).is_none() && self.create_queue(queue, true).is_some()
    }

    fn plan_slot(&self, queue: &str) -> Option<u32> {
        self.tree.find(&rooted(queue))
    }
}

impl PlanQueues for Control {
    fn plan_queue(&self, queue: &str) -> Option<PlanQueue> {
        let queue = self.tree.get(self.plan_slot(queue)?);
        Some(PlanQueue { identity: queue.created, parent: !queue.leaf, share: queue.own.steady_fair_share })
    }

    fn largest_container(&self) -> Resource {
        self.max_allocation()
    }

    fn children(&self, queue: &str) -> Vec<PlanChild> {
        let Some(slot) = self.plan_slot(queue) else { return Vec::new() };
        let child = |slot: u32| {
            let child = self.tree.get(slot);
            let name = child.name.rsplit('.').next().unwrap_or_default();
            PlanChild { name: name.to_owned(), leaf: child.leaf }
        };
        self.tree.get(slot).children().map(child).collect()
    }

    fn share(&self, queue: &str) -> Option<Resource> {
        self.plan_slot(queue).map(|slot| self.tree.get(slot).own.steady_fair_share)
    }

    fn part(&self, queue: &str) -> Option<f32> {
        self.plan_slot(queue).map(|slot| self.tree.get(slot).own.weight)
    }

    fn make_leaf(&mut self, _plan: &str, queue: &str) {
        let made = self.made_leaf(queue);
        if std::mem::take(&mut self.own.steady_owed) || made {
            // At once, not before the publish: what is weighed next is weighed by them.
            self.steady_shares();
        }
    }

    fn make_leaf_before_others(&mut self, plan: &str, queue: &str) {
        if self.made_leaf(queue) {
            self.own.steady_owed = true;
            if let Some(plan) = self.plan_slot(plan) {
                self.steady_share_of(plan);
            }
        }
    }

    fn entitle(&mut self, queue: &str, part: f32, _most: f32) -> bool {
        if let Some(slot) = self.plan_slot(queue) {
            self.tree.get_mut(slot).own.weight = part;
            self.dirty.insert(slot);
        }
        true
    }

    fn apps(&self, queue: &str) -> Vec<ApplicationId> {
        let slot = self.plan_slot(queue);
        let there = self.apps.iter().flatten().filter(|app| Some(app.leaf) == slot && !app.end.has_begun());
        let mut apps: Vec<_> = there.map(|app| (!app.runnable, app.shared.id.number)).collect();
        apps.sort_unstable();
        self.named(apps.into_iter().map(|(_, number)| number))
    }

    fn move_app(&mut self, app: ApplicationId, to: &str) -> bool {
        self.find_app(app.number).is_some_and(|shared| Control::move_app(self, &shared, to).is_ok())
    }

    fn kill_apps(&mut self, queue: &str) {
        self.end_each(self.apps(queue));
    }

    fn remove(&mut self, queue: &str) {
        let empty = |slot: &u32| self.tree.get(*slot).leaf && self.tree.is_empty(*slot);
        if let Some(slot) = self.plan_slot(queue).filter(empty) {
            self.remove_queue(slot);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{AllocationFile, Settings};
    use crate::engine::driver::setup::Setup;
    use crate::engine::driver::tests::{add_node, setup_with};
    use crate::fair::engine::{AtRest, Stepper};

    const LEAVES: [&str; 5] = ["root.p.a", "root.p.b", "root.p.c", "root.p.d", "root.p.e"];

    /// The plan's share each time after a leaf came, and in the end those of all; leaves that come before others are
    /// made `by`.
    fn shares(by: impl Fn(&mut Control, &str)) -> Vec<Option<Resource>> {
        let text =
            "<allocations><queue name='p' type='parent'><weight>3</weight></queue><queue name='q'/></allocations>";
        let settings = Settings::default();
        let file = AllocationFile::parse(text, "allocations", &settings.types, &[]).unwrap().file;
        let mut stepper = Stepper::new(AtRest::new(Setup { configuration: file, ..setup_with(settings, 1) }));
        add_node(stepper.control());
        stepper.pump();
        let control = stepper.control();
        let mut shares = Vec::new();
        for (at, leaf) in LEAVES.into_iter().enumerate() {
            if at + 1 < LEAVES.len() {
                by(control, leaf)
            } else {
                control.make_leaf("root.p", leaf)
            }
            shares.push(control.plan_queue("root.p").map(|plan| plan.share));
            control.entitle(leaf, 0.1, 1.0);
            // What somebody changes meanwhile counts too.
            let sibling = control.plan_slot("root.q").unwrap();
            control.tree.get_mut(sibling).own.weight += 1.0;
        }
        shares.extend(LEAVES.map(|leaf| control.share(leaf)));
        shares
    }

    #[test]
    fn shares_are_the_same_when_they_are_left_to_the_last_leaf() {
        let each = shares(|control, leaf| control.make_leaf("root.p", leaf));
        assert_eq!(shares(|control, leaf| control.make_leaf_before_others("root.p", leaf)), each);
        let memory: Vec<i64> = each.iter().flatten().map(Resource::memory_mb).collect();
        // Others' weights count at once, and the last leaf has more than those that were entitled before it.
        assert!(memory[0] > memory[1] && memory[9] > memory[8] && memory[5] == memory[8] && memory[5] > 0);
    }
}
