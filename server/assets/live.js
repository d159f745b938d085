// The live page: asks how things stand once a second, hears what happens, and gives both to the parts of the page.
//
// Text comes into the page as text only (textContent): a queue may be named anything.

import { Charts } from "./charts.js";
import { Controls } from "./controls.js";
import { ask as askServer, listen } from "./door.js";
import { Flow } from "./flow.js";
import { Log } from "./log.js";
import { NodeMap } from "./nodes.js";
import { trouble } from "./parts.js";
import { Plans } from "./plans.js";
import { Queues } from "./queues.js";
import { Apps, Workers } from "./stations.js";
import { memory, whole } from "./words.js";

const ASK_EVERY_MS = 1000;
const by = (id) => document.getElementById(id);

const nodes = new NodeMap(by("nodes"), by("node"), (name) => (by("node-name").value = name));
const queues = new Queues(by("queues"), by("queue"), by("why"), (path) => charts.choose(path));
const controls = new Controls();
const log = new Log(by("log"), by("lost"));
const charts = new Charts(by("charts"));
const workers = new Workers(by("workers"));
const apps = new Apps(by("apps"));
new Plans(by("plans"), by("plans-part"));

/** From the node over its worker and the queue to the application. */
function placesOf(event) {
  apps.saw(event);
  const { node, queue, app } = event;
  const places = [
    node === undefined ? null : nodes.placeOf(node), node === undefined ? null : workers.placeOf(node),
    queue === undefined ? null : queues.placeOf(queue), app === undefined ? null : apps.placeOf(app),
  ];
  // What a node alone is about stays there.
  return (queue === undefined ? places.slice(0, 1) : places).filter((place) => place !== null);
}

const flow = new Flow(by("flow"), placesOf, log);

function summary(state) {
  const { totals, allocations_per_second: rate } = state;
  const full = totals.total[0] > 0 ? (100 * totals.used[0]) / totals.total[0] : 0;
  by("summary").textContent =
    `${state.scheduler === "fair" ? "FairScheduler" : "CapacityScheduler"}: ${whole(totals.nodes)} nodes, ` +
    `${full.toFixed(1)} % of ${memory(totals.total[0])} used, ${whole(totals.containers)} containers, ` +
    `${whole(totals.apps.running)} applications running, ${whole(rate)} allocations a second`;
}

async function ask() {
  try {
    const answer = await askServer("/events/state", { signal: AbortSignal.timeout(10_000) });
    if (!answer.ok) throw new Error(`the server answers ${answer.status}`);
    const state = await answer.json();
    summary(state);
    nodes.show(state.nodes);
    workers.show(state.nodes);
    apps.show(state.cluster_timestamp);
    queues.show(state.queues, state.totals.total[0], state.scheduler);
    charts.add(state);
    controls.show(state.queues);
    trouble(null);
  } catch (error) {
    trouble(`The server cannot be reached (${error.message}). The page asks again.`);
  }
  setTimeout(ask, ASK_EVERY_MS);
}

listen("/events", (message) => {
  const { lost, events } = JSON.parse(message);
  flow.take(events, lost);
});

by("pause").onclick = () => {
  const paused = flow.pause();
  by("pause").setAttribute("aria-pressed", paused);
  by("step").disabled = !paused;
};
by("step").onclick = () => flow.step();
by("slow").onclick = () => by("slow").setAttribute("aria-pressed", flow.slow());

ask();
