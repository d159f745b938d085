//! The properties that the scheduler reads, by name.

/// A property and what Hadoop's `yarn-default.xml` says of it; `None` where the default is in Hadoop's code alone, and
/// `${...}` therefore does not find it.
type Known = (&'static str, Option<&'static str>);

/// Before every property of the FairScheduler alone.
pub(super) const FAIR: &str = "yarn.scheduler.fair.";
/// Before the full name of a queue.
pub(super) const AM_PREEMPTION_OF: &str = "yarn.scheduler.fair.am.preemption.";
/// The list of resource types, and before each of their properties.
pub(super) const TYPES: &str = "yarn.resource-types";
/// What follows the name of a resource type.
pub(super) const TYPE_FIELDS: [&str; 6] =
    ["units", "type", "minimum-allocation", "maximum-allocation", "increment-allocation", "tags"];

/// All but those of single queues and resource types (rules/configuration.md 1.1 and 1.2).
pub(super) const KNOWN: [Known; 52] = [
    ("yarn.scheduler.fair.allocation.file", None),
    ("yarn.scheduler.fair.user-as-default-queue", None),
    ("yarn.scheduler.fair.allow-undeclared-pools", None),
    ("yarn.scheduler.fair.preemption", None),
    ("yarn.scheduler.fair.preemption.cluster-utilization-threshold", None),
    ("yarn.scheduler.fair.preemption.strict", None),
    ("yarn.scheduler.fair.am.preemption", None),
    ("yarn.scheduler.fair.waitTimeBeforeKill", None),
    ("yarn.scheduler.fair.waitTimeBeforeNextStarvationCheck", None),
    ("yarn.scheduler.fair.sizebasedweight", None),
    ("yarn.scheduler.fair.assignmultiple", None),
    ("yarn.scheduler.fair.dynamic.max.assign", None),
    ("yarn.scheduler.fair.max.assign", None),
    ("yarn.scheduler.fair.max-containers-per-node", None),
    ("yarn.scheduler.fair.locality.threshold.node", None),
    ("yarn.scheduler.fair.locality.threshold.rack", None),
    ("yarn.scheduler.fair.locality-delay-node-ms", None),
    ("yarn.scheduler.fair.locality-delay-rack-ms", None),
    ("yarn.scheduler.fair.continuous-scheduling-enabled", None),
    ("yarn.scheduler.fair.continuous-scheduling-sleep-ms", None),
    ("yarn.scheduler.fair.update-interval-ms", None),
    ("yarn.scheduler.fair.reservable-nodes", None),
    ("yarn.scheduler.fair.migration.mode", None),
    ("yarn.scheduler.fair.no-terminal-rule.check", None),
    ("yarn.scheduler.fair.schedule-asynchronously.enable", None),
    ("yarn.scheduler.fair.schedule-asynchronously.scheduling-interval-ms", None),
    ("yarn.scheduler.reservation-threshold.increment-multiple", None),
    ("yarn.scheduler.increment-allocation-mb", None),
    ("yarn.scheduler.increment-allocation-vcores", None),
    ("yarn.scheduler.minimum-allocation-mb", Some("1024")),
    ("yarn.scheduler.minimum-allocation-vcores", Some("1")),
    ("yarn.scheduler.maximum-allocation-mb", Some("8192")),
    ("yarn.scheduler.maximum-allocation-vcores", Some("4")),
    (TYPES, None),
    ("yarn.scheduler.include-port-in-node-name", Some("false")),
    ("yarn.resourcemanager.scheduler.class", Some(CAPACITY_SCHEDULER)),
    ("yarn.resourcemanager.nodemanagers.heartbeat-interval-ms", Some("1000")),
    ("yarn.nm.liveness-monitor.expiry-interval-ms", Some("600000")),
    ("yarn.resourcemanager.rm.container-allocation.expiry-interval-ms", Some("600000")),
    ("yarn.resourcemanager.recovery.enabled", Some("false")),
    ("yarn.resourcemanager.work-preserving-recovery.enabled", Some("true")),
    ("yarn.resourcemanager.work-preserving-recovery.scheduling-wait-ms", Some("10000")),
    ("yarn.acl.enable", Some("false")),
    ("yarn.acl.reservation-enable", Some("false")),
    ("yarn.admin.acl", Some("*")),
    ("yarn.resourcemanager.reservation-system.enable", Some("false")),
    ("yarn.resourcemanager.reservation-system.class", None),
    ("yarn.resourcemanager.reservation-system.plan.follower", None),
    ("yarn.resourcemanager.reservation-system.planfollower.time-step", Some("1000")),
    ("yarn.resourcemanager.reservation-system.max-periodicity", None),
    ("yarn.resourcemanager.reservation-system.smoothness-factor", None),
    ("yarn.resourcemanager.reservation-system.favor-early-allocation", None),
];

const CAPACITY_SCHEDULER: &str = "org.apache.hadoop.yarn.server.resourcemanager.scheduler.capacity.CapacityScheduler";

/// What `yarn-default.xml` says of a property.
pub(super) fn default_of(name: &str) -> Option<&'static str> {
    KNOWN.iter().find(|(known, _)| *known == name).and_then(|(_, default)| *default)
}
