//! What a file holds.

use super::error::PlacementChange;
use super::policy_name::PolicyName;
use super::queue_settings::QueueSettings;
use crate::diagnostic::Diagnostic;
use crate::placement_rules::PlacementRule;
use crate::resource_string::Limit;
use evenweave_resource::ResourceTypes;
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// An allocation file. The default is what holds without one: root alone, built-in defaults, and preemption variables
/// that were never set (-1).
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct AllocationFile {
    /// The queues by full name, as far as the file has elements for them. (Below a top queue spelt `ROOT` Hadoop keeps
    /// the settings under that spelling, where no queue finds them, and so does this.)
    pub queues: BTreeMap<String, QueueSettings>,
    /// The full names declared as leaves. A name declared twice can be both a leaf and a parent.
    pub leaves: BTreeSet<String>,
    /// The full names declared as parents.
    pub parents: BTreeSet<String>,
    /// `user`: the running applications that a user may have.
    pub users: HashMap<String, i32>,
    /// `userMaxAppsDefault`
    pub user_max_apps: i32,
    /// `queueMaxAppsDefault`, for root and parents too.
    pub queue_max_apps: i32,
    /// `queueMaxAMShareDefault`, 1.0 at most.
    pub queue_max_am_share: f32,
    /// `queueMaxResourcesDefault`, for root and parents too.
    pub queue_max_resources: Limit,
    /// `defaultQueueSchedulingPolicy`
    pub default_policy: PolicyName,
    /// `defaultMinSharePreemptionTimeout` in milliseconds, for root; `i64::MAX` is never. Not read where root has its
    /// own.
    pub min_share_preemption_timeout_ms: i64,
    /// `defaultFairSharePreemptionTimeout` in milliseconds, for root; not read where root has its own.
    pub fair_share_preemption_timeout_ms: i64,
    /// `defaultFairSharePreemptionThreshold`, from 0 to 1, for root; not read where root has its own.
    pub fair_share_preemption_threshold: f32,
    /// The rules of `queuePlacementPolicy`, if it has any.
    pub placement: Option<Vec<PlacementRule>>,
    /// Whether there is a `queuePlacementPolicy`; one without rules leaves the old ones in force.
    pub has_placement_policy: bool,
    /// `reservation-agent`
    pub reservation_agent: String,
    /// `reservation-policy`
    pub reservation_policy: String,
    /// `reservation-planner`
    pub reservation_planner: String,
    /// Those that its resources were read with, where it was read.
    pub(crate) types: Option<ResourceTypes>,
}

impl Default for AllocationFile {
    fn default() -> Self {
        const PACKAGE: &str = "org.apache.hadoop.yarn.server.resourcemanager.reservation.";
        AllocationFile {
            queues: BTreeMap::new(),
            leaves: BTreeSet::new(),
            parents: BTreeSet::new(),
            users: HashMap::new(),
            user_max_apps: i32::MAX,
            queue_max_apps: i32::MAX,
            queue_max_am_share: 0.5,
            queue_max_resources: Limit::UNBOUNDED,
            default_policy: PolicyName::Fair,
            min_share_preemption_timeout_ms: -1,
            fair_share_preemption_timeout_ms: -1,
            fair_share_preemption_threshold: -1.0,
            placement: None,
            has_placement_policy: false,
            reservation_agent: format!("{PACKAGE}planning.AlignedPlannerWithGreedy"),
            reservation_policy: format!("{PACKAGE}CapacityOverTimePolicy"),
            reservation_planner: format!("{PACKAGE}planning.SimpleCapacityReplanner"),
            types: None,
        }
    }
}

/// What reading a file gives.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Parsed {
    /// The file.
    pub file: AllocationFile,
    /// What was accepted, as Hadoop accepts it, but is probably a mistake; in the order of discovery.
    pub warnings: Vec<Diagnostic>,
}

impl AllocationFile {
    /// Whether the file names this queue.
    #[must_use]
    pub fn names(&self, queue: &str) -> bool {
        self.leaves.contains(queue) || self.parents.contains(queue)
    }

    /// The policy of a queue: its own or the file's default.
    #[must_use]
    pub fn policy_of(&self, queue: &str) -> &PolicyName {
        self.queues.get(queue).and_then(|settings| settings.policy.as_ref()).unwrap_or(&self.default_policy)
    }

    /// The first policy that the file names and that is neither built in nor among `custom`.
    pub(crate) fn unknown_policy(&self, custom: &[String]) -> Option<String> {
        let named = self.queues.values().filter_map(|queue| queue.policy.as_ref()).chain([&self.default_policy]);
        named.into_iter().find_map(|policy| match policy {
            PolicyName::Custom(name) if !custom.contains(name) => Some(name.clone()),
            PolicyName::Custom(_) | PolicyName::Fair | PolicyName::Fifo | PolicyName::Drf => None,
        })
    }

    /// What loading this file does to the placement rules in force.
    #[must_use]
    pub fn placement_change(&self) -> PlacementChange {
        match (&self.placement, self.has_placement_policy) {
            (Some(rules), _) => PlacementChange::Rules(rules.clone()),
            (None, true) => PlacementChange::Keep,
            (None, false) => PlacementChange::Defaults,
        }
    }
}
