//! Beans with Hadoop's names. Numbers that are not known are not there; those that never change in Hadoop are as there.

use std::borrow::Cow;

use evenweave::Resource;

use super::bean::{Bean, put, set};
use super::measured::{Measured, OfUser, Queue};
use super::tallies::{Amount, Attempts, Held, Tally};
use super::{capacities, jmx};
use crate::latency::{Durations, Latencies};
use crate::records::{Ends, NodeState, OnLabel, Preempted};
use crate::scheduler::Updates;

const PREFIX: &str = "Hadoop:service=ResourceManager,name=";

/// All there are; so many containers a second are granted.
pub(super) fn beans(measured: &Measured, latencies: &Latencies, assigned_per_second: u64) -> Vec<Bean> {
    let queues = measured.queues.iter().map(|queue| of_queue(queue, measured));
    let users = measured.users.iter().map(|of| of_user(of, measured));
    let partitions = measured.queues.iter().flat_map(|queue| of_partitions(queue, measured));
    let durations = measured.is_fair().then(|| of_durations(measured, latencies));
    let cluster = of_cluster(measured, assigned_per_second);
    std::iter::once(cluster).chain(durations).chain(queues).chain(users).chain(partitions).collect()
}

fn bean(kind: &str, context: &str, host: &str) -> Bean {
    let mut bean = Bean::new();
    set(&mut bean, "name", format!("{PREFIX}{kind}"));
    set(&mut bean, "modelerType", kind);
    set(&mut bean, "tag.Context", context);
    set(&mut bean, "tag.Hostname", host);
    bean
}

fn of_cluster(measured: &Measured, assigned_per_second: u64) -> Bean {
    let mut bean = bean("ClusterMetrics", "yarn", &measured.host);
    set(&mut bean, "tag.ClusterMetrics", "ResourceManager");
    for (state, count) in measured.nodes {
        let name = match state {
            NodeState::Running => "NumActiveNMs",
            NodeState::Decommissioning => "NumDecommissioningNMs",
            NodeState::Decommissioned => "NumDecommissionedNMs",
            NodeState::Lost => "NumLostNMs",
        };
        set(&mut bean, name, count);
    }
    // What nobody reports, and what waits for dispatchers: there are none.
    for name in [
        "NumUnhealthyNMs",
        "NumRebootedNMs",
        "NumShutdownNMs",
        "UtilizedMB",
        "UtilizedVirtualCores",
        "RmDispatcherEventQueueSize",
        "SchedulerDispatcherEventQueueSize",
    ] {
        set(&mut bean, name, 0);
    }
    set(&mut bean, "CapabilityMB", measured.cluster.memory_mb());
    set(&mut bean, "CapabilityVirtualCores", measured.cluster.vcores());
    set(&mut bean, "ContainerAssignedPerSecond", assigned_per_second);
    bean
}

/// Hadoop's `FSOpDurations`, in milliseconds since the start; the passes of continuous scheduling are not timed.
fn of_durations(measured: &Measured, latencies: &Latencies) -> Bean {
    let mut bean = bean("FSOpDurations", "fairscheduler-op-durations", &measured.host);
    set(&mut bean, "tag.FSOpDurations", "FSOpDurations");
    let Durations { count, mean, least, most, .. } = latencies.handling.durations();
    let deviation = latencies.handling.durations().deviation();
    set(&mut bean, "NodeUpdateCallNumOps", count);
    for (name, value) in [("Avg", mean), ("Stdev", deviation), ("Min", least), ("Max", most)] {
        set(&mut bean, &format!("NodeUpdateCall{name}Time"), value);
    }
    let Updates { count, total_ms, longest_ms } = measured.counts.updates;
    set(&mut bean, "UpdateThreadRunNumOps", count);
    #[expect(clippy::cast_precision_loss, reason = "a mean")]
    set(&mut bean, "UpdateThreadRunAvgTime", total_ms as f64 / count.max(1) as f64);
    set(&mut bean, "UpdateThreadRunMaxTime", longest_ms);
    bean
}

fn of_path(path: &str) -> String {
    path.split('.').enumerate().map(|(depth, part)| format!(",q{depth}={}", jmx::key_value(part))).collect()
}

fn put_attempts(bean: &mut Bean, of: &str, attempts: &Attempts) {
    set(bean, &format!("{of}AppsRunning"), attempts.running);
    set(bean, &format!("{of}AppsPending"), attempts.pending);
}

fn put_ends(bean: &mut Bean, of: &str, ends: &Ends) {
    let Ends { submitted, completed, failed, killed } = ends;
    for (name, count) in [("Submitted", submitted), ("Completed", completed), ("Failed", failed), ("Killed", killed)] {
        set(bean, &format!("{of}Apps{name}"), *count);
    }
}

fn put_amount(bean: &mut Bean, name: &str, amount: &Amount) {
    put(bean, name, &amount.resource);
    set(bean, &format!("{name}Containers"), amount.count);
}

/// What changes with each container; in a CapacityScheduler it is kept by partition, too. A queue's and a user's own
/// bean has the default partition alone.
fn put_containers(bean: &mut Bean, held: &Held, counted: Option<OnLabel>) {
    put_amount(bean, "Allocated", &held.allocated);
    put_amount(bean, "Pending", &held.pending);
    put_amount(bean, "Reserved", &held.reserved);
    if let Some(OnLabel { allocated, released }) = counted {
        set(bean, "AggregateContainersAllocated", allocated);
        set(bean, "AggregateContainersReleased", released);
    }
}

/// Those without a label.
fn counted(tally: &Tally) -> Option<OnLabel> {
    tally.counted.map(|counted| OnLabel { allocated: counted.allocated, released: counted.released })
}

/// What queues and users have in common.
fn put_tally(bean: &mut Bean, tally: &Tally, measured: &Measured) {
    let cuts = std::iter::once(0).chain(measured.buckets.iter().copied());
    for (bucket, minutes) in cuts.enumerate() {
        set(bean, &format!("running_{minutes}"), tally.ages.get(bucket).copied().unwrap_or_default());
    }
    put_attempts(bean, "", &tally.attempts);
    put_attempts(bean, "Unmanaged", &tally.unmanaged);
    put_containers(bean, &tally.held, counted(tally));
    set(bean, "ActiveApplications", tally.active_apps);
    set(bean, "ActiveUsers", tally.active_users);
    if let Some(counted) = &tally.counted {
        put_ends(bean, "", &counted.apps);
        put_ends(bean, "Unmanaged", &counted.unmanaged);
    }
    if measured.is_fair() {
        // A FairScheduler counts the containers alone.
        for name in ["MemoryMBPreempted", "VcoresPreempted", "MemoryMBSecondsPreempted", "VcoreSecondsPreempted"] {
            set(bean, &format!("Aggregate{name}"), 0);
        }
    }
}

/// What a user has in a queue and in those below it.
fn of_user(of: &OfUser, measured: &Measured) -> Bean {
    let queue = &measured.queues[of.queue];
    let mut bean = bean(
        &format!("QueueMetrics{},user={}", of_path(&queue.path), jmx::key_value(&of.user)),
        "yarn",
        &measured.host,
    );
    set(&mut bean, "tag.Queue", queue.path.clone());
    set(&mut bean, "tag.User", of.user.clone());
    put_tally(&mut bean, &of.tally, measured);
    match &queue.capacities {
        Some(capacities) => capacities::put_user(&mut bean, capacities, &of.user),
        None => {
            set(&mut bean, "AggregateContainersPreempted", 0);
            put(&mut bean, "Available", &Resource::ZERO);
        }
    }
    bean
}

fn of_queue(queue: &Queue, measured: &Measured) -> Bean {
    let mut bean = bean(&format!("QueueMetrics{}", of_path(&queue.path)), "yarn", &measured.host);
    set(&mut bean, "tag.Queue", queue.path.clone());
    put_tally(&mut bean, &queue.tally, measured);
    put(&mut bean, "Available", &available(queue, measured));
    if queue.path == "root" {
        let Measured { counts, ends, .. } = measured;
        put_ends(&mut bean, "", ends);
        let elsewhere = counts.granted.saturating_sub(counts.node_local + counts.rack_local);
        for (name, count) in [
            ("NodeLocalContainersAllocated", counts.node_local),
            ("RackLocalContainersAllocated", counts.rack_local),
            ("OffSwitchContainersAllocated", elsewhere),
        ] {
            set(&mut bean, &format!("Aggregate{name}"), count);
        }
        // The scheduler does not tell its own counts by label.
        if !measured.basics.labels {
            set(&mut bean, "AggregateContainersAllocated", counts.granted);
            set(&mut bean, "AggregateContainersReleased", counts.completed);
        }
    }
    if let Some(shares) = &queue.shares {
        put(&mut bean, "FairShare", &shares.fair);
        put(&mut bean, "SteadyFairShare", &shares.steady);
        put(&mut bean, "MinShare", &shares.least);
        put(&mut bean, "MaxShare", &shares.most);
        put(&mut bean, "MaxAMShare", &shares.am_limit);
        put(&mut bean, "AmResourceUsage", &shares.am_used);
        set(&mut bean, "MaxApps", shares.max_apps);
        set(&mut bean, "tag.SchedulingPolicy", shares.policy.clone());
        set(&mut bean, "AggregateContainersPreempted", shares.preempted);
    }
    if let (Some(_), Some(counted)) = (&queue.capacities, &queue.tally.counted) {
        put_preempted(&mut bean, &counted.preempted);
    }
    if let Some(of) = &queue.capacities {
        capacities::put_queue(&mut bean, of, &measured.unlabelled, &measured.basics);
    }
    bean
}

/// What a CapacityScheduler has preempted in a queue and below.
fn put_preempted(bean: &mut Bean, of: &Preempted) {
    set(bean, "AggregateContainersPreempted", of.containers);
    for (name, amount) in [
        ("MemoryMBPreempted", of.memory_mb),
        ("VcoresPreempted", of.vcores),
        ("MemoryMBSecondsPreempted", of.memory_mb_seconds),
        ("VcoreSecondsPreempted", of.vcore_seconds),
    ] {
        set(bean, &format!("Aggregate{name}"), amount);
    }
}

/// A FairScheduler keeps it for root alone.
fn available(queue: &Queue, measured: &Measured) -> Resource {
    match &queue.capacities {
        Some(of) => capacities::available(&of.guaranteed, &of.used, &measured.cluster, &measured.basics),
        None if queue.path == "root" => measured.cluster.minus(&queue.used),
        None => Resource::ZERO,
    }
}

/// The partitions of a CapacityScheduler, as far as they are known in a queue; for root those of all queues together,
/// too. In Hadoop the default partition has an empty name.
fn of_partitions(queue: &Queue, measured: &Measured) -> Vec<Bean> {
    if measured.is_fair() {
        return Vec::new();
    }
    let default = std::iter::once(("", queue.tally.held, counted(&queue.tally), available(queue, measured)));
    let labelled = queue.parts.iter().map(|part| {
        let held = queue.tally.on_labels.get(&part.label).copied().unwrap_or_default();
        let available = capacities::available(&part.guaranteed, &part.used, &measured.cluster, &measured.basics);
        (part.label.as_str(), held, part.counted, available)
    });
    let all = (queue.path == "root").then_some(String::new());
    let places: Vec<String> = all.into_iter().chain(std::iter::once(of_path(&queue.path))).collect();
    let made = default.chain(labelled).flat_map(|(label, held, counted, available)| {
        places.iter().map(move |place| {
            let name = if label.is_empty() { Cow::Borrowed("") } else { jmx::key_value(label) };
            let kind = format!("PartitionQueueMetrics,partition={name}{place}");
            let mut bean = bean(&kind, "yarn", &measured.host);
            set(&mut bean, "tag.Partition", label);
            if !place.is_empty() {
                set(&mut bean, "tag.Queue", queue.path.clone());
            }
            put_containers(&mut bean, &held, counted);
            put(&mut bean, "Available", &available);
            bean
        })
    });
    made.collect()
}
