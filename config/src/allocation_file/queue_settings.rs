//! What a file says about a queue.

use super::policy_name::PolicyName;
use crate::acl::AccessControlList;
use crate::resource_string::Limit;
use evenweave_resource::Resource;

/// What the file says about one queue; `None` where it says nothing.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct QueueSettings {
    /// `weight`; 1 where absent. A file that was read may have any weight, as in Hadoop. A file that a program has made
    /// is refused if a weight is negative or not finite.
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
    /// `aclAdministerReservations` of a plan; everybody where absent.
    pub acl_administer_reservations: Option<AccessControlList>,
    /// `aclListReservations` of a plan; everybody where absent.
    pub acl_list_reservations: Option<AccessControlList>,
    /// `aclSubmitReservations` of a plan; everybody where absent.
    pub acl_submit_reservations: Option<AccessControlList>,
    /// `reservation`: the queue is a plan. It counts as a parent then.
    pub reservation: bool,
}
