//! The reservation system over the CapacityScheduler's queues.
//!
//! Plain calls of the control, between two publishes. Follows `CapacityReservationSystem` and
//! `CapacitySchedulerPlanFollower` of Hadoop 3.4.2. As there the default leaf of a plan is named after the plan's whole
//! path: that of `root.p` is `root.p.root.p-default`. The one that a new plan begins with has another name, and goes
//! with the follower's first run.
//!
//! Leaves go by their short names. Where two queues share one, nobody finds either of them: such leaves keep the part
//! that they have, and stay.

use crate::capacity::rules::tree::Named;
use crate::capacity::types::Control;
use crate::config::SettingsError;
use crate::config::capacity::CapacityQueueKind;
use crate::event::Refused;
use crate::event::refused::{Configuration, NoQueue};
use crate::id::ApplicationId;
use crate::reservation::{
    Measure, PlanChild, PlanQueue, PlanQueues, ReservationId, ReservationOptions, ReservationSystem, ReserveError,
    UnknownClass,
};
use crate::resource::Resource;
use std::cmp::Reverse;

/// Why there can be no reservation system.
#[derive(Debug, thiserror::Error)]
pub(crate) enum NoPlans {
    #[error(transparent)]
    Settings(#[from] SettingsError),
    #[error(transparent)]
    Class(#[from] UnknownClass),
}

impl Control {
    /// Plans for the reservable queues, if the site asks for a reservation system.
    pub(crate) fn begin_reservations(&mut self, options: ReservationOptions) -> Result<(), NoPlans> {
        let settings = self.own.configuration.reservation_settings()?;
        if settings.reservation_system {
            let timestamp = i64::try_from(self.shared.cluster_timestamp).unwrap_or(i64::MAX);
            let (asked, arith) = (self.own.configuration.asked_plans(), self.own.arith);
            let measure = Measure::new(arith.calculator, arith.types);
            let system = ReservationSystem::with_plans(&settings, options, measure, asked, self, timestamp)?;
            self.plans = Some(system);
        }
        Ok(())
    }

    /// Reservable queues that a refresh has brought become plans.
    pub(crate) fn refresh_plans(&mut self) -> Result<(), Refused> {
        let asked = self.own.configuration.asked_plans();
        match self.with_plans(|system, queues| system.add_plans(&asked, queues)) {
            Ok(refreshed) => refreshed
                .map_err(|unknown| Refused::Configuration(Configuration::PlanClass { why: unknown.to_string() })),
            Err(ReserveError::Scheduler(refused)) => Err(refused),
            Err(ReserveError::Reservation(_) | ReserveError::State(_)) => Ok(()),
        }
    }

    /// The queue that is meant where somebody names a plan: that of a reservation, or the one for what nobody has
    /// reserved.
    pub(super) fn within_plan(&self, name: &str, id: Option<ReservationId>) -> Result<Named, Refused> {
        let tree = &self.own.tree;
        let found = tree.find(name);
        let Named::Queue(plan) = found else { return Ok(found) };
        if tree.get(plan).config.kind != CapacityQueueKind::Plan {
            return Ok(found);
        }
        let Some(id) = id else { return Ok(tree.find(&format!("{name}-default"))) };
        let (reservation, plan) = (id.to_string(), name.to_owned());
        let Named::Queue(leaf) = tree.find(&reservation) else {
            return Err(NoQueue::ReservationNotActive { reservation, plan }.into());
        };
        let parent = tree.get(leaf).parent.map(|parent| &tree.get(parent).config.path);
        match parent.is_some_and(|parent| *parent == plan) {
            true => Ok(Named::Queue(leaf)),
            false => Err(NoQueue::OtherPlan { reservation, plan }.into()),
        }
    }

    /// Whether the leaves of plans are others, or have other parts, than when this was last asked.
    pub(super) fn entitlements_changed(&mut self) -> bool {
        let tree = &self.own.tree;
        let leaves = tree.slots().iter().filter(|slot| tree.get(**slot).config.kind == CapacityQueueKind::Reservation);
        let part = |slot: &u32| {
            let has = &tree.get(*slot).figures.labels[0];
            (*slot, has.capacity.to_bits(), has.maximum_capacity.to_bits())
        };
        let now: Vec<(u32, u32, u32)> = leaves.map(part).collect();
        let changed = now != self.own.entitlements;
        self.own.entitlements = now;
        changed
    }

    fn plan_slot(&self, path: &str) -> Option<u32> {
        self.own.tree.slot_at(path)
    }

    /// The leaf of a plan that a short name stands for.
    fn reserved_slot(&self, name: &str) -> Option<u32> {
        match self.own.tree.find(name) {
            Named::Queue(slot) if self.own.tree.get(slot).config.kind == CapacityQueueKind::Reservation => Some(slot),
            Named::Queue(_) | Named::Ambiguous | Named::Unknown => None,
        }
    }

    fn part_of_cluster(&self, slot: u32) -> Resource {
        self.nodes.total().times(f64::from(self.own.tree.get(slot).absolute_capacity()))
    }
}

impl PlanQueues for Control {
    fn full_name(&self, queue: &str) -> String {
        match self.own.tree.find(queue) {
            Named::Queue(slot) => self.own.tree.get(slot).config.path.clone(),
            Named::Ambiguous | Named::Unknown => queue.to_owned(),
        }
    }

    fn leaf(&self, _plan: &str, child: &str) -> String {
        child.to_owned()
    }

    fn default_leaf(&self, plan: &str) -> String {
        format!("{plan}-default")
    }

    fn shares_count_at_once(&self) -> bool {
        false
    }

    fn cluster(&self) -> Resource {
        self.nodes.total()
    }

    fn first_share(&self, plan: &str, _found: &PlanQueue) -> Resource {
        let part = self.plan_slot(plan).map_or(0.0, |slot| self.own.tree.get(slot).absolute_capacity());
        let minimum = &self.own.tree.file.settings().minimum;
        self.own.arith.times_down(&self.nodes.total(), f64::from(part), minimum)
    }

    /// A plan is one by its name alone: one whose queue is not there is passed over by the follower.
    fn plan_queue(&self, queue: &str) -> Option<PlanQueue> {
        let slot = self.plan_slot(queue);
        let plan = slot.filter(|slot| self.own.tree.get(*slot).config.kind == CapacityQueueKind::Plan);
        let share = plan.map_or(Resource::ZERO, |plan| self.part_of_cluster(plan));
        Some(PlanQueue { identity: 0, parent: plan.is_some(), share })
    }

    fn largest_container(&self) -> Resource {
        self.max_allocation()
    }

    fn children(&self, queue: &str) -> Vec<PlanChild> {
        let Some(slot) = self.plan_slot(queue) else { return Vec::new() };
        let child = |slot: &u32| PlanChild { name: self.own.tree.get(*slot).config.name.clone(), leaf: true };
        self.own.tree.get(slot).children.iter().map(child).collect()
    }

    fn share(&self, queue: &str) -> Option<Resource> {
        self.reserved_slot(queue).map(|slot| self.part_of_cluster(slot))
    }

    fn part(&self, queue: &str) -> Option<f32> {
        self.reserved_slot(queue).map(|slot| self.own.tree.get(slot).figures.labels[0].capacity)
    }

    fn make_leaf(&mut self, plan: &str, queue: &str) {
        let there = self.plan_slot(&format!("{plan}.{queue}"));
        let Some(slot) = self.plan_slot(plan).filter(|_| there.is_none()) else { return };
        let (tree, texts) = self.own.tree_and_texts();
        // The file has been read with other leaves.
        if tree.add_reserved(slot, queue, &texts).is_ok() {
            self.add_new_queues();
        }
    }

    fn entitle(&mut self, queue: &str, part: f32, most: f32) -> bool {
        let Some(slot) = self.reserved_slot(queue) else { return false };
        let entitled = self.own.tree.entitle(slot, part, most);
        self.dirty.insert(slot);
        entitled
    }

    /// Those that wait to start come first, by priority and number. Those that wait for a limit of parallel
    /// applications are not among them, as in Hadoop.
    fn apps(&self, queue: &str) -> Vec<ApplicationId> {
        let Some(slot) = self.reserved_slot(queue) else { return Vec::new() };
        let said = &self.own.said.apps;
        let there = self.apps.iter().flatten();
        let there = there.filter(|app| app.leaf == slot && !app.end.has_begun() && app.runnable);
        let there = there.filter_map(|app| said.get(&app.shared.id.number));
        let mut apps: Vec<_> =
            there.map(|app| (app.has_started(), Reverse(app.entrant.priority), app.entrant.app.id.number)).collect();
        apps.sort_unstable();
        self.named(apps.into_iter().map(|(.., number)| number))
    }

    fn move_app(&mut self, app: ApplicationId, to: &str) -> bool {
        // A worker that hears of a move has to know the target, which is new in a plan's first run.
        if self.reserved_slot(to).is_some_and(|slot| !self.is_published(slot)) {
            self.publish();
        }
        self.find_app(app.number).is_some_and(|shared| Control::move_app(self, &shared, to).is_ok())
    }

    fn kill_apps(&mut self, queue: &str) {
        self.end_each(self.apps(queue));
    }

    fn remove(&mut self, queue: &str) {
        let Some(slot) = self.reserved_slot(queue).filter(|slot| self.own.applications(*slot) == 0) else { return };
        let (tree, texts) = self.own.tree_and_texts();
        // The file has been read with more leaves.
        if tree.remove_reserved(slot, &texts).is_ok() {
            self.vacate_slot(slot);
        }
    }
}
