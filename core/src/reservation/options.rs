//! What an embedder may give to the reservation system, and what files may name.

use super::agent::{ReservationAgent, WayAgent};
use super::plan::SharingPolicy;
use super::replanner::{NewestFirst, Replanner};
use super::sharing::{CapacityOverTime, NoOverCommit};
use crate::config::Settings;
use crate::sync::Arc;
use std::collections::BTreeMap;

/// An allocation file, or a queue of a CapacityScheduler, names a class that neither Hadoop nor the embedder has.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{element} names {class:?}, which is neither one of Hadoop's ({known}) nor given by the embedder")]
pub struct UnknownClass {
    element: &'static str,
    class: String,
    /// The full names of Hadoop's.
    known: String,
}

impl UnknownClass {
    /// `known`: Hadoop's classes, below their package.
    fn new(element: &'static str, class: &str, known: &[&str]) -> UnknownClass {
        let known = known.iter().map(|name| format!("{PACKAGE}{name}")).collect::<Vec<_>>().join(", ");
        UnknownClass { element, class: class.to_owned(), known }
    }
}

/// The embedder's own agents, policies and planners, under the names that configuration files give them; and settings
/// for which an allocation file has no element.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ReservationOptions {
    /// Agents that `reservation-agent` may name besides Hadoop's.
    pub agents: BTreeMap<String, Arc<dyn ReservationAgent>>,
    /// Policies that `reservation-policy` may name besides Hadoop's.
    pub policies: BTreeMap<String, Arc<dyn SharingPolicy>>,
    /// Planners that `reservation-planner` may name besides Hadoop's.
    pub replanners: BTreeMap<String, Arc<dyn Replanner>>,
    /// Settings of Hadoop's `CapacityOverTimePolicy`, for a FairScheduler. A CapacityScheduler has them in its queues.
    pub capacity_over_time: CapacityOverTime,
    /// Setting of Hadoop's `SimpleCapacityReplanner`, for a FairScheduler. A CapacityScheduler has it in its queues.
    pub newest_first: NewestFirst,
    /// `true`: applications of a reservation that has ended move to the plan's default queue. `false`: they are
    /// killed. For a FairScheduler: a CapacityScheduler has it in its queues.
    pub move_on_expiry: bool,
}

impl Default for ReservationOptions {
    fn default() -> Self {
        ReservationOptions {
            agents: BTreeMap::default(),
            policies: BTreeMap::default(),
            replanners: BTreeMap::default(),
            capacity_over_time: CapacityOverTime::default(),
            newest_first: NewestFirst::default(),
            move_on_expiry: true,
        }
    }
}

const PACKAGE: &str = "org.apache.hadoop.yarn.server.resourcemanager.reservation.";

/// The name of one of Hadoop's classes below their package. As for Hadoop, a name without the package is none of these.
fn own_name(class: &str) -> &str {
    class.strip_prefix(PACKAGE).unwrap_or_default()
}

impl ReservationOptions {
    pub(super) fn agent(&self, class: &str, settings: &Settings) -> Result<Arc<dyn ReservationAgent>, UnknownClass> {
        if let Some(own) = self.agents.get(class) {
            return Ok(own.clone());
        }
        let agent = match own_name(class) {
            "planning.AlignedPlannerWithGreedy" => {
                WayAgent::aligned_then_greedy(settings.reservation_smoothness_factor)
            }
            "planning.GreedyReservationAgent" => WayAgent::greedy(),
            _ => {
                let known = ["planning.AlignedPlannerWithGreedy", "planning.GreedyReservationAgent"];
                return Err(UnknownClass::new("reservation-agent", class, &known));
            }
        };
        Ok(Arc::new(if settings.reservation_favor_early { agent } else { agent.late() }))
    }

    pub(super) fn sharing(&self, class: &str, asked: CapacityOverTime) -> Result<Arc<dyn SharingPolicy>, UnknownClass> {
        if let Some(own) = self.policies.get(class) {
            return Ok(own.clone());
        }
        match own_name(class) {
            "CapacityOverTimePolicy" => Ok(Arc::new(asked)),
            "NoOverCommitPolicy" => Ok(Arc::new(NoOverCommit)),
            _ => {
                let known = ["CapacityOverTimePolicy", "NoOverCommitPolicy"];
                Err(UnknownClass::new("reservation-policy", class, &known))
            }
        }
    }

    pub(super) fn replanner(&self, class: &str, asked: NewestFirst) -> Result<Arc<dyn Replanner>, UnknownClass> {
        if let Some(own) = self.replanners.get(class) {
            return Ok(own.clone());
        }
        match own_name(class) {
            "planning.SimpleCapacityReplanner" => Ok(Arc::new(asked)),
            _ => Err(UnknownClass::new("reservation-planner", class, &["planning.SimpleCapacityReplanner"])),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn listed(error: &UnknownClass) -> Vec<String> {
        error.known.split(", ").map(str::to_owned).collect()
    }

    #[test]
    fn a_message_lists_names_that_are_accepted() {
        let (options, settings) = (ReservationOptions::default(), Settings::default());
        let agent = |class: &str| options.agent(class, &settings);
        let policy = |class: &str| options.sharing(class, CapacityOverTime::default());
        let replanner = |class: &str| options.replanner(class, NewestFirst::default());
        // Below the package alone, a name is none of Hadoop's.
        let agents = listed(&agent("planning.GreedyReservationAgent").unwrap_err());
        let policies = listed(&policy("NoOverCommitPolicy").unwrap_err());
        let replanners = listed(&replanner("SimpleCapacityReplanner").unwrap_err());
        assert_eq!([agents.len(), policies.len(), replanners.len()], [2, 2, 1]);
        assert!(agents.iter().all(|name| agent(name).is_ok()), "{agents:?}");
        assert!(policies.iter().all(|name| policy(name).is_ok()), "{policies:?}");
        assert!(replanners.iter().all(|name| replanner(name).is_ok()), "{replanners:?}");
    }
}
