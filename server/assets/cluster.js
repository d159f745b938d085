// The pages in YARN's places, each made of what REST answers: /cluster, /cluster/scheduler, /cluster/apps, /cluster/app/{id},
// /cluster/nodes and /cluster/nodelabels. They ask again every few seconds; what was opened, sorted or filtered stays so.

import { memory, whole } from "./words.js";
import { ask as askServer, askWhy } from "./door.js";
import { labelShown, nodesWanted, partitions } from "./labels.js";
import { make, trouble, put, reasons, record } from "./parts.js";
import { QueueTrees } from "./queue-trees.js";
import { SortedTable } from "./table.js";

const ASK_EVERY_MS = 3000;
const page = document.getElementById("page");
const path = location.pathname.replace(/\/+$/, "");

async function rest(what) {
  const answer = await askServer(`/ws/v1/cluster${what}`, { headers: { Accept: "application/json" }, signal: AbortSignal.timeout(20_000) });
  if (answer.status === 404) throw new Error("there is no such thing");
  if (!answer.ok) throw new Error(`the server answers ${answer.status}`);
  return answer.json();
}

const time = (ms) => (ms > 0 ? new Date(ms).toLocaleString("en-GB") : "");
const link = (to, words) => {
  const made = make("a", "", null, words);
  made.href = to;
  return made;
};

/** What is used, of what, and what is reserved: of all partitions where the scheduler says that, as on YARN's pages. */
function amounts(of) {
  if (of.crossPartitionMetricsAvailable) {
    const { totalUsedResourcesAcrossPartition: all, totalReservedResourcesAcrossPartition: reserved } = of;
    return {
      containers: of.totalAllocatedContainersAcrossPartition, reserved,
      // What is used is told with what is reserved.
      used: { memory: all.memory - reserved.memory, vCores: all.vCores - reserved.vCores },
      total: of.totalClusterResourcesAcrossPartition,
    };
  }
  return {
    containers: of.containersAllocated, used: { memory: of.allocatedMB, vCores: of.allocatedVirtualCores },
    total: { memory: of.totalMB, vCores: of.totalVirtualCores }, reserved: { memory: of.reservedMB },
  };
}

function clusterMetrics({ clusterMetrics: of }) {
  const { containers, used, total, reserved } = amounts(of);
  const cells = [
    ["Apps submitted", whole(of.appsSubmitted)], ["Apps pending", whole(of.appsPending)], ["Apps running", whole(of.appsRunning)],
    ["Apps completed", whole(of.appsCompleted)], ["Containers running", whole(containers)],
    ["Memory used", memory(used.memory)], ["Memory total", memory(total.memory)], ["Memory reserved", memory(reserved.memory)],
    ["VCores used", whole(used.vCores)], ["VCores total", whole(total.vCores)],
    ["Active nodes", whole(of.activeNodes)], ["Lost nodes", whole(of.lostNodes)],
  ];
  const table = document.getElementById("metrics");
  const [head, row] = [make("tr"), make("tr")];
  for (const [name, value] of cells) {
    make("th", "", head, name).scope = "col";
    make("td", "number", row, value);
  }
  put(table, [table.caption, head, row]);
}

function appsPage() {
  const table = new SortedTable(page, "Applications", [
    { name: "ID", of: (app) => app.id, show: (app) => link(`/cluster/app/${encodeURIComponent(app.id)}`, app.id) },
    { name: "User", of: (app) => app.user },
    { name: "Name", of: (app) => app.name },
    { name: "Type", of: (app) => app.applicationType },
    { name: "Queue", of: (app) => app.queue },
    { name: "Priority", of: (app) => app.priority, number: true },
    { name: "Started", of: (app) => app.startedTime, show: (app) => time(app.startedTime) },
    { name: "Finished", of: (app) => app.finishedTime, show: (app) => time(app.finishedTime) },
    { name: "State", of: (app) => app.state },
    { name: "Final status", of: (app) => app.finalStatus },
    { name: "Containers", of: (app) => Math.max(0, app.runningContainers), number: true },
    { name: "Memory", of: (app) => app.allocatedMB, show: (app) => memory(Math.max(0, app.allocatedMB)), number: true },
    { name: "VCores", of: (app) => Math.max(0, app.allocatedVCores), number: true },
    { name: "% of queue", of: (app) => app.queueUsagePercentage, show: (app) => app.queueUsagePercentage?.toFixed(1) ?? "", number: true },
    { name: "% of cluster", of: (app) => app.clusterUsagePercentage, show: (app) => app.clusterUsagePercentage?.toFixed(1) ?? "", number: true },
  ]);
  const wanted = new URLSearchParams(location.search).get("queue");
  if (wanted !== null) table.filter(wanted);
  return async () => table.show((await rest("/apps")).apps?.app ?? []);
}

function nodesPage() {
  const { caption, fits } = nodesWanted(location.search);
  const labels = (node) => [node.nodeLabels ?? []].flat();
  const table = new SortedTable(page, caption, [
    { name: "Labels", of: (node) => labels(node).join() },
    { name: "Address", of: (node) => node.id },
    { name: "Rack", of: (node) => node.rack },
    { name: "State", of: (node) => node.state },
    { name: "Last health update", of: (node) => node.lastHealthUpdate, show: (node) => time(node.lastHealthUpdate) },
    { name: "Containers", of: (node) => node.numContainers, number: true },
    { name: "Memory used", of: (node) => node.usedMemoryMB, show: (node) => memory(node.usedMemoryMB), number: true },
    { name: "Memory available", of: (node) => node.availMemoryMB, show: (node) => memory(node.availMemoryMB), number: true },
    { name: "VCores used", of: (node) => node.usedVirtualCores, number: true },
    { name: "VCores available", of: (node) => node.availableVirtualCores, number: true },
  ], 1);
  return async () => table.show(((await rest("/nodes")).nodes?.node ?? []).filter((node) => fits(labels(node))));
}

function nodeLabelsPage() {
  const nodes = (of) => (of.nodes > 0 ? link(`/cluster/nodes?node.label=${encodeURIComponent(of.label)}`, `${of.nodes}`) : "0");
  const table = new SortedTable(page, "Node labels of the cluster", [
    { name: "Label name", of: (of) => of.name },
    { name: "Label type", of: (of) => (of.exclusive ? "Exclusive Partition" : "Non Exclusive Partition") },
    { name: "Num of active NMs", of: (of) => of.nodes, show: nodes, number: true },
    { name: "Total resource", of: (of) => of.memory, show: (of) => of.resource },
  ]);
  return async () => table.show(partitions(await rest("/get-rm-node-labels")));
}

function appPage(id) {
  const waits = make("section", "", page);
  make("h2", "", waits, "Why it has no more than it has");
  const why = make("ul", "why", waits);
  const [facts, asks] = [make("div", "", page), make("div", "scroll", page)];
  const table = new SortedTable(asks, "What it asks for", [
    { name: "Priority", of: (ask) => ask.priority, number: true },
    { name: "Where", of: (ask) => ask.resourceName },
    { name: "Memory", of: (ask) => ask.capability.memory, show: (ask) => memory(ask.capability.memory), number: true },
    { name: "VCores", of: (ask) => ask.capability.vCores, number: true },
    { name: "Containers", of: (ask) => ask.numContainers, number: true },
    { name: "Elsewhere too", of: (ask) => ask.relaxLocality },
    { name: "Label", of: (ask) => labelShown(ask.nodeLabelExpression) },
  ]);
  return async () => {
    const { app } = await rest(`/apps/${encodeURIComponent(id)}`);
    document.title = `Evenweave: ${app.id}`;
    record(facts, app.id, [
      ["User", app.user], ["Name", app.name], ["Type", app.applicationType], ["Queue", app.queue], ["State", app.state],
      ["Final status", app.finalStatus], ["Priority", app.priority], ["Application node label", labelShown(app.appNodeLabelExpression)],
      ["AM node label", labelShown(app.amNodeLabelExpression)], ["Started", time(app.startedTime)],
      ["Finished", time(app.finishedTime)], ["Running containers", Math.max(0, app.runningContainers)],
      ["Allocated", `${memory(Math.max(0, app.allocatedMB))}, ${Math.max(0, app.allocatedVCores)} vcores`],
      ["Reserved", `${memory(Math.max(0, app.reservedMB))}, ${Math.max(0, app.reservedVCores)} vcores`],
      ["Memory seconds", whole(app.memorySeconds)], ["Vcore seconds", whole(app.vcoreSeconds)],
      ["Preempted", `${memory(app.preemptedResourceMB)}, ${app.preemptedResourceVCores} vcores`],
      ["Diagnostics", app.diagnostics],
    ]);
    table.show(app.resourceRequests ?? []);
    reasons(why, (await askWhy("app", app.id)).app[0].reasons);
  };
}

function schedulerPage() {
  const trees = new QueueTrees(page);
  return async () => {
    const info = (await rest("/scheduler")).scheduler.schedulerInfo;
    trees.show(info, info.type === "fairScheduler" ? [] : partitions(await rest("/get-rm-node-labels")));
  };
}

function aboutPage() {
  const facts = make("div", "", page);
  return async () => {
    const { clusterInfo: of } = await rest("/info");
    record(facts, "About the cluster", [
      ["ID", of.id], ["State", of.state], ["Started", time(of.startedOn)], ["Version", of.resourceManagerVersion],
    ]);
  };
}

function chosen() {
  const app = /^\/cluster\/app\/([^/]+)$/.exec(path);
  if (app) return appPage(decodeURIComponent(app[1]));
  const pages = { scheduler: schedulerPage, apps: appsPage, nodes: nodesPage, nodelabels: nodeLabelsPage };
  return (pages[path.split("/")[2]] ?? aboutPage)();
}

for (const entry of document.querySelectorAll("nav a")) {
  if (entry.pathname === path) {
    entry.setAttribute("aria-current", "page");
    document.title = `Evenweave: ${entry.textContent}`;
  }
}
const refresh = chosen();

async function ask() {
  try {
    clusterMetrics(await rest("/metrics"));
    await refresh();
    trouble(null);
  } catch (error) {
    trouble(`This cannot be shown: ${error.message}. The page asks again.`);
  }
  setTimeout(ask, ASK_EVERY_MS);
}

ask();
