//! The reservation system over the FairScheduler's queues.
//!
//! Plain calls of the control, between two publishes. Follows `FairReservationSystem` and `FairSchedulerPlanFollower` of Hadoop 3.4.2
//! (reservation reference 8 and 10).

use crate::config::rooted;
use crate::event::Refused;
use crate::fair::engine::Control;
use crate::id::ApplicationId;
use crate::reservation::{
    Caller, PlanChild, PlanQueue, PlanQueues, ReservationId, ReservationOptions, ReservationRefused, ReservationSystem,
    UnknownClass,
};
use crate::resource::Resource;

impl Control {
    /// Plans for the reservable queues, if the site files ask for a reservation system: whether they do.
    pub(crate) fn begin_reservations(&mut self, options: ReservationOptions) -> Result<bool, UnknownClass> {
        let (settings, file) = (self.shared.decider.settings.clone(), self.own.file.clone());
        if settings.reservation_system {
            let timestamp = i64::try_from(self.shared.cluster_timestamp).unwrap_or(i64::MAX);
            self.own.plans = Some(ReservationSystem::new(&settings, options, &file, self, timestamp)?);
        }
        Ok(settings.reservation_system)
    }

    /// Calls the reservation system with the queues as they are.
    pub(crate) fn with_plans<T>(
        &mut self,
        call: impl FnOnce(&mut ReservationSystem, &mut Control) -> Result<T, ReservationRefused>,
    ) -> Result<T, ReservationRefused> {
        let mut system = self.own.plans.take().ok_or(ReservationRefused::NotEnabled)?;
        let outcome = call(&mut system, self);
        self.own.plans = Some(system);
        outcome
    }

    /// Reservable queues that an administrator's refresh has brought become plans.
    pub(crate) fn refresh_plans(&mut self) -> Result<(), UnknownClass> {
        let file = self.own.file.clone();
        let Some(mut system) = self.own.plans.take() else { return Ok(()) };
        let outcome = system.refresh(&file, self);
        self.own.plans = Some(system);
        outcome
    }

    /// The groups of a user, where his rights in plans count.
    pub(crate) fn groups_for_plans(&self, user: &str) -> Result<Vec<String>, Refused> {
        let settings = &self.shared.decider.settings;
        if settings.acl_enable && settings.reservation_acl_enable { self.groups_of(user) } else { Ok(Vec::new()) }
    }

    /// Whether an application may be submitted to a queue, as requested: asked before anything else is.
    pub(super) fn check_plan_rights(
        &self,
        user: &str,
        queue: &str,
        reservation: Option<ReservationId>,
    ) -> Result<(), Refused> {
        let Some(system) = &self.own.plans else { return Ok(()) };
        let groups = self.groups_for_plans(user)?;
        let caller = Caller { user, groups: &groups };
        let outcome = system.check_application(self, &caller, queue, reservation);
        outcome.map_err(|_| Refused::ReservationAcl { user: user.to_owned(), queue: queue.to_owned() })
    }

    /// The queue of a reservation below a plan, which has to be there.
    pub(super) fn leaf_of_reservation(&self, plan: &str, id: ReservationId) -> Result<String, Refused> {
        let leaf = format!("{plan}.{id}");
        if self.tree.find(&leaf).is_none() {
            return Err(Refused::ReservationNotActive { reservation: id.to_string(), plan: plan.to_owned() });
        }
        Ok(leaf)
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

    fn make_leaf(&mut self, queue: &str) {
        if self.plan_slot(queue).is_none() && self.create_queue(queue, true).is_some() {
            // At once, not before the publish: what is weighed next is weighed by them.
            self.steady_shares();
        }
    }

    fn set_weight(&mut self, queue: &str, weight: f32) {
        if let Some(slot) = self.plan_slot(queue) {
            self.tree.get_mut(slot).own.weight = weight;
            self.dirty.insert(slot);
        }
    }

    fn apps(&self, queue: &str) -> Vec<ApplicationId> {
        let slot = self.plan_slot(queue);
        let there = self.apps.iter().flatten().filter(|app| Some(app.leaf) == slot && app.closing.is_none());
        let mut apps: Vec<_> = there.map(|app| (!app.runnable, app.shared.id.number)).collect();
        apps.sort_unstable();
        let cluster_timestamp = self.shared.cluster_timestamp;
        apps.into_iter().map(|(_, number)| ApplicationId { cluster_timestamp, number }).collect()
    }

    fn move_app(&mut self, app: ApplicationId, to: &str) {
        if let Some(shared) = self.find_app(app.number) {
            // One that may not is left where it is.
            let _ = Control::move_app(self, &shared, to);
        }
    }

    fn kill_apps(&mut self, queue: &str) {
        for app in self.apps(queue) {
            if let Some(shared) = self.find_app(app.number) {
                let _ = self.begin_finish(&shared, None);
            }
        }
    }

    fn remove(&mut self, queue: &str) {
        let empty = |slot: &u32| self.tree.get(*slot).leaf && self.tree.is_empty(*slot);
        if let Some(slot) = self.plan_slot(queue).filter(empty) {
            self.remove_queue(slot);
        }
    }
}
