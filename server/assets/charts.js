// Charts over the last minutes.

import uPlot from "./vendor/uPlot.js";
import { duration } from "./words.js";

const KEPT_S = 300;

const CHARTS = [
  { title: "Used, % of memory", of: (state) => (100 * state.totals.used[0]) / Math.max(1, state.totals.total[0]), range: [0, 100] },
  { title: "Allocations a second", of: (state) => state.allocations_per_second },
  { title: "Asked for and not granted, GiB", of: (state) => (state.queues.find((queue) => queue.path === "root")?.pending[0] ?? 0) / 1024 },
  { title: "Applications running", of: (state) => state.totals.apps.running },
];

const OF_A_QUEUE = [
  { label: "used", of: (queue) => queue.used[0] / 1024, colour: "#2f9e44" },
  { label: "share", of: (queue) => queue.fair[0] / 1024, colour: "#1971c2", dash: [6, 4] },
  { label: "demand", of: (queue) => queue.demand[0] / 1024, colour: "#868e96" },
];

/** 99 of a hundred calls took no longer, in µs. */
const LATENCIES = [
  { label: "grant", of: (found) => found?.grant, colour: "#c2255c" },
  { label: "heartbeat", of: (found) => found?.heartbeat, colour: "#1971c2" },
  { label: "allocate", of: (found) => found?.allocate, colour: "#2f9e44" },
];

export class Charts {
  #place;
  #times = [];
  #charts;
  /** Of each time, the figures of every queue. */
  #queues = [];
  #chosen = "root";
  #ofQueue;
  /** Of each time, the latencies. */
  #waits = [];
  #latencies;

  constructor(place) {
    this.#place = place;
    const ink = getComputedStyle(document.body).getPropertyValue("--soft");
    const line = getComputedStyle(document.body).getPropertyValue("--line");
    const axis = { stroke: ink, grid: { stroke: line }, ticks: { stroke: line } };
    const fromZero = { range: (_, low, high) => [0, Math.max(1, high * 1.1)] };
    const plot = (title, series, scale, legend, more) => new uPlot({
      title, width: this.#width(), height: 160, legend: { show: legend, live: false }, cursor: { show: false },
      scales: { y: scale ?? fromZero },
      axes: [axis, { ...axis, size: 64, ...more }],
      series: [{}, ...series],
    }, [[], ...series.map(() => [])], place);
    this.#charts = CHARTS.map(({ title, of, range }) =>
      ({ of, values: [], plot: plot(title, [{ stroke: "#1971c2", width: 1.5 }], range && { range }, false) }));
    const lines = OF_A_QUEUE.map(({ label, colour, dash }) => ({ label, stroke: colour, dash, width: 1.5 }));
    this.#ofQueue = plot("root, GiB", lines, undefined, true);
    const waits = LATENCIES.map(({ label, colour }) => ({ label, stroke: colour, width: 1.5, spanGaps: true }));
    const decades = { distr: 3, range: (_, low, high) => [10 ** Math.floor(Math.log10(low || 1)), 10 ** Math.ceil(Math.log10(high || 1000))] };
    const whole = (_, ticks) => ticks.map((us) => (us !== null && Number.isInteger(Math.log10(us)) ? us : null));
    this.#latencies = plot("Latency, 99 of a hundred", waits, decades, true, {
      filter: whole, values: (_, ticks) => ticks.map((us) => (us === null ? "" : duration(us))),
      grid: { ...axis.grid, filter: whole }, ticks: { ...axis.ticks, filter: whole },
    });
    new ResizeObserver(() => {
      for (const one of [...this.#charts.map(({ plot }) => plot), this.#ofQueue, this.#latencies]) one.setSize({ width: this.#width(), height: 160 });
    }).observe(place);
  }

  #width() {
    const columns = Math.max(1, Math.min(CHARTS.length + 2, Math.floor((this.#place.clientWidth + 12) / 292)));
    return Math.floor((this.#place.clientWidth - 12 * (columns - 1)) / columns);
  }

  add(state) {
    this.#times.push(state.now_ms / 1000);
    const old = this.#times.findIndex((time) => time >= this.#times.at(-1) - KEPT_S);
    this.#times.splice(0, old);
    for (const chart of this.#charts) {
      chart.values.push(chart.of(state));
      chart.values.splice(0, old);
      chart.plot.setData([this.#times, chart.values]);
    }
    this.#queues.push(new Map(state.queues.map((queue) => [queue.path, OF_A_QUEUE.map(({ of }) => of(queue))])));
    this.#queues.splice(0, old);
    this.#drawQueue();
    this.#waits.push(LATENCIES.map(({ of }) => of(state.latencies_us)?.[1] ?? null));
    this.#waits.splice(0, old);
    this.#latencies.setData([this.#times, ...LATENCIES.map((_, index) => this.#waits.map((of) => of[index]))]);
  }

  /** Shows what this queue has had. */
  choose(path) {
    this.#chosen = path;
    // The title is the chart's own element.
    this.#ofQueue.root.querySelector(".u-title").textContent = `${path}, GiB`;
    this.#drawQueue();
  }

  #drawQueue() {
    const values = OF_A_QUEUE.map((_, index) => this.#queues.map((of) => of.get(this.#chosen)?.[index] ?? null));
    this.#ofQueue.setData([this.#times, ...values]);
  }
}
