// What is drawn and told of a queue on YARN's scheduler page: of a FairScheduler's queue, of a CapacityScheduler's, and of one on the nodes of a label.
//
// `outer` is the maximum, in parts of the cluster or of the nodes with the label; the other widths are parts of `outer`.

import { DEFAULT_PARTITION } from "./labels.js";
import { memory, whole } from "./words.js";

const part = (of, all) => (all > 0 ? of / all : 0);
export const percent = (fraction) => `${(100 * fraction).toFixed(1)}%`;
const amount = (of) => (of ? `${memory(of.memory)}, ${whole(of.vCores)} vcores` : "");

export function fair(queue) {
  const cluster = queue.clusterResources.memory;
  const most = queue.maxResources.memory;
  const used = part(queue.usedResources.memory, most);
  const share = part(queue.fairResources.memory, most);
  const isRoot = queue.queueName === "root";
  return {
    path: queue.queueName,
    children: queue.childQueues?.queue ?? [],
    outer: part(most, cluster),
    solid: isRoot ? null : part(queue.steadyFairResources.memory, most),
    dashed: isRoot ? null : share,
    used,
    over: used > (isRoot ? 1 : share),
    said: `${percent(part(queue.usedResources.memory, cluster))} used`,
    tip: `Steady fair share ${percent(part(queue.steadyFairResources.memory, cluster))}, instantaneous ${percent(part(queue.fairResources.memory, cluster))}`,
    rows: [
      ["Used", amount(queue.usedResources)], ["Demand", amount(queue.demandResources)],
      ["Used by AMs", amount(queue.amUsedResources)], ["Most for AMs", amount(queue.amMaxResources)],
      ["Active applications", queue.numActiveApps], ["Pending applications", queue.numPendingApps],
      ["Minimum", amount(queue.minResources)], ["Maximum", amount(queue.maxResources)],
      ["Largest container", amount(queue.maxContainerAllocation)], ["Reserved", amount(queue.reservedResources)],
      ["Most running applications", queue.maxApps === 2147483647 ? "no limit" : queue.maxApps],
      ["Steady fair share", amount(queue.steadyFairResources)], ["Instantaneous fair share", amount(queue.fairResources)],
      ["Policy", queue.schedulingPolicy], ["Preemptable", queue.preemptable],
    ],
  };
}

/** Of a CapacityScheduler without labels. Percentages are REST's. */
export function capacity(queue) {
  const most = (queue.absoluteMaxCapacity ?? 100) / 100;
  const own = (queue.absoluteCapacity ?? 100) / 100;
  const used = (queue.absoluteUsedCapacity ?? queue.usedCapacity) / 100;
  return {
    path: queue.queuePath,
    children: queue.queues?.queue ?? [],
    outer: most,
    solid: null,
    dashed: part(own, most),
    used: part(used, most),
    over: used > own,
    said: `${queue.usedCapacity.toFixed(1)}% used`,
    tip: `Absolute capacity ${percent(own)}, at most ${percent(most)}`,
    rows: [
      ["State", queue.state], ["Used", amount(queue.resourcesUsed)], ["Capacity", `${queue.capacity}%`],
      ["Maximum capacity", `${queue.maxCapacity}%`], ["Absolute capacity", percent(own)], ["Absolute maximum capacity", percent(most)],
      ["Applications", queue.numApplications], ["Active applications", queue.numActiveApplications],
      ["Pending applications", queue.numPendingApplications], ["Pending containers", queue.pendingContainers],
      ["Most applications", queue.maxApplications], ["User limit", queue.userLimit && `${queue.userLimit}%`],
      ["User limit factor", queue.userLimitFactor], ["Most for AMs", amount(queue.AMResourceLimit)],
      ["Used by AMs", amount(queue.usedAMResource)], ["Ordering", queue.orderingPolicyInfo],
    ],
  };
}

const disabled = (is) => (is === undefined ? undefined : is ? "disabled" : "enabled");

/** Whether a queue is shown in a partition: where it may use the label, and wherever idle nodes are lent. */
const isIn = (queue, { label, exclusive }) =>
  label === "" || !exclusive || [queue.nodeLabels ?? []].flat().some((name) => name === "*" || name === label);

/** What Hadoop shows of a label of which a queue knows nothing. */
const UNKNOWN = { capacity: 0, usedCapacity: 0, maxCapacity: 100, absoluteCapacity: 0, absoluteUsedCapacity: 0, absoluteMaxCapacity: 100, weight: 0, maxAMLimitPercentage: 0 };
const NONE = { memory: 0, vCores: 0 };

/** Of a CapacityScheduler on the nodes of a partition. */
export const capacityIn = (partition) => (queue) => {
  const ofLabel = (list) => list?.find(({ partitionName }) => partitionName === partition.label);
  const of = ofLabel(queue.capacities?.queueCapacitiesByPartition) ?? UNKNOWN;
  const has = ofLabel(queue.resources?.resourceUsagesByPartition) ?? {};
  const isRoot = queue.queuePath === "root";
  const [most, own, used] = isRoot
    ? [1, 1, of.usedCapacity / 100]
    : [of.absoluteMaxCapacity / 100, of.absoluteCapacity / 100, of.absoluteUsedCapacity / 100];
  const configured = of.weight >= 0
    ? ["Configured weight", of.weight]
    : ["Configured capacity", amount(of.configuredMinResource ?? NONE)];
  const perUser = [queue.users?.user ?? []].flat().length > 0 ? has.userAmLimit : has.amLimit;
  const ofAms = queue.usedAMResource === undefined ? [] : [
    ["Configured most for AMs", `${of.maxAMLimitPercentage.toFixed(1)}%`], ["Most for AMs", amount(has.amLimit ?? NONE)],
    ["Used by AMs", amount(has.amUsed ?? NONE)], ["Most for AMs of a user", amount(perUser ?? NONE)],
  ];
  // Root says the fractions alone.
  const amounts = isRoot ? [] : [
    ["Used", `${amount(has.used ?? NONE)} (${percent(of.usedCapacity / 100)})`], ["Pending", amount(has.pending ?? NONE)],
    ["Reserved", amount(has.reserved ?? NONE)], configured,
    ["Configured maximum", of.configuredMaxResource?.memory > 0 ? amount(of.configuredMaxResource) : "unlimited"],
  ];
  const effective = (name, amounts, fraction) => [name, amounts && `${amount(amounts)} (${percent(fraction / 100)})`];
  return {
    path: queue.queuePath,
    children: (queue.queues?.queue ?? []).filter((child) => isIn(child, partition)),
    outer: most,
    solid: null,
    dashed: part(own, most),
    used: part(used, most),
    over: used > own,
    said: `${percent(of.usedCapacity / 100)} used`,
    tip: `Absolute capacity ${percent(own)}, at most ${percent(most)}`,
    rows: [
      ["Partition", partition.name], ["State", queue.state], ...amounts,
      effective("Effective capacity", of.effectiveMinResource, of.capacity), effective("Effective maximum", of.effectiveMaxResource, of.maxCapacity),
      ["Absolute used capacity", percent(used)], ["Absolute capacity", percent(own)], ["Absolute maximum capacity", percent(most)], ...ofAms,
      ["Applications", queue.numApplications], ["Active applications", queue.numActiveApplications],
      ["Pending applications", queue.numPendingApplications], ["Containers, of all partitions", queue.numContainers],
      ["Most applications", queue.maxApplications], ["Most applications of a user", queue.maxApplicationsPerUser],
      ["User limit", queue.userLimit && `${queue.userLimit}%`], ["User limit factor", queue.userLimitFactor],
      ["Preemption", disabled(queue.preemptionDisabled)], ["Preemption inside the queue", disabled(queue.intraQueuePreemptionDisabled)],
      ["Default priority", queue.defaultPriority],
      ["Accessible node labels", isRoot ? undefined : [queue.nodeLabels ?? []].flat().join(", ") || "none"],
      ["Default node label", isRoot ? undefined : queue.defaultNodeLabelExpression || DEFAULT_PARTITION], ["Ordering", queue.orderingPolicyInfo],
    ],
  };
};
