//! What an embedder may give to the reservation system, and what files may name.

use super::agent::{ReservationAgent, WayAgent};
use super::plan::SharingPolicy;
use super::replanner::{NewestFirst, Replanner};
use super::sharing::{CapacityOverTime, NoOverCommit};
use crate::config::Settings;
use crate::sync::Arc;
use std::collections::BTreeMap;

/// A class that an allocation file, or a queue of a CapacityScheduler, names, and nobody has.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{element} names {class:?}, which is neither one of Hadoop's ({known}) nor given by the embedder")]
pub struct UnknownClass {
    element: &'static str,
    class: String,
    known: &'static str,
}

/// Agents, policies and planners of an embedder's own, by the names that an allocation file has for them; and what is
/// no element of a file.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ReservationOptions {
    /// What `reservation-agent` may name besides Hadoop's.
    pub agents: BTreeMap<String, Arc<dyn ReservationAgent>>,
    /// What `reservation-policy` may name besides Hadoop's.
    pub policies: BTreeMap<String, Arc<dyn SharingPolicy>>,
    /// What `reservation-planner` may name besides Hadoop's.
    pub replanners: BTreeMap<String, Arc<dyn Replanner>>,
    /// The figures of `CapacityOverTimePolicy`. These and the two that follow are for a FairScheduler; queues of a
    /// CapacityScheduler have their own.
    pub capacity_over_time: CapacityOverTime,
    /// The figure of `SimpleCapacityReplanner`.
    pub newest_first: NewestFirst,
    /// Whether applications of a reservation that has ended go to the plan's default queue; else they are killed.
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

/// A class without the package that Hadoop's are in.
fn own_name(class: &str) -> &str {
    class.strip_prefix(PACKAGE).unwrap_or(class)
}

impl ReservationOptions {
    pub(super) fn agent(&self, class: &str, settings: &Settings) -> Result<Arc<dyn ReservationAgent>, UnknownClass> {
        if let Some(own) = self.agents.get(class) {
            return Ok(own.clone());
        }
        let early = settings.reservation_favor_early;
        match own_name(class) {
            "planning.AlignedPlannerWithGreedy" => {
                Ok(Arc::new(WayAgent::aligned_then_greedy(settings.reservation_smoothness_factor, early)))
            }
            "planning.GreedyReservationAgent" => Ok(Arc::new(WayAgent::greedy(early))),
            _ => Err(UnknownClass {
                element: "reservation-agent",
                class: class.to_owned(),
                known: "AlignedPlannerWithGreedy, GreedyReservationAgent",
            }),
        }
    }

    pub(super) fn sharing(&self, class: &str, asked: CapacityOverTime) -> Result<Arc<dyn SharingPolicy>, UnknownClass> {
        if let Some(own) = self.policies.get(class) {
            return Ok(own.clone());
        }
        match own_name(class) {
            "CapacityOverTimePolicy" => Ok(Arc::new(asked)),
            "NoOverCommitPolicy" => Ok(Arc::new(NoOverCommit)),
            _ => Err(UnknownClass {
                element: "reservation-policy",
                class: class.to_owned(),
                known: "CapacityOverTimePolicy, NoOverCommitPolicy",
            }),
        }
    }

    pub(super) fn replanner(&self, class: &str, asked: NewestFirst) -> Result<Arc<dyn Replanner>, UnknownClass> {
        if let Some(own) = self.replanners.get(class) {
            return Ok(own.clone());
        }
        match own_name(class) {
            "planning.SimpleCapacityReplanner" => Ok(Arc::new(asked)),
            _ => Err(UnknownClass {
                element: "reservation-planner",
                class: class.to_owned(),
                known: "SimpleCapacityReplanner",
            }),
        }
    }
}
