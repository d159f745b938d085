// The live page: asks how things stand once a second, hears what happens, and gives both to the parts of the page.
//
// Text comes into the page as text only (textContent): a queue may be named anything.

import { Charts } from "./charts.js";
import { Controls } from "./controls.js";
import { ask as askServer, listen } from "./door.js";
import { Flow } from "./flow.js";
import { Log } from "./log.js";
import { NodeMap } from "./nodes.js";
import { make, put, trouble } from "./parts.js";
import { Plans } from "./plans.js";
import { Queues } from "./queues.js";
import { Starved } from "./starved.js";
import { State } from "./state.js";
import { Apps, Workers } from "./stations.js";
import { memory, whole } from "./words.js";

const ASK_EVERY_MS = 1000;
/** Of what happens in a tenth of a second; the page shows no more. */
const EVENTS_AT_ONCE = 30;
const by = (id) => document.getElementById(id);

const kept = new State();
const nodes = new NodeMap(by("nodes"), by("node"), (name) => (by("node-name").value = name));
const queues = new Queues(by("queues"), by("queue"), by("why"), chose);
/** A queue is chosen. */
function chose(path, leaf) {
  charts.choose(path);
  if (leaf) by("app-queue").value = path;
}

const starved = new Starved(by("starved"), (path) => queues.choose(path));
const controls = new Controls();
const log = new Log(by("log"), by("lost"));
const charts = new Charts(by("charts"));
const workers = new Workers(by("workers"));
const apps = new Apps(by("apps"));
new Plans(by("plans"), by("plans-part"));

/** From the node over its worker and the queue to the application. */
function placesOf({ node, queue, app }) {
  const places = [
    node === undefined ? null : nodes.placeOf(node), node === undefined ? null : workers.placeOf(kept.node(node)?.[7]),
    queue === undefined ? null : queues.placeOf(queue), app === undefined ? null : apps.placeOf(app),
  ];
  // What a node alone is about stays there.
  return (queue === undefined ? places.slice(0, 1) : places).filter((place) => place !== null);
}

const flow = new Flow(by("flow"), (event) => apps.saw(event), placesOf, log);

function summary(state) {
  const { totals, allocations_per_second: rate } = state;
  const full = totals.total[0] > 0 ? (100 * totals.used[0]) / totals.total[0] : 0;
  by("summary").textContent =
    `${state.scheduler === "fair" ? "FairScheduler" : "CapacityScheduler"}: ${whole(totals.nodes)} nodes, ` +
    `${full.toFixed(1)} % of ${memory(totals.total[0])} used, ${whole(totals.containers)} containers, ` +
    `${whole(totals.apps.running)} applications running, ${whole(rate)} allocations a second`;
}

/** When the browser draws next. It does not while nobody can see the page, and then the page asks for nothing. */
const frame = () => new Promise((go) => requestAnimationFrame(go));

async function ask() {
  try {
    const answer = await askServer(`/events/state${kept.wanted}`, { signal: AbortSignal.timeout(10_000) });
    if (!answer.ok) throw new Error(`the server answers ${answer.status}`);
    const { state, isNew, moved, changed } = kept.take(await answer.json());
    trouble(null);
    apps.show(state.cluster_timestamp);
    // One part a frame: marks move on meanwhile.
    const parts = [
      () => summary(state),
      () => nodes.show(state.nodes, isNew, changed, state.labels),
      () => (by("framed").hidden = !nodes.isFramed),
      () => moved && workers.show(state.nodes),
      () => queues.show(state.queues, state.totals.total[0], state.scheduler, isNew),
      () => starved.show(state.queues, state.now_ms),
      () => isNew && controls.show(state.queues, state.labels),
      ...charts.add(state, isNew),
    ];
    for (const part of parts) {
      await frame();
      part();
    }
  } catch (error) {
    trouble(`The server cannot be reached (${error.message}). The page asks again.`);
  }
  setTimeout(ask, ASK_EVERY_MS);
}

listen(`/events?most=${EVENTS_AT_ONCE}`, (message) => {
  const { lost, events } = JSON.parse(message);
  flow.take(events, lost);
});

by("app-id").onfocus = () => put(by("late"), apps.ids().map((value) => Object.assign(make("option"), { value })));

by("pause").onclick = () => {
  const paused = flow.pause();
  by("pause").setAttribute("aria-pressed", paused);
  by("step").disabled = !paused;
};
by("step").onclick = () => flow.step();
by("slow").onclick = () => by("slow").setAttribute("aria-pressed", flow.slow());

ask();
