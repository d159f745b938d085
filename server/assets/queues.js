// The tree of queues, one bar each. A queue keeps its row for as long as it is there.

import { askWhy } from "./door.js";
import { make, put, reasons } from "./parts.js";
import { Stops } from "./stops.js";
import { memory, whole } from "./words.js";

const ASK_WHY_EVERY_MS = 3000;

/** A dot comes before all other letters: what is below `root.a` stands before `root.a-b`. */
const key = ({ path }) => path.replaceAll(".", "\u0000");
const inTree = (one, other) => (key(one) < key(other) ? -1 : 1);
const percent = (part, all) => (all > 0 ? (100 * part) / all : 0);

export class Queues {
  #list;
  #said;
  #rows = new Map();
  #chosen = null;
  #why;
  #asked = 0;
  #told;
  #stops;

  /** `chosen` is told of a queue that is chosen, and whether it is a leaf. */
  constructor(list, said, why, chosen) {
    this.#list = list;
    this.#said = said;
    this.#why = why;
    this.#told = chosen;
    this.#stops = new Stops(list);
  }

  /**
   * Bars are parts of `all`, the cluster's memory in MiB. `isNew`: other queues are there than before. Those that are scrolled away are written,
   * and not laid out.
   */
  show(queues, all, scheduler, isNew) {
    if (scheduler === "capacity") {
      document.getElementById("steady-name").textContent = "(no steady share)";
      document.getElementById("fair-name").textContent = "guaranteed by its capacity";
    }
    if (isNew) this.#keep(queues);
    for (const queue of queues) this.#draw(this.#rows.get(queue.path), queue, all);
    if (this.#chosen) this.#tell();
  }

  #draw(row, queue, all) {
    row.queue = queue;
    const [used, share] = [queue.used[0], queue.fair[0]];
    const widths = { used, pending: used + queue.pending[0], steady: queue.steady?.[0] ?? 0, fair: share };
    for (const [part, amount] of Object.entries(widths)) {
      const width = `${percent(amount, all).toFixed(2)}%`;
      if (row.widths[part] !== width) row[part].style.width = row.widths[part] = width;
    }
    row.used.classList.toggle("over", used > share);
    const words = `${percent(used, all).toFixed(1)} %`;
    if (row.percent.textContent !== words) row.percent.textContent = words;
  }

  /** A row for each, below its parent. */
  #keep(queues) {
    const there = new Set(queues.map((queue) => queue.path));
    for (const [path, row] of this.#rows) {
      if (!there.has(path)) {
        row.item.remove();
        this.#rows.delete(path);
      }
    }
    [...queues].sort(inTree).forEach((queue, place) => {
      const { item } = this.#rows.get(queue.path) ?? this.#add(queue);
      const there = this.#list.children[place] ?? null;
      if (there !== item) this.#list.insertBefore(item, there);
    });
    this.#stops.keep();
  }

  #add(queue) {
    const item = make("div", "item", this.#list);
    item.setAttribute("role", "listitem");
    const button = make("button", "row", item);
    button.type = "button";
    button.setAttribute("aria-pressed", "false");
    button.tabIndex = -1;
    const depth = queue.path.split(".").length - 1;
    const name = make("span", "name", button, queue.path.slice(queue.path.lastIndexOf(".") + 1));
    name.style.paddingLeft = `${depth * 12}px`;
    name.title = queue.path;
    const bar = make("span", "bar", button);
    const row = {
      item, button, bar, queue, widths: {},
      pending: make("i", "pending", bar), used: make("i", "used", bar),
      steady: make("i", "steady", bar), fair: make("i", "fair", bar),
      percent: make("span", "percent", button),
    };
    row.steady.hidden = queue.steady === undefined;
    button.onclick = () => this.choose(queue.path);
    this.#rows.set(queue.path, row);
    return row;
  }

  /** Shows what a queue has, and why its applications wait. */
  choose(path) {
    this.#rows.get(this.#chosen)?.button.setAttribute("aria-pressed", "false");
    this.#chosen = path;
    this.#rows.get(path)?.button.setAttribute("aria-pressed", "true");
    this.#asked = 0;
    put(this.#why, []);
    this.#told(path, this.#rows.get(path)?.queue.leaf);
    this.#rows.get(path)?.item.scrollIntoView({ block: "nearest" });
    this.#tell();
  }

  /** What the first applications of the chosen queue wait for, now and then. */
  async #tellWhy(path) {
    if (performance.now() - this.#asked < ASK_WHY_EVERY_MS && this.#asked > 0) return;
    this.#asked = performance.now();
    let parts;
    try {
      const { waiting, app: apps } = await askWhy("queue", path);
      const some = `Of ${whole(waiting)} ${waiting === 1 ? "application that asks" : "applications that ask"} for something:`;
      const head = waiting === 0 ? "None of its applications asks for anything." : some;
      parts = [make("p", "hint", null, head)];
      for (const app of apps) {
        const entry = make("div", "waits");
        const link = make("a", "", entry, app.appId);
        link.href = `/cluster/app/${encodeURIComponent(app.appId)}`;
        reasons(make("ul", "", entry), app.reasons);
        parts.push(entry);
      }
    } catch (error) {
      parts = [make("p", "hint", null, `Why they wait cannot be asked: ${error.message}.`)];
    }
    if (path === this.#chosen) put(this.#why, parts);
  }

  #tell() {
    const queue = this.#rows.get(this.#chosen)?.queue;
    if (!queue) {
      this.#said.textContent = "That queue is gone.";
      return;
    }
    this.#tellWhy(queue.path);
    const [mib, vcores] = queue.pending;
    const share = queue.fair[0];
    const wants = mib > 0 || vcores > 0 ? `wants ${memory(mib)} and ${whole(vcores)} vcores besides` : "wants nothing besides";
    let why = "";
    if (mib > 0 && queue.used[0] < share) why = " It is below its share, and waits for room.";
    else if (mib > 0 && queue.used[0] >= queue.maximum[0]) why = " It is at its maximum.";
    else if (mib > 0) why = " It has its share.";
    this.#said.textContent =
      `${queue.path}: has ${memory(queue.used[0])} and ${whole(queue.used[1])} vcores, share ${memory(share)}, ${wants}; ` +
      `${whole(queue.apps)} applications${queue.apps_pending === null ? "" : `, ${whole(queue.apps_pending)} of them pending`}.${why}`;
  }

  /** Where a queue's bar begins in the window. One that is scrolled away is at the list's edge. */
  placeOf(path) {
    const row = this.#rows.get(path);
    if (!row) return null;
    const frame = this.#list.getBoundingClientRect();
    // What is inside a row that is scrolled away is not laid out: all bars begin where the first one does.
    const bar = this.#rows.values().next().value.bar.getBoundingClientRect();
    const item = row.item.getBoundingClientRect();
    const y = Math.min(Math.max(item.top + item.height / 2, frame.top), frame.bottom);
    return { x: bar.left + bar.width * 0.1, y };
  }
}
