// Charts over the last minutes.

import uPlot from "./vendor/uPlot.js";
import { duration } from "./words.js";

const KEPT_S = 300;

const CHARTS = [
  { title: "Used, % of memory", of: (state) => (100 * state.totals.used[0]) / Math.max(1, state.totals.total[0]), range: [0, 100] },
  { title: "Allocations a second", of: (state) => state.allocations_per_second },
  { title: "Asked for and not granted, GiB", of: (state) => (state.queues[0]?.pending[0] ?? 0) / 1024 },
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
  /** Of each time, the figures of every queue, one queue after the other, and the places of queues in it. */
  #queues = [];
  #places = new Map();
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

  /** Takes a state in; returns what is left to do, one chart each. `isNew`: other queues are there than before. */
  add(state, isNew) {
    const { queues } = state;
    if (isNew) this.#places = new Map(queues.map(({ path }, place) => [path, place]));
    const figures = new Float64Array(queues.length * OF_A_QUEUE.length);
    queues.forEach((queue, place) => OF_A_QUEUE.forEach(({ of }, at) => (figures[place * OF_A_QUEUE.length + at] = of(queue))));
    this.#times.push(state.now_ms / 1000);
    this.#queues.push({ places: this.#places, figures });
    this.#waits.push(LATENCIES.map(({ of }) => of(state.latencies_us)?.[1] ?? null));
    for (const { values, of } of this.#charts) values.push(of(state));
    const old = this.#times.findIndex((time) => time >= this.#times.at(-1) - KEPT_S);
    for (const kept of [this.#times, this.#queues, this.#waits, ...this.#charts.map(({ values }) => values)]) kept.splice(0, old);
    return [
      ...this.#charts.map(({ plot, values }) => () => plot.setData([this.#times, values])),
      () => this.#drawQueue(),
      () => this.#latencies.setData([this.#times, ...LATENCIES.map((_, index) => this.#waits.map((of) => of[index]))]),
    ];
  }

  /** Shows what this queue has had. */
  choose(path) {
    this.#chosen = path;
    // The title is the chart's own element.
    this.#ofQueue.root.querySelector(".u-title").textContent = `${path}, GiB`;
    this.#drawQueue();
  }

  #drawQueue() {
    const value = ({ places, figures }, at) => {
      const place = places.get(this.#chosen);
      return place === undefined ? null : figures[place * OF_A_QUEUE.length + at];
    };
    this.#ofQueue.setData([this.#times, ...OF_A_QUEUE.map((_, at) => this.#queues.map((of) => value(of, at)))]);
  }
}
