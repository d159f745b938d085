//! `/metrics`: the cluster in numbers.

use std::cmp::Ordering;

use evenweave::Resource;
use evenweave::resource::Calculator;

use super::partitions::Unlabelled;
use super::request::{Answer, Asked, Outcome};
use super::resource::resource;
use crate::manager::ResourceManager;
use crate::records::{AppRecord, NodeState};
use crate::scheduler::{Basics, Kind};
use crate::value::Object;

/// What queues' metrics sum up to at the root: of nodes without a label, and of all.
#[derive(Debug, Default)]
pub(crate) struct Totals {
    pub(crate) allocated: Resource,
    pub(crate) allocated_containers: i64,
    pub(crate) reserved: Resource,
    pub(crate) reserved_containers: i64,
    pub(crate) pending: Resource,
    pub(crate) pending_containers: i64,
    /// Of all nodes, with reservations.
    used_by_all: Resource,
    reserved_by_all: Resource,
    containers_of_all: i64,
}

impl Totals {
    fn of(manager: &ResourceManager, unlabelled: &Unlabelled) -> Totals {
        let (scheduler, mut totals) = (manager.scheduler(), Totals::default());
        for container in scheduler.containers().iter().filter(|container| !container.ended) {
            totals.used_by_all = totals.used_by_all.plus(&container.resource);
            totals.containers_of_all += 1;
            if unlabelled.has(&container.node) {
                totals.allocated = totals.allocated.plus(&container.resource);
                totals.allocated_containers += 1;
            }
        }
        for reservation in scheduler.reservations() {
            totals.used_by_all = totals.used_by_all.plus(&reservation.resource);
            totals.reserved_by_all = totals.reserved_by_all.plus(&reservation.resource);
            totals.containers_of_all += 1;
            if unlabelled.has(&reservation.node) {
                totals.reserved = totals.reserved.plus(&reservation.resource);
                totals.reserved_containers += 1;
            }
        }
        let requests = scheduler.requests();
        for request in requests.iter().filter(|request| request.location == "*" && request.label.is_empty()) {
            totals.pending = totals.pending.plus(&request.resource.times_int(request.count.into()));
            totals.pending_containers += i64::from(request.count);
        }
        totals
    }
}

/// What a CapacityScheduler's root has left: nothing where as much is used as there is, by its calculator. By memory
/// alone no vcore is left where no memory is.
pub(crate) fn available(cluster: &Resource, used: &Resource, basics: &Basics) -> Resource {
    let calculator = if basics.dominant { Calculator::Dominant } else { Calculator::Memory };
    match calculator.compare(basics.types.len(), cluster, cluster, used, false) {
        Ordering::Greater => cluster.minus(used).most(&Resource::ZERO),
        Ordering::Equal | Ordering::Less => Resource::ZERO,
    }
}

pub(crate) fn metrics(of: &ResourceManager, _: &Asked) -> Outcome {
    let scheduler = of.scheduler();
    let unlabelled = Unlabelled::of(scheduler);
    let (basics, totals, cluster) = (scheduler.basics(), Totals::of(of, &unlabelled), scheduler.cluster());
    let is_capacity = basics.kind == Kind::Capacity;
    let available = match is_capacity {
        true => available(&unlabelled.total, &totals.allocated.plus(&totals.reserved), basics),
        false => cluster.minus(&totals.allocated),
    };
    let total = match is_capacity {
        true => available.plus(&totals.allocated).plus(&totals.reserved),
        false => available.plus(&totals.allocated),
    };
    let records = of.records();
    let ends = records.ends();
    let live = |had: bool| {
        let is_so = |app: &&AppRecord| {
            !app.state.is_over() && app.attempt.as_ref().is_some_and(|attempt| attempt.had_container == had)
        };
        records.apps().filter(is_so).count()
    };
    let nodes = |state: NodeState| records.nodes().iter().filter(|node| node.state == state).count();
    let mut answer = Object::new()
        .with("appsSubmitted", ends.submitted)
        .with("appsCompleted", ends.completed)
        .with("appsPending", live(false))
        .with("appsRunning", live(true))
        .with("appsFailed", ends.failed)
        .with("appsKilled", ends.killed)
        .with("reservedMB", totals.reserved.memory_mb())
        .with("availableMB", available.memory_mb())
        .with("allocatedMB", totals.allocated.memory_mb())
        .with("pendingMB", totals.pending.memory_mb())
        .with("reservedVirtualCores", totals.reserved.vcores())
        .with("availableVirtualCores", available.vcores())
        .with("allocatedVirtualCores", totals.allocated.vcores())
        .with("pendingVirtualCores", totals.pending.vcores())
        .with("containersAllocated", totals.allocated_containers)
        .with("containersReserved", totals.reserved_containers)
        .with("containersPending", totals.pending_containers)
        .with("totalMB", total.memory_mb())
        .with("utilizedMB", 0)
        .with("totalVirtualCores", total.vcores())
        .with("utilizedVirtualCores", 0)
        .with("utilizedMBPercent", 0)
        .with("utilizedVirtualCoresPercent", 0)
        .with("rmSchedulerBusyPercent", -1)
        .with("totalNodes", records.nodes().len())
        .with("lostNodes", nodes(NodeState::Lost))
        .with("unhealthyNodes", 0)
        .with("decommissioningNodes", nodes(NodeState::Decommissioning))
        .with("decommissionedNodes", nodes(NodeState::Decommissioned))
        .with("rebootedNodes", 0)
        .with("activeNodes", nodes(NodeState::Running))
        .with("shutdownNodes", 0)
        .with("containerAssignedPerSecond", 0);
    if is_capacity {
        answer.push("totalUsedResourcesAcrossPartition", resource(&basics.types, &totals.used_by_all));
        answer.push("totalClusterResourcesAcrossPartition", resource(&basics.types, &cluster));
        answer.push("totalReservedResourcesAcrossPartition", resource(&basics.types, &totals.reserved_by_all));
    }
    // With reservations, as queues count them.
    let across = if is_capacity { totals.containers_of_all } else { 0 };
    let answer = answer
        .with("totalAllocatedContainersAcrossPartition", across)
        .with("crossPartitionMetricsAvailable", is_capacity)
        .with("rmEventQueueSize", 0)
        .with("schedulerEventQueueSize", 0);
    Ok(Answer::natural("clusterMetrics", answer))
}
