//! The settings of the whole scheduler.
//!
//! Follows rules/capacity.md 2.1 and 2.4; `CapacityScheduler.initScheduler` and `AbstractYarnScheduler.serviceInit`.
//! What Hadoop reads only when it is needed is not refused here: it is told of, and the default holds.

use super::error::{CapacityFault, CapacityFileError};
use super::node_labels::NodeLabelSettings;
use super::preemption::{self, Monitors};
use super::source::{PREFIX, Source};
use super::warnings::Warnings;
use crate::acl::AccessControlList;
use crate::java;
use crate::settings::{CONTAINERS_PER_NODE, read_bounds, read_types};
use evenweave_resource::{Calculator, Resource, ResourceTypes};
use std::collections::BTreeMap;

const CALCULATORS: &str = "org.apache.hadoop.yarn.util.resource.DefaultResourceCalculator or \
                           org.apache.hadoop.yarn.util.resource.DominantResourceCalculator";
/// The one policy for sorting nodes that Hadoop has.
pub(super) const SORTING_POLICY: &str =
    "org.apache.hadoop.yarn.server.resourcemanager.scheduler.placement.ResourceUsageMultiNodeLookupPolicy";
/// Names of policies that are not Hadoop's begin so: those that come with Evenweave, and those of an embedder.
const OWN_SORTING_POLICIES: &str = "evenweave.";
/// The classes of policies that come with Evenweave: Hadoop's, the fullest node first, the emptiest node first.
pub const SHIPPED_SORTING_POLICIES: [&str; 3] = [SORTING_POLICY, "evenweave.FullestFirst", "evenweave.EmptiestFirst"];
/// What a class may be.
const SORTING_POLICIES: &str = "org.apache.hadoop.yarn.server.resourcemanager.scheduler.placement.ResourceUsageMultiNodeLookupPolicy, \
     evenweave.FullestFirst, evenweave.EmptiestFirst or a policy of the embedder's whose name begins with evenweave.";
const SORTING_INTERFACE: &str =
    "org.apache.hadoop.yarn.server.resourcemanager.scheduler.placement.MultiNodeLookupPolicy";
/// Whether sibling queues are compared and capacities are of one kind each.
pub(super) const LEGACY_QUEUE_MODE: &str = "yarn.scheduler.capacity.legacy-queue-mode.enabled";
/// Not Hadoop's.
pub(super) const PLAN_QUEUES_AT_ONCE: &str = "plan-queues.update-at-once";
/// Not Hadoop's.
pub(super) const CONTAINERS_OF_A_NODE: &str = "max-containers-per-node";
const SORTING: &str = "yarn.scheduler.capacity.multi-node-sorting.policy";

/// Scheduler-wide settings; the default is Hadoop's.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct CapacitySettings {
    /// `yarn.resource-types` and their `.units`.
    pub types: ResourceTypes,
    /// The least that a container gets, and the step of rounding; as in
    /// [`Settings::minimum`](crate::Settings::minimum).
    pub minimum: Resource,
    /// The most that a container gets; as in [`Settings::maximum`](crate::Settings::maximum).
    pub maximum: Resource,
    /// `resource-calculator`
    pub calculator: Calculator,
    /// `legacy-queue-mode.enabled`
    pub legacy_queue_mode: bool,
    /// `maximum-applications`
    pub maximum_applications: i32,
    /// `global-queue-max-application`; -1 for none.
    pub global_queue_max_application: i32,
    /// `user.max-parallel-apps`
    pub user_max_parallel_apps: i32,
    /// `user.<user>.max-parallel-apps`
    pub max_parallel_apps_by_user: BTreeMap<String, i32>,
    /// `node-locality-delay`
    pub node_locality_delay: i32,
    /// `rack-locality-additional-delay`; -1 for none.
    pub rack_locality_additional_delay: i32,
    /// `rack-locality-full-reset`
    pub rack_locality_full_reset: bool,
    /// `per-node-heartbeat.multiple-assignments-enabled`
    pub multiple_assignments: bool,
    /// `per-node-heartbeat.maximum-container-assignments`; -1 for no limit.
    pub maximum_container_assignments: i32,
    /// `per-node-heartbeat.maximum-offswitch-assignments`, at least 1.
    pub maximum_offswitch_assignments: i32,
    /// `max-containers-per-node`: not Hadoop's. A node with as many containers gets no further one. 0 or less means no
    /// limit. See [`CONTAINERS_PER_NODE`].
    pub max_containers_per_node: i32,
    /// `reservations-continue-look-all-nodes`
    pub reservations_continue_look_all_nodes: bool,
    /// `skip-allocate-on-nodes-with-reserved-containers`
    pub skip_allocate_on_nodes_with_reserved_containers: bool,
    /// `schedule-asynchronously.enable`
    pub schedule_asynchronously: bool,
    /// `schedule-asynchronously.scheduling-interval-ms`
    pub schedule_asynchronously_interval_ms: i64,
    /// `schedule-asynchronously.maximum-threads`, at least 1.
    pub schedule_asynchronously_maximum_threads: i32,
    /// `schedule-asynchronously.maximum-pending-backlogs`
    pub schedule_asynchronously_maximum_pending_backlogs: i32,
    /// `multi-node-placement-enabled`
    pub multi_node_placement: bool,
    /// `multi-node-sorting.policy` of queues without one.
    pub multi_node_sorting_policy: Option<String>,
    /// `multi-node-sorting.policy.names`: how often each sorts, in milliseconds.
    pub multi_node_sorting: BTreeMap<String, i64>,
    /// Their classes: each is to be one that the scheduler has.
    pub multi_node_sorting_classes: BTreeMap<String, String>,
    /// `lazy-preemption-enabled`
    pub lazy_preemption: bool,
    /// `plan-queues.update-at-once`: not Hadoop's. What a run of the plan follower gives a queue counts at once, and
    /// not when the cluster or the queues change next.
    pub plan_queues_update_at_once: bool,
    /// `application.fail-fast`
    pub application_fail_fast: bool,
    /// `user-metrics.enable`
    pub user_metrics: bool,
    /// `queue-mappings-override.enable`
    pub queue_mappings_override: bool,
    /// `workflow-priority-mappings-override.enable`
    pub workflow_priority_mappings_override: bool,
    /// `yarn.workflow-id.tag-prefix`
    pub workflow_tag_prefix: String,
    /// `auto-queue-creation-v2.queue-expiration-time` in seconds.
    pub auto_queue_expiration_seconds: i64,
    /// `ordering-policy.priority-utilization.underutilized-preemption.enabled`
    pub underutilized_preemption: bool,
    /// `ordering-policy.priority-utilization.underutilized-preemption.reserved-container-delay-ms`
    pub underutilized_preemption_delay_ms: i64,
    /// `ordering-policy.priority-utilization.underutilized-preemption.allow-move-reservation`
    pub underutilized_preemption_moves_reservations: bool,
    /// The monitors, preemption among them.
    pub monitors: Monitors,
    /// `yarn.node-labels.*` and `yarn.resourcemanager.node-labels.am.*`
    pub node_labels: NodeLabelSettings,
    /// `yarn.cluster.max-application-priority`
    pub max_application_priority: i32,
    /// `yarn.acl.enable`
    pub acl_enable: bool,
    /// `yarn.admin.acl`
    pub admin_acl: AccessControlList,
    /// `yarn.scheduler.include-port-in-node-name`
    pub include_port_in_node_name: bool,
    /// `yarn.resourcemanager.nodemanagers.heartbeat-interval-ms`
    pub node_heartbeat_interval_ms: i64,
    /// `yarn.scheduler.skip.node.multiplier`
    pub skip_node_multiplier: i32,
    /// `yarn.resourcemanager.work-preserving-recovery.enabled`
    pub work_preserving_recovery: bool,
    /// `yarn.resourcemanager.work-preserving-recovery.scheduling-wait-ms`
    pub scheduling_wait_ms: i64,
    /// `yarn.resourcemanager.rm.container-allocation.expiry-interval-ms`
    pub container_expiry_ms: i64,
    /// `yarn.resourcemanager.application-timeouts.monitor.interval-ms`; 0 and below are the default of 3000.
    pub lifetime_monitor_interval_ms: i64,
}

impl CapacitySettings {
    /// So many of the smallest containers have room on a cluster, where that is more than it has vcores and nobody
    /// counts these: the calculator counts memory alone.
    #[must_use]
    pub fn containers_beyond_vcores(&self, cluster: &Resource) -> Option<i64> {
        let most = cluster.memory_mb() / self.minimum.memory_mb().max(1);
        (self.calculator == Calculator::Memory && most > cluster.vcores()).then_some(most)
    }
}

fn name(tail: &str) -> String {
    format!("{PREFIX}{tail}")
}

/// `site` is yarn-site alone, `source` that and the scheduler's own file. Some properties are read for leaves alone.
pub(super) fn read(
    site: &Source<'_>,
    source: &Source<'_>,
    leaves: bool,
    warnings: &mut Warnings<'_>,
) -> Result<CapacitySettings, CapacityFileError> {
    check_bounds(source, "memory", "mb", (1024, 8192))?;
    check_bounds(source, "vcores", "vcores", (1, 4))?;
    let types = read_types(site.properties())?;
    // The smallest is read from yarn-site alone.
    let (minimum, _) = read_bounds(site.properties(), &types)?;
    let (_, maximum) = read_bounds(source.properties(), &types)?;
    let calculator = read_calculator(source, &types)?;
    let flag = |tail: &str, default| source.flag(&name(tail), default);
    let int = |tail: &str, default| source.int(&name(tail), default);
    let mut of_leaves = |tail: &str, default| warnings.unless(leaves, int(tail, default), default);
    let maximum_applications = of_leaves("maximum-applications", 10_000)?;
    let global_queue_max_application = of_leaves("global-queue-max-application", -1)?;
    let node_locality_delay = of_leaves("node-locality-delay", 40)?;
    let rack_locality_additional_delay = of_leaves("rack-locality-additional-delay", -1)?;
    let on = flag("schedule-asynchronously.enable", false);
    let interval = source.long(&name("schedule-asynchronously.scheduling-interval-ms"), 5);
    let mut threads = |tail: &str, default| warnings.unless(on, int(tail, default), default);
    let maximum_threads = threads("schedule-asynchronously.maximum-threads", 1)?.max(1);
    let maximum_pending_backlogs = threads("schedule-asynchronously.maximum-pending-backlogs", 100)?;
    Ok(CapacitySettings {
        minimum,
        maximum,
        calculator,
        legacy_queue_mode: source.flag(LEGACY_QUEUE_MODE, true),
        maximum_applications,
        global_queue_max_application,
        user_max_parallel_apps: warnings.or_default(int("user.max-parallel-apps", i32::MAX), i32::MAX),
        max_parallel_apps_by_user: max_parallel_apps_by_user(source, warnings),
        node_locality_delay,
        rack_locality_additional_delay,
        rack_locality_full_reset: flag("rack-locality-full-reset", true),
        multiple_assignments: flag("per-node-heartbeat.multiple-assignments-enabled", true),
        maximum_container_assignments: int("per-node-heartbeat.maximum-container-assignments", 100)?,
        maximum_offswitch_assignments: int("per-node-heartbeat.maximum-offswitch-assignments", 1)?.max(1),
        max_containers_per_node: int(CONTAINERS_OF_A_NODE, CONTAINERS_PER_NODE)?,
        reservations_continue_look_all_nodes: flag("reservations-continue-look-all-nodes", true),
        skip_allocate_on_nodes_with_reserved_containers: flag("skip-allocate-on-nodes-with-reserved-containers", false),
        schedule_asynchronously: on,
        schedule_asynchronously_interval_ms: warnings.unless(on, interval, 5)?,
        schedule_asynchronously_maximum_threads: maximum_threads,
        schedule_asynchronously_maximum_pending_backlogs: maximum_pending_backlogs,
        multi_node_placement: flag("multi-node-placement-enabled", false),
        multi_node_sorting_policy: source.text(SORTING).map(|policy| java::trim(&policy).to_owned()),
        multi_node_sorting: multi_node_sorting(source)?,
        multi_node_sorting_classes: multi_node_sorting_classes(source)?,
        lazy_preemption: flag("lazy-preemption-enabled", false),
        plan_queues_update_at_once: flag(PLAN_QUEUES_AT_ONCE, false),
        application_fail_fast: flag("application.fail-fast", false),
        user_metrics: flag("user-metrics.enable", false),
        queue_mappings_override: flag("queue-mappings-override.enable", false),
        workflow_priority_mappings_override: flag("workflow-priority-mappings-override.enable", false),
        auto_queue_expiration_seconds: warnings
            .or_default(source.long(&name("auto-queue-creation-v2.queue-expiration-time"), 300), 300),
        underutilized_preemption: flag("ordering-policy.priority-utilization.underutilized-preemption.enabled", false),
        underutilized_preemption_delay_ms: warnings.or_default(
            source.long(
                &name("ordering-policy.priority-utilization.underutilized-preemption.reserved-container-delay-ms"),
                60_000,
            ),
            60_000,
        ),
        underutilized_preemption_moves_reservations: flag(
            "ordering-policy.priority-utilization.underutilized-preemption.allow-move-reservation",
            false,
        ),
        workflow_tag_prefix: site.text("yarn.workflow-id.tag-prefix").unwrap_or_else(|| "workflowid:".to_owned()),
        monitors: preemption::read(site, source)?,
        node_labels: NodeLabelSettings::read(site),
        max_application_priority: source.int("yarn.cluster.max-application-priority", 0)?,
        acl_enable: site.flag("yarn.acl.enable", false),
        admin_acl: AccessControlList::parse(&site.text("yarn.admin.acl").unwrap_or_else(|| "*".to_owned())),
        include_port_in_node_name: source.flag("yarn.scheduler.include-port-in-node-name", false),
        node_heartbeat_interval_ms: site.long("yarn.resourcemanager.nodemanagers.heartbeat-interval-ms", 1000)?,
        skip_node_multiplier: site.int("yarn.scheduler.skip.node.multiplier", 2)?,
        work_preserving_recovery: site.flag("yarn.resourcemanager.work-preserving-recovery.enabled", true),
        scheduling_wait_ms: site.long("yarn.resourcemanager.work-preserving-recovery.scheduling-wait-ms", 10_000)?,
        container_expiry_ms: warnings
            .or_default(site.long("yarn.resourcemanager.rm.container-allocation.expiry-interval-ms", 600_000), 600_000),
        lifetime_monitor_interval_ms: match site
            .long("yarn.resourcemanager.application-timeouts.monitor.interval-ms", 3000)?
        {
            ..=0 => 3000,
            interval => interval,
        },
        types,
    })
}

/// `CapacitySchedulerConfigValidator.validateMemoryAllocation` and `validateVCores`.
fn check_bounds(
    source: &Source<'_>,
    kind: &'static str,
    unit: &'static str,
    defaults: (i32, i32),
) -> Result<(), CapacityFileError> {
    let property = format!("yarn.scheduler.minimum-allocation-{unit}");
    let minimum = source.int(&property, defaults.0)?;
    let maximum = source.int(&format!("yarn.scheduler.maximum-allocation-{unit}"), defaults.1)?;
    if minimum <= 0 || minimum > maximum {
        let fault = CapacityFault::AllocationBounds { kind, unit, minimum, maximum };
        return Err(CapacityFileError::new(property, fault));
    }
    Ok(())
}

fn read_calculator(source: &Source<'_>, types: &ResourceTypes) -> Result<Calculator, CapacityFileError> {
    const PACKAGE: &str = "org.apache.hadoop.yarn.util.resource.";
    let property = name("resource-calculator");
    let class = source.text(&property).unwrap_or_else(|| format!("{PACKAGE}DefaultResourceCalculator"));
    let fault = match java::trim(&class).strip_prefix(PACKAGE) {
        Some("DominantResourceCalculator") => return Ok(Calculator::Dominant),
        Some("DefaultResourceCalculator") if types.len() == 2 => return Ok(Calculator::Memory),
        Some("DefaultResourceCalculator") => {
            CapacityFault::TooManyTypes { types: types.names().collect::<Vec<_>>().join(", ") }
        }
        _ => CapacityFault::UnknownCalculator { name: class, known: CALCULATORS },
    };
    Err(CapacityFileError::new(property, fault))
}

/// They are looked up when a user submits, so a bad one is no reason not to start.
fn max_parallel_apps_by_user(source: &Source<'_>, warnings: &mut Warnings<'_>) -> BTreeMap<String, i32> {
    let prefix = name("user.");
    let users = source.under(&prefix).filter_map(|tail| tail.strip_suffix(".max-parallel-apps"));
    let mut out = BTreeMap::new();
    for user in users {
        let read = source.bare_int(&format!("{prefix}{user}.max-parallel-apps"));
        if let Some(most) = warnings.or_default(read, None) {
            out.insert(user.to_owned(), most);
        }
    }
    out
}

/// The policies for sorting nodes that are named for the cluster, with their intervals.
fn multi_node_sorting(source: &Source<'_>) -> Result<BTreeMap<String, i64>, CapacityFileError> {
    let mut out = BTreeMap::new();
    for policy in source.list(&format!("{SORTING}.names")) {
        named_sorting_class(source, &policy)?;
        let property = format!("{SORTING}.{policy}.sorting-interval.ms");
        let interval = source.long(&property, 1000)?;
        if interval < 0 {
            return Err(CapacityFileError::new(property, CapacityFault::SortingInterval { policy, interval }));
        }
        out.insert(policy, interval);
    }
    Ok(out)
}

fn multi_node_sorting_classes(source: &Source<'_>) -> Result<BTreeMap<String, String>, CapacityFileError> {
    let names = source.list(&format!("{SORTING}.names")).into_iter();
    names.map(|policy| named_sorting_class(source, &policy).map(|class| (policy, class))).collect()
}

/// The class of a policy that is named for the cluster: the one called default has one also where none is written.
fn named_sorting_class(source: &Source<'_>, policy: &str) -> Result<String, CapacityFileError> {
    if policy == "default" && source.raw(&format!("{SORTING}.default.class")).is_none() {
        return Ok(SORTING_POLICY.to_owned());
    }
    sorting_class(source, policy)
}

/// A policy for sorting nodes needs a class of its own. Hadoop has just one.
pub(super) fn sorting_class(source: &Source<'_>, policy: &str) -> Result<String, CapacityFileError> {
    let policy = java::trim(policy).to_owned();
    let property = format!("{SORTING}.{policy}.class");
    let fault = match source.text(&property) {
        Some(class) if is_sorting_class(java::trim(&class)) => return Ok(java::trim(&class).to_owned()),
        Some(name) => CapacityFault::UnknownClass { what: "NodesSortingPolicy", name, known: SORTING_POLICIES },
        None => CapacityFault::SortingPolicyWithoutClass { policy, class: SORTING_INTERFACE, known: SORTING_POLICY },
    };
    Err(CapacityFileError::new(property, fault))
}

fn is_sorting_class(class: &str) -> bool {
    class == SORTING_POLICY || class.strip_prefix(OWN_SORTING_POLICIES).is_some_and(|name| !name.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings(pairs: &[(&'static str, &'static str)]) -> Result<CapacitySettings, CapacityFileError> {
        let site = pairs.iter().copied().collect();
        let source = Source::new(&site);
        read(&source, &source, true, &mut Warnings::new(&source))
    }

    #[test]
    fn defaults_are_hadoops() {
        let settings = settings(&[]).unwrap();
        assert_eq!(settings.minimum, Resource::new(1024, 1));
        assert_eq!(settings.maximum.with(2, 0).with(3, 0).vcores(), 4);
        assert_eq!((settings.maximum_applications, settings.node_locality_delay), (10_000, 40));
        assert_eq!(settings.calculator, Calculator::Memory);
    }

    #[test]
    fn a_minimum_must_be_positive_and_below_the_maximum() {
        let error = settings(&[("yarn.scheduler.minimum-allocation-mb", "9000")]).unwrap_err();
        assert_eq!(
            error.to_string(),
            "yarn.scheduler.minimum-allocation-mb: Invalid resource scheduler memory allocation configuration, \
             yarn.scheduler.minimum-allocation-mb=9000, yarn.scheduler.maximum-allocation-mb=8192, min and max should be \
             greater than 0, max should be no smaller than min."
        );
        assert!(settings(&[("yarn.scheduler.minimum-allocation-vcores", "0")]).is_err());
    }

    #[test]
    fn custom_types_need_the_dominant_calculator() {
        let gpu = ("yarn.resource-types", "gpu");
        assert!(matches!(*settings(&[gpu]).unwrap_err().fault, CapacityFault::TooManyTypes { .. }));
        let dominant = "org.apache.hadoop.yarn.util.resource.DominantResourceCalculator";
        let settings = settings(&[gpu, ("yarn.scheduler.capacity.resource-calculator", dominant)]).unwrap();
        assert_eq!(settings.calculator, Calculator::Dominant);
    }

    #[test]
    fn what_is_read_only_when_needed_is_no_reason_not_to_start() {
        let bad = ("yarn.scheduler.capacity.schedule-asynchronously.maximum-threads", "x");
        assert_eq!(settings(&[bad]).unwrap().schedule_asynchronously_maximum_threads, 1);
        assert!(settings(&[bad, ("yarn.scheduler.capacity.schedule-asynchronously.enable", "true")]).is_err());
        assert!(settings(&[("yarn.scheduler.capacity.user.al.max-parallel-apps", "x")]).is_ok());
    }

    #[test]
    fn a_policy_for_sorting_nodes_needs_its_class() {
        let names = ("yarn.scheduler.capacity.multi-node-sorting.policy.names", "default, x");
        assert!(settings(&[names]).is_err());
        let class = ("yarn.scheduler.capacity.multi-node-sorting.policy.x.class", SORTING_POLICY);
        assert_eq!(settings(&[names, class]).unwrap().multi_node_sorting["x"], 1000);
        let own = settings(&[names, (class.0, " evenweave.FullestFirst ")]).unwrap();
        assert_eq!(own.multi_node_sorting_classes["x"], "evenweave.FullestFirst");
        assert_eq!(own.multi_node_sorting_classes["default"], SORTING_POLICY);
        let wrong = settings(&[names, (class.0, "org.example.Nodes")]).unwrap_err().to_string();
        assert!(wrong.starts_with("yarn.scheduler.capacity.multi-node-sorting.policy.x.class: "), "{wrong}");
        assert!(wrong.contains("evenweave.EmptiestFirst"), "{wrong}");
    }

    #[test]
    fn an_unknown_class_has_a_proposal() {
        let names = ("yarn.scheduler.capacity.multi-node-sorting.policy.names", "x");
        let class = "yarn.scheduler.capacity.multi-node-sorting.policy.x.class";
        let calculator = "yarn.scheduler.capacity.resource-calculator";
        let help = |pairs: &[(&'static str, &'static str)]| settings(pairs).unwrap_err().diagnostic().help;
        let meant = |class: &str| Some(format!("did you mean {class}?"));
        assert_eq!(help(&[names, (class, "evenwave.FullestFrist")]), meant("evenweave.FullestFirst"));
        assert_eq!(help(&[names, (class, "ResourceUsageMultiNodeLookupPolicy")]), meant(SORTING_POLICY));
        let dominant = "org.apache.hadoop.yarn.util.resource.DominantResourceCalculator";
        assert_eq!(help(&[(calculator, "DominantResourceCalculator")]), meant(dominant));
        assert_eq!(help(&[(calculator, "org.apache.hadoop.yarn.util.resource.DominantCalculator")]), meant(dominant));
        assert_eq!(help(&[names, (class, "org.example.Nodes")]), None);
    }
}
