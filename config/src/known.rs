//! The properties that the scheduler reads, by name.

use crate::nearest::{edits, nearest};

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

/// What else Hadoop reads below the prefixes of [`misspelt`].
const OF_OTHERS: [&str; 22] = [
    "yarn.scheduler.app-placement-allocator.class",
    "yarn.scheduler.queue-placement-rules",
    "yarn.scheduler.queue-placement-rules.app-name",
    "yarn.scheduler.skip.node.multiplier",
    "yarn.scheduler.configuration.store.class",
    "yarn.scheduler.configuration.store.max-logs",
    "yarn.scheduler.configuration.max.version",
    "yarn.scheduler.configuration.fs.path",
    "yarn.scheduler.configuration.mutation.acl-policy.class",
    "yarn.scheduler.configuration.zk-store.parent-path",
    "yarn.scheduler.configuration.leveldb-store.path",
    "yarn.scheduler.configuration.leveldb-store.compaction-interval-secs",
    "yarn.node-labels.enabled",
    "yarn.node-labels.configuration-type",
    "yarn.node-labels.exclusive-enforced-partitions",
    "yarn.node-labels.manager-class",
    "yarn.node-labels.fs-store.root-dir",
    "yarn.node-labels.fs-store.impl.class",
    "yarn.node-labels.fs-store.retry-policy-spec",
    "yarn.resourcemanager.node-labels.am.default-node-label-expression",
    "yarn.resourcemanager.node-labels.am.allow-non-exclusive-allocation",
    "yarn.resourcemanager.node-labels.provider",
];
/// A name of EMR's Hadoop, which stock Hadoop does not read, and the one that it reads.
pub(super) const OF_EMR: (&str, &str) = (
    "yarn.node-labels.am.default-node-label-expression",
    "yarn.resourcemanager.node-labels.am.default-node-label-expression",
);
/// Prefixes below which a name that is nearly a known one is a slip. Elsewhere a name may be of another part of Hadoop:
/// `yarn.am.liveness-monitor.expiry-interval-ms` is none of `yarn.nm...`.
const OF_THE_SCHEDULER: [&str; 8] = [
    "yarn.scheduler.",
    "yarn.node-labels.",
    "yarn.acl.",
    "yarn.resourcemanager.node-labels.",
    "yarn.resourcemanager.reservation-system.",
    "yarn.resourcemanager.work-preserving-recovery.",
    "yarn.resourcemanager.placement-constraints.",
    "yarn.resourcemanager.monitor.capacity.preemption.",
];
/// Below these every name is looked at elsewhere.
const LOOKED_AT_ELSEWHERE: [&str; 2] = [FAIR, "yarn.scheduler.capacity."];
/// A slip of the finger is of so many letters at most.
const MOST_EDITS: usize = 3;

/// Known properties beside those of [`KNOWN`] and [`OF_OTHERS`].
const OF_CAPACITY: [&str; 16] = [
    "yarn.resourcemanager.node-labels.provider.fetch-interval-ms",
    "yarn.resourcemanager.node-labels.provider.update-newly-registered-nodes-interval-ms",
    "yarn.resourcemanager.placement-constraints.handler",
    "yarn.resourcemanager.placement-constraints.algorithm.class",
    "yarn.resourcemanager.placement-constraints.algorithm.iterator",
    "yarn.resourcemanager.placement-constraints.algorithm.pool-size",
    "yarn.resourcemanager.placement-constraints.scheduler.pool-size",
    "yarn.resourcemanager.placement-constraints.retry-attempts",
    "yarn.resourcemanager.monitor.capacity.preemption.observe_only",
    "yarn.resourcemanager.monitor.capacity.preemption.monitoring_interval",
    "yarn.resourcemanager.monitor.capacity.preemption.max_wait_before_kill",
    "yarn.resourcemanager.monitor.capacity.preemption.total_preemption_per_round",
    "yarn.resourcemanager.monitor.capacity.preemption.max_ignored_over_capacity",
    "yarn.resourcemanager.monitor.capacity.preemption.natural_termination_factor",
    "yarn.resourcemanager.monitor.capacity.preemption.select_based_on_reserved_containers",
    "yarn.resourcemanager.monitor.capacity.preemption.additional_res_balance_based_on_reserved_containers",
];

/// The property that a name is probably a slip of; none of a name that is known, or of another part of Hadoop.
pub(super) fn misspelt(name: &str) -> Option<&'static str> {
    let prefix = OF_THE_SCHEDULER.into_iter().find(|prefix| name.starts_with(prefix))?;
    if LOOKED_AT_ELSEWHERE.iter().any(|prefix| name.starts_with(prefix)) {
        return None;
    }
    let known = KNOWN.iter().map(|(known, _)| *known).chain(OF_OTHERS).chain(OF_CAPACITY);
    let mut tails: Vec<&'static str> = known.filter_map(|known| known.strip_prefix(prefix)).collect();
    let tail = &name[prefix.len()..];
    if tails.contains(&tail) {
        return None;
    }
    tails.retain(|known| edits(tail, known) <= MOST_EDITS);
    let near = nearest(tail, tails)?;
    // The whole of it: a prefix and a tail lie side by side in no text that lives long enough.
    KNOWN
        .iter()
        .map(|(known, _)| *known)
        .chain(OF_OTHERS)
        .chain(OF_CAPACITY)
        .find(|known| known.strip_prefix(prefix) == Some(near))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slips_are_found_below_the_schedulers_prefixes_alone() {
        for (name, meant) in [
            ("yarn.scheduler.maximum-alocation-mb", Some("yarn.scheduler.maximum-allocation-mb")),
            ("yarn.scheduler.maximum-allocation-cores", Some("yarn.scheduler.maximum-allocation-vcores")),
            ("yarn.node-labels.enable", Some("yarn.node-labels.enabled")),
            ("yarn.node-labels.fs-store.rootdir", Some("yarn.node-labels.fs-store.root-dir")),
            (
                "yarn.resourcemanager.node-labels.am.default-node-label-expresion",
                Some("yarn.resourcemanager.node-labels.am.default-node-label-expression"),
            ),
            (
                "yarn.resourcemanager.monitor.capacity.preemption.observe-only",
                Some("yarn.resourcemanager.monitor.capacity.preemption.observe_only"),
            ),
            ("yarn.acl.enabled", Some("yarn.acl.enable")),
            // Known, or of somebody else.
            ("yarn.scheduler.maximum-allocation-mb", None),
            ("yarn.scheduler.minimum-allocation-mb", None),
            ("yarn.node-labels.manager-class", None),
            ("yarn.am.liveness-monitor.expiry-interval-ms", None),
            ("yarn.resourcemanager.scheduler.address", None),
            ("yarn.scheduler.something.else", None),
            ("yarn.acl.x", None),
            // Told of elsewhere.
            ("yarn.scheduler.fair.max.asign", None),
            ("yarn.scheduler.capacity.maximum-aplications", None),
        ] {
            assert_eq!(misspelt(name), meant, "{name}");
        }
    }
}
