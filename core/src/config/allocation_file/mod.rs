//! The allocation file: queues, limits, users, defaults and placement rules.
//!
//! Reading is one pure function from text to [`AllocationFile`], warnings beside it; what a reload does with the
//! result belongs to the scheduler. Configuration reference 2, 3 and 7.3; Hadoop's `AllocationFileLoaderService`,
//! `AllocationFileParser`, `AllocationFileQueueParser` and `QueueProperties`.

mod check;

mod context;

mod defaults;

mod elements;

mod error;

mod lint;

mod placement;

mod placement_error;

mod queue;

mod read;

mod user;

#[cfg(test)]
mod tests;

pub use check::{CheckOptions, Checked};
pub use error::{AllocationFileError, NumberKind, PlacementChange};
pub use placement_error::PlacementError;

use super::acl::AccessControlList;
use super::diagnostic::Diagnostic;
use super::encoding::{self, Undecodable};
use super::java::equals_ignore_case;
use super::placement_rules::PlacementRule;
use super::resource_string::Limit;
use crate::resource::{Resource, ResourceTypes};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt;

/// How a queue shares among its children.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub enum PolicyName {
    /// By memory.
    #[default]
    Fair,
    /// First in, first out.
    Fifo,
    /// By the dominant resource.
    Drf,
    /// One that the embedder brings, by its name.
    Custom(String),
}

impl PolicyName {
    /// Reads a name in any case, a Hadoop class name, or one of `custom` to the letter.
    #[must_use]
    pub fn parse(text: &str, custom: &[String]) -> Option<PolicyName> {
        const PACKAGE: &str = "org.apache.hadoop.yarn.server.resourcemanager.scheduler.fair.policies.";
        // Both, as in Hadoop: a dotless i becomes an i in upper case alone.
        let lower = text.to_lowercase();
        let words = [("fair", PolicyName::Fair), ("fifo", PolicyName::Fifo), ("drf", PolicyName::Drf)];
        if let Some((_, policy)) = words.into_iter().find(|(word, _)| equals_ignore_case(&lower, word)) {
            return Some(policy);
        }
        match text.strip_prefix(PACKAGE) {
            Some("FairSharePolicy") => Some(PolicyName::Fair),
            Some("FifoPolicy") => Some(PolicyName::Fifo),
            Some("DominantResourceFairnessPolicy") => Some(PolicyName::Drf),
            _ => custom.iter().find(|name| *name == text).cloned().map(PolicyName::Custom),
        }
    }
}

/// Hadoop's spelling: `fair`, `FIFO`, `DRF`.
impl fmt::Display for PolicyName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            PolicyName::Fair => "fair",
            PolicyName::Fifo => "FIFO",
            PolicyName::Drf => "DRF",
            PolicyName::Custom(name) => name,
        })
    }
}

/// What the file says about one queue; `None` where it says nothing.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct QueueSettings {
    /// `weight`; 1 where absent.
    pub weight: Option<f32>,
    /// `minResources`; zero where absent or given as a percentage.
    pub min: Option<Resource>,
    /// `maxResources`; `queueMaxResourcesDefault` where absent.
    pub max: Option<Limit>,
    /// `maxChildResources`, the maximum of direct ad hoc children.
    pub max_child: Option<Limit>,
    /// `maxContainerAllocation`; the parent's where absent or given as a percentage.
    pub max_container: Option<Resource>,
    /// `maxRunningApps`; `queueMaxAppsDefault` where absent.
    pub max_running_apps: Option<i32>,
    /// `maxAMShare`, 1.0 at most, -1 for no check; `queueMaxAMShareDefault` where absent.
    pub max_am_share: Option<f32>,
    /// `schedulingPolicy`; the file's default, not the parent's, where absent.
    pub policy: Option<PolicyName>,
    /// `minSharePreemptionTimeout` in milliseconds; the parent's where absent.
    pub min_share_preemption_timeout_ms: Option<i64>,
    /// `fairSharePreemptionTimeout` in milliseconds; the parent's where absent.
    pub fair_share_preemption_timeout_ms: Option<i64>,
    /// `fairSharePreemptionThreshold`, from 0 to 1; the parent's where absent.
    pub fair_share_preemption_threshold: Option<f32>,
    /// `allowPreemptionFrom`: `Some(false)` forbids, also for all below; it is never `Some(true)`.
    pub preemptable: Option<bool>,
    /// `aclSubmitApps`; nobody where absent, everybody in root.
    pub acl_submit: Option<AccessControlList>,
    /// `aclAdministerApps`; nobody where absent, everybody in root.
    pub acl_administer: Option<AccessControlList>,
    /// `aclAdministerReservations`
    pub acl_administer_reservations: Option<AccessControlList>,
    /// `aclListReservations`
    pub acl_list_reservations: Option<AccessControlList>,
    /// `aclSubmitReservations`
    pub acl_submit_reservations: Option<AccessControlList>,
    /// `reservation`: the queue is a plan. It counts as a parent then.
    pub reservation: bool,
}

/// An allocation file. The default is what holds without one: root alone, built-in defaults, and preemption variables
/// that were never set (-1).
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct AllocationFile {
    /// The queues by full name, as far as the file has elements for them. (Below a top queue spelt `ROOT` Hadoop keeps the
    /// settings under that spelling, where no queue finds them, and so does this.)
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
    /// `defaultMinSharePreemptionTimeout` in milliseconds, for root; `i64::MAX` is never. Not read where root has its own.
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
        }
    }
}

/// What reading a file gives.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Parsed {
    /// The file.
    pub file: AllocationFile,
    /// What was accepted, as Hadoop accepts it, but hardly meant; in the order of discovery.
    pub warnings: Vec<Diagnostic>,
}

impl AllocationFile {
    /// Reads an allocation file. `source_name` stands in errors and warnings; `custom_policies` are the scheduling
    /// policies that the embedder brings.
    ///
    /// ```
    /// use evenweave::{AllocationFile, ResourceTypes};
    /// let text = "<allocations>\n <queue name='a'><maxAMShare>1.5x</maxAMShare></queue>\n</allocations>";
    /// let error = AllocationFile::parse(text, "fair-scheduler.xml", &ResourceTypes::standard(), &[]).unwrap_err();
    /// assert_eq!(
    ///     error.to_string(),
    ///     "fair-scheduler.xml:2:30: queue \"root.a\": maxAMShare \"1.5x\" is not a number; write a number, such as 0.5 or -1"
    /// );
    /// ```
    ///
    /// # Errors
    /// Where Hadoop refuses the file. An error may still change the placement rules, see
    /// [`AllocationFileError::installed_placement`].
    pub fn parse(
        text: &str,
        source_name: &str,
        types: &ResourceTypes,
        custom_policies: &[String],
    ) -> Result<Parsed, AllocationFileError> {
        read::read(text, source_name, types, custom_policies)
    }

    /// Checks an allocation file: gives all errors, not only the first, and warns of whatever Hadoop takes, but was hardly
    /// meant. For whoever edits files; it costs more than [`AllocationFile::parse`].
    ///
    /// ```
    /// use evenweave::{AllocationFile, CheckOptions, ResourceTypes, Severity};
    /// let text = "<allocations>\n <queue name='a'><maxAMShare>1.5</maxAMShare></queue>\n</allocations>";
    /// let checked = AllocationFile::check(text, "fair-scheduler.xml", &CheckOptions::new(&ResourceTypes::standard()));
    /// let [found] = checked.diagnostics.as_slice() else { panic!() };
    /// assert_eq!((found.severity, found.code), (Severity::Warning, "am-share-above-1"));
    /// assert_eq!(found.message, "queue \"root.a\": maxAMShare is 1.5");
    /// assert_eq!(found.effect.as_deref(), Some("Hadoop takes it for 1.0: it is a fraction, not a percentage"));
    /// ```
    #[must_use]
    pub fn check(text: &str, source_name: &str, options: &CheckOptions<'_>) -> Checked {
        check::check(text, source_name, options)
    }

    /// Turns a file's bytes into text by its byte order mark or XML declaration: UTF-8, UTF-16, ISO-8859-1 or ASCII.
    ///
    /// # Errors
    /// When the bytes are not in the encoding.
    pub fn decode(bytes: &[u8], source_name: &str) -> Result<String, AllocationFileError> {
        let malformed =
            |error: Undecodable| AllocationFileError::Malformed { at: error.at, problem: error.problem.to_owned() };
        encoding::decode(bytes, source_name).map_err(malformed)
    }

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
