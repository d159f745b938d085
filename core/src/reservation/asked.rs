//! Plans as a scheduler's configuration asks for them: plain values, which the control makes at the start and at a
//! refresh.

use super::acls::PlanLists;
use super::options::ReservationOptions;
use super::replanner::NewestFirst;
use super::sharing::CapacityOverTime;
use crate::config::capacity::{CapacityFile, CapacityQueue, PlanSettings};
use crate::config::{AllocationFile, SiteProperties, rooted};

/// A plan, as configured.
#[derive(Clone, Debug)]
pub(crate) struct AskedPlan {
    /// The full name of its queue.
    pub(super) queue: String,
    pub(super) agent: String,
    pub(super) policy: String,
    pub(super) planner: String,
    pub(super) terms: AskedTerms,
    pub(super) lists: PlanLists,
}

/// What a plan's policy, planner and follower are told.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AskedTerms {
    pub(super) capacity_over_time: CapacityOverTime,
    pub(super) newest_first: NewestFirst,
    pub(super) move_on_expiry: bool,
}

impl AskedPlan {
    /// Those of an allocation file, in its order. What has no element there is the embedder's to say.
    pub(crate) fn of_allocations(file: &AllocationFile, options: &ReservationOptions) -> Vec<AskedPlan> {
        let ReservationOptions { capacity_over_time, newest_first, move_on_expiry, .. } = *options;
        let terms = AskedTerms { capacity_over_time, newest_first, move_on_expiry };
        let reservable = file.queues.iter().filter(|(_, own)| own.reservation);
        let plan = |name: &str| AskedPlan {
            queue: rooted(name),
            agent: file.reservation_agent.clone(),
            policy: file.reservation_policy.clone(),
            planner: file.reservation_planner.clone(),
            terms,
            lists: PlanLists::of_allocations(file, name),
        };
        reservable.map(|(name, _)| plan(name)).collect()
    }

    /// Those of a CapacityScheduler's file, in its order. `property`: a text of the scheduler's own properties and the
    /// site's.
    pub(crate) fn of_capacities(file: &CapacityFile, properties: &SiteProperties) -> Vec<AskedPlan> {
        let plans = file.queues().iter().filter_map(|queue| Some((queue, queue.as_parent()?.plan.as_ref()?)));
        let plan = |(queue, own): (&CapacityQueue, &PlanSettings)| AskedPlan {
            queue: queue.path.clone(),
            agent: own.agent.clone(),
            policy: own.policy.clone(),
            planner: own.planner.clone(),
            terms: AskedTerms {
                capacity_over_time: CapacityOverTime {
                    window_ms: own.window_ms,
                    at_once: own.instantaneous_max_capacity / 100.0,
                    on_average: own.average_capacity / 100.0,
                },
                newest_first: NewestFirst { window_ms: own.enforcement_window_ms },
                move_on_expiry: own.move_on_expiry,
            },
            lists: PlanLists::of_properties(properties, &queue.path),
        };
        plans.map(plan).collect()
    }
}
