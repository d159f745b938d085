// Where marks pass between the map of nodes and the queues: the scheduler's workers; and where they end: the applications of late.

import { make, put } from "./parts.js";
import { Stops } from "./stops.js";
import { whole } from "./words.js";

const MOST_APPS = 24;

const middle = (element) => {
  const frame = element.getBoundingClientRect();
  return { x: frame.left + frame.width / 2, y: frame.top + frame.height / 2 };
};

export class Workers {
  #list;
  #chips = [];

  constructor(list) {
    this.#list = list;
  }

  /** Rows of nodes; the eighth is the worker. */
  show(nodes) {
    const counts = [];
    for (const { 7: worker } of nodes) {
      if (worker !== null) counts[worker] = (counts[worker] ?? 0) + 1;
    }
    if (counts.length !== this.#chips.length) {
      this.#chips = Array.from(counts, () => make("li", "chip"));
      put(this.#list, this.#chips);
    }
    this.#chips.forEach((chip, worker) => (chip.textContent = `worker ${worker}: ${whole(counts[worker] ?? 0)} nodes`));
  }

  /** Where a worker is in the window, or nothing. */
  placeOf(worker) {
    const chip = this.#chips[worker];
    return chip ? middle(chip) : null;
  }
}

export class Apps {
  #list;
  #stops;
  #timestamp = null;
  /** By number, the latest that something happened to last. */
  #chips = new Map();

  constructor(list) {
    this.#list = list;
    this.#stops = new Stops(list);
  }

  show(timestamp) {
    this.#timestamp = timestamp;
  }

  /** Something happened to an application: it has a place on the page. */
  saw({ app, queue, what }) {
    if (app === undefined || this.#timestamp === null) return;
    let chip = this.#chips.get(app);
    if (what === "application_ended" || what === "application_refused") {
      chip?.classList.add("over");
      return;
    }
    if (chip) {
      // The latest stand last in the map; on the page it keeps its place.
      this.#chips.delete(app);
      this.#chips.set(app, chip);
      return;
    }
    if (this.#chips.size >= MOST_APPS) {
      // Those that are over go first, then the oldest; never the one where somebody is with the keys.
      const others = [...this.#chips].filter(([, one]) => !one.contains(document.activeElement));
      const gone = others.find(([, one]) => one.classList.contains("over")) ?? others[0];
      gone[1].remove();
      this.#chips.delete(gone[0]);
    }
    chip = make("li", "chip", this.#list);
    const link = make("a", "", chip, `${app}`);
    link.href = `/cluster/app/${this.#id(app)}`;
    link.title = `application ${app} in ${queue ?? "no queue yet"}`;
    link.tabIndex = -1;
    this.#chips.set(app, chip);
    this.#stops.keep();
  }

  #id(app) {
    return `application_${this.#timestamp}_${String(app).padStart(4, "0")}`;
  }

  /** Of those that are not over, the latest first. */
  ids() {
    const there = [...this.#chips].filter(([, chip]) => !chip.classList.contains("over"));
    return there.reverse().map(([app]) => this.#id(app));
  }

  /** Where an application is in the window, or nothing. */
  placeOf(app) {
    const chip = this.#chips.get(app);
    return chip ? middle(chip) : null;
  }
}
