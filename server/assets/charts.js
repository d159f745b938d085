// Charts over the last minutes.

import uPlot from "./vendor/uPlot.js";

const KEPT_S = 300;

const CHARTS = [
  { title: "Used, % of memory", of: (state) => (100 * state.totals.used[0]) / Math.max(1, state.totals.total[0]), range: [0, 100] },
  { title: "Allocations a second", of: (state) => state.allocations_per_second },
  { title: "Asked for and not granted, GiB", of: (state) => (state.queues.find((queue) => queue.path === "root")?.pending[0] ?? 0) / 1024 },
  { title: "Applications running", of: (state) => state.totals.apps.running },
];

export class Charts {
  #place;
  #times = [];
  #charts;

  constructor(place) {
    this.#place = place;
    const ink = getComputedStyle(document.body).getPropertyValue("--soft");
    const line = getComputedStyle(document.body).getPropertyValue("--line");
    this.#charts = CHARTS.map(({ title, of, range }) => {
      const axis = { stroke: ink, grid: { stroke: line }, ticks: { stroke: line } };
      const options = {
        title, width: this.#width(), height: 160, legend: { show: false }, cursor: { show: false },
        scales: { y: { range: range ?? ((_, low, high) => [0, Math.max(1, high * 1.1)]) } },
        axes: [axis, { ...axis, size: 64 }],
        series: [{}, { stroke: "#1971c2", width: 1.5 }],
      };
      return { of, values: [], plot: new uPlot(options, [[], []], place) };
    });
    new ResizeObserver(() => {
      for (const { plot } of this.#charts) plot.setSize({ width: this.#width(), height: 160 });
    }).observe(place);
  }

  #width() {
    const columns = Math.max(1, Math.min(CHARTS.length, Math.floor((this.#place.clientWidth + 12) / 292)));
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
  }
}
