//! The settings, as values.

use crate::acl::AccessControlList;
use crate::diagnostic::Diagnostic;
use evenweave_resource::{Resource, ResourceTypes};
use std::collections::HashMap;

/// The default of [`Settings::max_containers_per_node`] and
/// [`CapacitySettings::max_containers_per_node`](crate::capacity::CapacitySettings::max_containers_per_node): no real
/// node runs so many. It bounds the memory that a node takes which claims room without end.
pub const CONTAINERS_PER_NODE: i32 = 1 << 18;

/// Settings of the whole scheduler. The defaults are Hadoop's.
///
/// ```
/// use evenweave::Settings;
/// let settings = Settings::from_properties([("yarn.scheduler.fair.max.assign", "4")]).unwrap();
/// assert_eq!(settings.max_assign, 4);
/// assert!(Settings::from_properties([("yarn.scheduler.fair.max.assign", "four")]).is_err());
/// ```
/// From files, with places in errors and warnings: [`Settings::from_site`], [`Settings::check`]. In a program:
/// [`Settings::builder`], or set the fields.
///
/// Feature `serde`: settings are serialized as plain values, without their warnings. A missing field has its default.
/// The scheduler's builder checks deserialized settings.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(default))]
#[non_exhaustive]
pub struct Settings {
    /// `yarn.resource-types` and their `.units`.
    pub types: ResourceTypes,
    /// `yarn.scheduler.minimum-allocation-mb`, `-vcores` and `yarn.resource-types.<type>.minimum-allocation`.
    pub minimum: Resource,
    /// `yarn.scheduler.maximum-allocation-mb`, `-vcores` and `yarn.resource-types.<type>.maximum-allocation`;
    /// unbounded in custom types where not set, and in unused lanes.
    pub maximum: Resource,
    /// `yarn.scheduler.increment-allocation-mb`, `-vcores` and `yarn.resource-types.<type>.increment-allocation`;
    /// 0 means no rounding.
    pub increment: Resource,
    /// `yarn.scheduler.fair.allocation.file`, as written.
    /// `FairSchedulerBuilder::allocation_file` finds the file.
    pub allocation_file: String,
    /// `yarn.scheduler.fair.allow-undeclared-pools`
    pub allow_undeclared_pools: bool,
    /// `yarn.scheduler.fair.user-as-default-queue`
    pub user_as_default_queue: bool,
    /// `yarn.scheduler.fair.sizebasedweight`
    pub size_based_weight: bool,
    /// `yarn.scheduler.fair.assignmultiple`
    pub assign_multiple: bool,
    /// `yarn.scheduler.fair.dynamic.max.assign`
    pub dynamic_max_assign: bool,
    /// `yarn.scheduler.fair.max.assign`. 0 or less means no limit.
    pub max_assign: i32,
    /// `yarn.scheduler.fair.max-containers-per-node`: not Hadoop's. A node with as many containers gets no further one.
    /// 0 or less means no limit. See [`CONTAINERS_PER_NODE`].
    pub max_containers_per_node: i32,
    /// `yarn.scheduler.fair.locality.threshold.node`: a 32-bit float, widened, 1.0 at most; negative: none.
    pub locality_threshold_node: f64,
    /// `yarn.scheduler.fair.locality.threshold.rack`: a 32-bit float, widened, 1.0 at most; negative: none.
    pub locality_threshold_rack: f64,
    /// `yarn.scheduler.fair.locality-delay-node-ms`
    pub locality_delay_node_ms: i64,
    /// `yarn.scheduler.fair.locality-delay-rack-ms`
    pub locality_delay_rack_ms: i64,
    /// `yarn.scheduler.fair.continuous-scheduling-enabled`
    pub continuous_scheduling: bool,
    /// `yarn.scheduler.fair.continuous-scheduling-sleep-ms`; a negative value counts as 0.
    pub continuous_scheduling_sleep_ms: u64,
    /// `yarn.scheduler.fair.reservable-nodes`
    pub reservable_nodes: f32,
    /// [`Settings::increment`] times `yarn.scheduler.reservation-threshold.increment-multiple`.
    pub reservation_threshold: Resource,
    /// `yarn.scheduler.fair.update-interval-ms`; a negative value counts as 500. Not read by a
    /// `Stepped` scheduler.
    pub update_interval_ms: u64,
    /// `yarn.scheduler.fair.preemption`
    pub preemption: bool,
    /// `yarn.scheduler.fair.preemption.cluster-utilization-threshold`
    pub preemption_utilization_threshold: f32,
    /// `yarn.scheduler.fair.preemption.strict`, a setting of Evenweave's. Marked containers are checked again before
    /// the kill: a container stays if the starved application no longer has a request that fits, or if the container's
    /// own application would fall below its share.
    pub preemption_strict: bool,
    /// `yarn.scheduler.fair.waitTimeBeforeKill`
    pub wait_before_kill_ms: i64,
    /// `yarn.scheduler.fair.waitTimeBeforeNextStarvationCheck`
    pub wait_before_next_starvation_check_ms: i64,
    /// `yarn.scheduler.fair.am.preemption`
    pub am_preemption: bool,
    /// `yarn.scheduler.fair.am.preemption.<queue>` by full queue name; see [`Settings::am_preemption_in`].
    pub am_preemption_by_queue: HashMap<String, bool>,
    /// `yarn.acl.enable`
    pub acl_enable: bool,
    /// `yarn.acl.reservation-enable`
    pub reservation_acl_enable: bool,
    /// `yarn.admin.acl`
    pub admin_acl: AccessControlList,
    /// `yarn.scheduler.include-port-in-node-name`
    pub include_port_in_node_name: bool,
    /// `yarn.resourcemanager.rm.container-allocation.expiry-interval-ms`
    pub container_expiry_ms: u64,
    /// `yarn.resourcemanager.nodemanagers.heartbeat-interval-ms`
    pub node_heartbeat_interval_ms: u64,
    /// `yarn.nm.liveness-monitor.expiry-interval-ms`. Nothing here acts on it: whoever embeds the scheduler finds out
    /// that a node is silent, and calls `remove_node`. `check` compares it with the heartbeat interval.
    pub node_expiry_ms: u64,
    /// `yarn.resourcemanager.recovery.enabled`
    pub recovery: bool,
    /// `yarn.resourcemanager.work-preserving-recovery.enabled`; it counts with [`Settings::recovery`] only.
    pub work_preserving_recovery: bool,
    /// `yarn.resourcemanager.work-preserving-recovery.scheduling-wait-ms`
    pub scheduling_wait_ms: u64,
    /// `yarn.resourcemanager.reservation-system.enable`
    pub reservation_system: bool,
    /// `yarn.resourcemanager.reservation-system.class`; the scheduler's own where absent.
    pub reservation_system_class: Option<String>,
    /// `yarn.resourcemanager.reservation-system.plan.follower`; the scheduler's own where absent.
    pub plan_follower_class: Option<String>,
    /// `yarn.resourcemanager.reservation-system.planfollower.time-step`, a number with perhaps a unit; a negative value
    /// counts as 1000.
    pub plan_step_ms: u64,
    /// `yarn.resourcemanager.reservation-system.max-periodicity`; 0 and less count as a day.
    pub reservation_max_periodicity_ms: u64,
    /// `yarn.resourcemanager.reservation-system.smoothness-factor`
    pub reservation_smoothness_factor: i32,
    /// `yarn.resourcemanager.reservation-system.favor-early-allocation`
    pub reservation_favor_early: bool,
    /// `yarn.scheduler.fair.migration.mode`: for Hadoop's converter; nothing here reads it.
    pub migration_mode: bool,
    /// `yarn.scheduler.fair.no-terminal-rule.check`: for Hadoop's converter; nothing here reads it.
    pub no_terminal_rule_check: bool,
    /// `yarn.scheduler.fair.schedule-asynchronously.enable`: not Hadoop's; mirrors the property of the same name under
    /// `yarn.scheduler.capacity.`
    pub schedule_asynchronously: bool,
    /// `yarn.scheduler.fair.schedule-asynchronously.scheduling-interval-ms`: not Hadoop's, as above.
    pub schedule_asynchronously_interval_ms: u64,
    /// See [`Settings::warnings`].
    #[cfg_attr(feature = "serde", serde(skip))]
    pub(crate) warnings: Vec<Diagnostic>,
}

impl Settings {
    /// What was accepted, as Hadoop accepts it, but is probably a mistake: unknown properties, settings without effect,
    /// values out of range, and what the readers of the files had to say.
    #[must_use]
    pub fn warnings(&self) -> &[Diagnostic] {
        &self.warnings
    }

    /// Whether application masters in this queue (full name) may be preempted.
    #[must_use]
    pub fn am_preemption_in(&self, queue: &str) -> bool {
        self.am_preemption_by_queue.get(queue).copied().unwrap_or(self.am_preemption)
    }
}
