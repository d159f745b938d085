//! The scheduling monitors and what preemption is told.
//!
//! Follows rules/capacity.md 2.3; `SchedulingMonitorManager` and `ProportionalCapacityPreemptionPolicy`. Nothing of it
//! is read, and so nothing refused, while the monitors are off.

use super::error::{CapacityFault, CapacityFileError};
use super::source::Source;

const PROPORTIONAL: &str =
    "org.apache.hadoop.yarn.server.resourcemanager.monitor.capacity.ProportionalCapacityPreemptionPolicy";
const QUEUE_MANAGEMENT: &str =
    "org.apache.hadoop.yarn.server.resourcemanager.scheduler.capacity.QueueManagementDynamicEditPolicy";
const QUEUE_DELETION: &str =
    "org.apache.hadoop.yarn.server.resourcemanager.scheduler.capacity.AutoCreatedQueueDeletionPolicy";
const AUTO_REFRESH: &str =
    "org.apache.hadoop.yarn.server.resourcemanager.scheduler.capacity.QueueConfigurationAutoRefreshPolicy";
const KNOWN: &str = "ProportionalCapacityPreemptionPolicy, QueueManagementDynamicEditPolicy, \
                     AutoCreatedQueueDeletionPolicy or QueueConfigurationAutoRefreshPolicy, with its package";
const POLICIES: &str = "yarn.resourcemanager.scheduler.monitor.policies";

/// Whose containers end first within a queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PreemptionOrder {
    /// `userlimit_first`: of users above their limit.
    UserLimitFirst,
    /// `priority_first`: of applications of lower priority.
    PriorityFirst,
}

/// `yarn.resourcemanager.monitor.capacity.preemption.*`, as far as a preemption monitor runs.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct PreemptionSettings {
    /// `observe_only`
    pub observe_only: bool,
    /// `monitoring_interval`
    pub monitoring_interval_ms: i64,
    /// `max_wait_before_kill`
    pub max_wait_before_kill_ms: i64,
    /// `total_preemption_per_round`, a fraction of the cluster.
    pub total_per_round: f32,
    /// `max_ignored_over_capacity`, a fraction of the guarantee.
    pub max_ignored_over_capacity: f64,
    /// `natural_termination_factor`
    pub natural_termination_factor: f64,
    /// `select_based_on_reserved_containers`
    pub select_based_on_reserved_containers: bool,
    /// `additional_res_balance_based_on_reserved_containers`
    pub additional_balance_based_on_reserved_containers: bool,
    /// `conservative-drf`
    pub conservative_drf: bool,
    /// `preemption-to-balance-queue-after-satisfied.enabled`
    pub balance_beyond_guaranteed: bool,
    /// `preemption-to-balance-queue-after-satisfied.max-wait-before-kill`
    pub balance_max_wait_before_kill_ms: i64,
    /// `intra-queue-preemption.enabled`
    pub intra_queue: bool,
    /// `intra-queue-preemption.minimum-threshold`, a fraction of the guarantee.
    pub intra_queue_minimum_threshold: f32,
    /// `intra-queue-preemption.max-allowable-limit`, a fraction of the guarantee.
    pub intra_queue_max_allowable_limit: f32,
    /// `intra-queue-preemption.preemption-order-policy`
    pub intra_queue_order: PreemptionOrder,
    /// `intra-queue-preemption.conservative-drf`
    pub intra_queue_conservative_drf: bool,
}

/// Which monitors run.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Monitors {
    /// `ProportionalCapacityPreemptionPolicy`
    pub preemption: Option<PreemptionSettings>,
    /// `QueueManagementDynamicEditPolicy`, in milliseconds.
    pub queue_management_interval_ms: Option<i64>,
    /// `AutoCreatedQueueDeletionPolicy`
    pub queue_deletion: bool,
    /// `QueueConfigurationAutoRefreshPolicy`, in milliseconds.
    pub auto_refresh_interval_ms: Option<i64>,
}

/// Which monitors run stands in yarn-site alone, what they do also in the scheduler's own file.
pub(super) fn read(site: &Source<'_>, source: &Source<'_>) -> Result<Monitors, CapacityFileError> {
    let mut monitors = Monitors::default();
    if !site.flag("yarn.resourcemanager.scheduler.monitor.enable", false) {
        return Ok(monitors);
    }
    let policies = if site.raw(POLICIES).is_some() { site.list(POLICIES) } else { vec![PROPORTIONAL.to_owned()] };
    for policy in policies {
        match policy.as_str() {
            PROPORTIONAL => monitors.preemption = Some(read_preemption(source)?),
            QUEUE_MANAGEMENT => {
                let property = "yarn.resourcemanager.monitor.capacity.queue-management.monitoring-interval";
                monitors.queue_management_interval_ms = Some(source.long(property, 1500)?);
            }
            QUEUE_DELETION => monitors.queue_deletion = true,
            AUTO_REFRESH => {
                let property = "yarn.scheduler.capacity.queue.auto.refresh.monitoring-interval";
                monitors.auto_refresh_interval_ms = Some(source.long(property, 5000)?);
            }
            _ => {
                let fault = CapacityFault::UnknownClass { what: "scheduling monitor", name: policy, known: KNOWN };
                return Err(CapacityFileError::new(POLICIES, fault));
            }
        }
    }
    Ok(monitors)
}

pub(super) fn read_preemption(source: &Source<'_>) -> Result<PreemptionSettings, CapacityFileError> {
    let name = |tail: &str| format!("yarn.resourcemanager.monitor.capacity.preemption.{tail}");
    let flag = |tail: &str, default| source.flag(&name(tail), default);
    let long = |tail: &str, default| source.long(&name(tail), default);
    let float = |tail: &str, default| source.float(&name(tail), default);
    let double = |tail: &str, default| source.double(&name(tail), default);
    let order = name("intra-queue-preemption.preemption-order-policy");
    let text = source.text(&order);
    let intra_queue_order = match text.as_deref().map(str::to_uppercase).as_deref() {
        None | Some("USERLIMIT_FIRST") => PreemptionOrder::UserLimitFirst,
        Some("PRIORITY_FIRST") => PreemptionOrder::PriorityFirst,
        Some(_) => {
            let fault = CapacityFault::PreemptionOrder { text: text.unwrap_or_default() };
            return Err(CapacityFileError::new(order, fault));
        }
    };
    Ok(PreemptionSettings {
        observe_only: flag("observe_only", false),
        monitoring_interval_ms: long("monitoring_interval", 3000)?,
        max_wait_before_kill_ms: long("max_wait_before_kill", 15_000)?,
        total_per_round: float("total_preemption_per_round", 0.1)?,
        max_ignored_over_capacity: double("max_ignored_over_capacity", 0.1)?,
        natural_termination_factor: double("natural_termination_factor", 0.2)?,
        select_based_on_reserved_containers: flag("select_based_on_reserved_containers", false),
        additional_balance_based_on_reserved_containers: flag(
            "additional_res_balance_based_on_reserved_containers",
            false,
        ),
        conservative_drf: flag("conservative-drf", false),
        balance_beyond_guaranteed: flag("preemption-to-balance-queue-after-satisfied.enabled", false),
        balance_max_wait_before_kill_ms: long(
            "preemption-to-balance-queue-after-satisfied.max-wait-before-kill",
            300_000,
        )?,
        intra_queue: flag("intra-queue-preemption.enabled", false),
        intra_queue_minimum_threshold: float("intra-queue-preemption.minimum-threshold", 0.5)?,
        intra_queue_max_allowable_limit: float("intra-queue-preemption.max-allowable-limit", 0.2)?,
        intra_queue_order,
        intra_queue_conservative_drf: flag("intra-queue-preemption.conservative-drf", true),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bad_preemption_property_only_counts_with_the_monitor() {
        let bad = ("yarn.resourcemanager.monitor.capacity.preemption.max_wait_before_kill", "abc");
        let on = ("yarn.resourcemanager.scheduler.monitor.enable", "true");
        let monitors = |pairs: &[(&'static str, &'static str)]| {
            let site = pairs.iter().copied().collect();
            read(&Source::new(&site), &Source::new(&site))
        };
        assert_eq!(monitors(&[bad]), Ok(Monitors::default()));
        assert!(monitors(&[bad, on]).is_err());
        assert_eq!(monitors(&[on]).unwrap().preemption.unwrap().max_wait_before_kill_ms, 15_000);
    }
}
