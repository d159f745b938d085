// The tree of queues as YARN's scheduler page draws it: one bar a queue.
//
// The outer bar is the maximum, in parts of the cluster, at most 80 % of the lane. Inside, in parts of the maximum: what is
// guaranteed, and what is used.

import { make, record } from "./parts.js";
import { memory, whole } from "./words.js";

const WIDEST = 80;
const part = (of, all) => (all > 0 ? of / all : 0);
const percent = (fraction) => `${(100 * fraction).toFixed(1)}%`;
const amount = (of) => (of ? `${memory(of.memory)}, ${whole(of.vCores)} vcores` : "");

/** What of a FairScheduler's queue is drawn and told. */
function fair(queue) {
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

/** What of a CapacityScheduler's queue is drawn and told. Percentages are REST's. */
function capacity(queue) {
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

export class SchedulerTree {
  #tree;
  #kept = new Map();
  #legend;

  constructor(within) {
    make("h2", "", within, "Queues");
    this.#legend = make("p", "hint", within);
    this.#tree = make("div", "tree", within);
  }

  show(info) {
    const isFair = info.type === "fairScheduler";
    this.#legend.textContent = isFair
      ? "Grey: the maximum. Solid border: steady fair share. Dashed: instantaneous fair share. Green: used, orange above the instantaneous share. Memory. A queue opens to its figures."
      : "Grey: the absolute maximum capacity. Dashed: absolute capacity. Green: used, orange above the capacity. A queue opens to its figures.";
    const seen = new Set();
    const root = isFair ? info.rootQueue : info;
    this.#draw(isFair ? fair : capacity, root, this.#tree, seen);
    for (const [path, kept] of this.#kept) {
      if (!seen.has(path)) {
        kept.details.remove();
        this.#kept.delete(path);
      }
    }
  }

  #draw(read, queue, within, seen) {
    const shown = read(queue);
    seen.add(shown.path);
    const kept = this.#kept.get(shown.path) ?? this.#add(shown, within);
    kept.outer.style.width = `${WIDEST * shown.outer}%`;
    kept.lane.title = shown.tip;
    for (const [name, width] of [["solid", shown.solid], ["dashed", shown.dashed], ["fill", shown.used]]) {
      kept[name].hidden = width === null;
      kept[name].style.width = `${100 * Math.min(1, width ?? 0)}%`;
    }
    kept.fill.classList.toggle("over", shown.over);
    kept.said.textContent = shown.said;
    record(kept.facts, shown.path, shown.rows.filter(([, value]) => value !== undefined && value !== ""));
    for (const child of shown.children) this.#draw(read, child, kept.below, seen);
  }

  #add(shown, within) {
    const details = make("details", "", within);
    details.open = shown.children.length > 0 && !shown.path.includes(".");
    const summary = make("summary", "", details);
    make("span", "name", summary, shown.path.slice(shown.path.lastIndexOf(".") + 1)).title = shown.path;
    const lane = make("span", "lane", summary);
    const outer = make("span", "outer", lane);
    const kept = {
      details, lane, outer,
      fill: make("i", "fill", outer), solid: make("i", "solid", outer), dashed: make("i", "dashed", outer),
      said: make("span", "said", lane),
      facts: make("div", "facts"),
      below: make("div", "below"),
    };
    // A parent opens to its queues first.
    details.append(...(shown.children.length > 0 ? [kept.below, kept.facts] : [kept.facts, kept.below]));
    const apps = make("a", "", details, "Applications of this queue");
    apps.href = `/cluster/apps?queue=${encodeURIComponent(shown.path)}`;
    this.#kept.set(shown.path, kept);
    return kept;
  }
}
