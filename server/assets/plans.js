// Plans of the ReservationSystem: what is promised over time, reservation on reservation.

import { ask } from "./door.js";
import { make, put } from "./parts.js";
import uPlot from "./vendor/uPlot.js";

const ASK_EVERY_MS = 5_000;
/** Where there is no plan one may come with a new file of queues. */
const ASK_SELDOM_MS = 30_000;
/** More areas cannot be told apart. */
const MOST_NAMED = 7;
const AHEAD_S = 12 * 3600;
const BACK_S = 600;
/** Of one reservation, and in all: more would keep the page from anything else. */
const MOST_PIECES = 1_000;
const MOST_IN_ALL = 20_000;
const COLOURS = ["#1971c2", "#e8750a", "#2f9e44", "#c2255c", "#f0a202", "#5f3dc4", "#0b7285", "#868e96"];
const GIB = 1024;

/** What a reservation has between two times (s): from, to, GiB. One that recurs has it again each period, so often at most. */
function pieces({ allocations, period }, from, to) {
  const found = [];
  for (const { startTime, endTime, memory } of allocations ?? []) {
    const [start, end, gib, every] = [startTime / 1000, endTime / 1000, memory / GIB, period / 1000];
    let by = every > 0 ? Math.ceil((from - end) / every) * every : 0;
    do {
      if (end + by > from && start + by < to) found.push([start + by, end + by, gib]);
      by += every;
    } while (every > 0 && start + by < to && found.length < MOST_PIECES);
  }
  return found;
}

/** Areas of the largest reservations, in order of time, and one of the others. */
function areas(list, from, to) {
  const all = [];
  let left = MOST_IN_ALL;
  for (const one of list) {
    const own = pieces(one, from, to).slice(0, left);
    left -= own.length;
    if (own.length > 0) all.push({ name: one.name ?? one["reservation-id"], pieces: own });
  }
  const size = (one) => one.pieces.reduce((sum, [start, end, gib]) => sum + (end - start) * gib, 0);
  const begin = (one) => one.pieces.reduce((least, [start]) => Math.min(least, start), Infinity);
  all.sort((a, b) => size(b) - size(a));
  const named = all.slice(0, MOST_NAMED).sort((a, b) => begin(a) - begin(b));
  const others = all.slice(MOST_NAMED);
  if (others.length > 0) named.push({ name: `${others.length} others`, pieces: others.flatMap((one) => one.pieces) });
  return named;
}

/** Times, and of each area how high it reaches from then on: one walk over all beginnings and ends. */
function stacked(list, from, to) {
  const changes = list.flatMap((one, index) => one.pieces.flatMap(([start, end, gib]) => [[Math.max(start, from), index, gib], [Math.min(end, to), index, -gib]]));
  changes.sort(([a], [b]) => a - b);
  const levels = list.map(() => 0);
  const times = [];
  const heights = list.map(() => []);
  const note = (time) => {
    if (times.at(-1) !== time) {
      times.push(time);
      heights.forEach((of) => of.push(0));
    }
    let sum = 0;
    levels.forEach((level, index) => (heights[index][times.length - 1] = sum += level));
  };
  note(from);
  for (const [time, index, by] of changes) {
    levels[index] += by;
    note(time);
  }
  if (times.at(-1) < to) note(to);
  return { times, heights };
}

export class Plans {
  #place;
  #part;
  #plots = [];

  constructor(place, part) {
    [this.#place, this.#part] = [place, part];
    this.#ask();
  }

  async #ask() {
    let found = null;
    try {
      const answer = await ask("/ws/v1/evenweave/plans", { headers: { Accept: "application/json" }, signal: AbortSignal.timeout(10_000) });
      if (answer.ok) {
        const { plans } = await answer.json();
        found = (plans.plan ?? []).map((plan) => ({ ...plan, now: plans.now / 1000 }));
      }
      if (found !== null && (found.length > 0 || !this.#part.hidden)) {
        this.#part.hidden = found.length === 0;
        this.#draw(found);
      }
    } catch {
      // Whoever asks how things stand says on the page what is wrong.
    } finally {
      setTimeout(() => this.#ask(), found?.length === 0 ? ASK_SELDOM_MS : ASK_EVERY_MS);
    }
  }

  #draw(plans) {
    this.#plots.forEach((plot) => plot.destroy());
    this.#plots = [];
    put(this.#place, []);
    for (const plan of plans) {
      const [from, to] = [plan.now - BACK_S, plan.now + AHEAD_S];
      const own = areas(plan.reservation ?? [], from, to);
      const figure = make("figure", "plan", this.#place);
      make("figcaption", "hint", figure, this.#words(plan, own.length));
      const { times, heights } = stacked(own, from, to);
      const ink = getComputedStyle(document.body).getPropertyValue("--soft");
      const line = getComputedStyle(document.body).getPropertyValue("--line");
      const axis = { stroke: ink, grid: { stroke: line }, ticks: { stroke: line } };
      const paths = uPlot.paths.stepped({ align: 1 });
      const most = plan.memory / GIB;
      // The highest is drawn first, and what follows covers all but its own part.
      const areaOf = (one, index) => ({ label: one.name, stroke: COLOURS[index], fill: COLOURS[index], width: 0, paths, points: { show: false } });
      const series = [...own.map(areaOf).reverse(), { label: "may be promised", stroke: ink, dash: [6, 4], width: 1.5, points: { show: false } }];
      const values = [...heights.reverse(), times.map(() => most)];
      this.#plots.push(new uPlot({
        title: `${plan.queue}, GiB`, width: Math.max(280, this.#place.clientWidth), height: 200,
        legend: { live: false }, cursor: { show: false },
        scales: { y: { range: (_, low, high) => [0, Math.max(1, high * 1.1)] } },
        axes: [axis, { ...axis, size: 64 }], series: [{}, ...series],
      }, [times, ...values], figure));
    }
  }

  #words({ queue, mayList, reservation, more }, shown) {
    if (mayList === false) return `${queue}: you may not list its reservations.`;
    const all = (reservation?.length ?? 0) + (more ?? 0);
    if (all === 0) return `${queue}: nothing is booked.`;
    return `${queue}: ${all} ${all === 1 ? "reservation" : "reservations"}${shown === 0 ? ", none in the next 12 hours" : ""}.`;
  }
}
