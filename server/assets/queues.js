// The tree of queues, one bar each. A queue keeps its row for as long as it is there.

import { askWhy } from "./door.js";
import { make, put, reasons } from "./parts.js";
import { memory, whole } from "./words.js";

const ASK_WHY_EVERY_MS = 3000;

const percent = (part, all) => (all > 0 ? (100 * part) / all : 0);

export class Queues {
  #list;
  #said;
  #rows = new Map();
  #chosen = null;
  #why;
  #asked = 0;
  #told;

  /** `chosen` is told of a queue that is chosen. */
  constructor(list, said, why, chosen) {
    this.#list = list;
    this.#said = said;
    this.#why = why;
    this.#told = chosen;
  }

  /** Bars are parts of `all`, the cluster's memory in MiB. */
  show(queues, all, scheduler) {
    if (scheduler === "capacity") {
      document.getElementById("steady-name").textContent = "(no steady share)";
      document.getElementById("fair-name").textContent = "guaranteed by its capacity";
    }
    const there = new Set(queues.map((queue) => queue.path));
    for (const [path, row] of this.#rows) {
      if (!there.has(path)) {
        row.item.remove();
        this.#rows.delete(path);
      }
    }
    for (const queue of queues) {
      const row = this.#rows.get(queue.path) ?? this.#add(queue);
      row.queue = queue;
      const share = queue.fair[0];
      row.used.style.width = `${percent(queue.used[0], all)}%`;
      row.used.classList.toggle("over", queue.used[0] > share);
      row.pending.style.width = `${percent(queue.used[0] + queue.pending[0], all)}%`;
      row.steady.hidden = queue.steady === undefined;
      row.steady.style.width = `${percent(queue.steady?.[0] ?? 0, all)}%`;
      row.fair.style.width = `${percent(share, all)}%`;
      row.percent.textContent = `${percent(queue.used[0], all).toFixed(1)} %`;
    }
    if (this.#chosen) this.#tell();
  }

  #add(queue) {
    const item = make("div", "item", this.#list);
    item.setAttribute("role", "listitem");
    const button = make("button", "row", item);
    button.type = "button";
    button.setAttribute("aria-pressed", "false");
    const depth = queue.path.split(".").length - 1;
    const name = make("span", "name", button, queue.path.slice(queue.path.lastIndexOf(".") + 1));
    name.style.paddingLeft = `${depth * 12}px`;
    name.title = queue.path;
    const bar = make("span", "bar", button);
    const row = {
      item, button, bar, queue,
      pending: make("i", "pending", bar), used: make("i", "used", bar),
      steady: make("i", "steady", bar), fair: make("i", "fair", bar),
      percent: make("span", "percent", button),
    };
    button.onclick = () => this.#choose(queue.path);
    this.#rows.set(queue.path, row);
    return row;
  }

  #choose(path) {
    this.#rows.get(this.#chosen)?.button.setAttribute("aria-pressed", "false");
    this.#chosen = path;
    this.#rows.get(path)?.button.setAttribute("aria-pressed", "true");
    this.#asked = 0;
    put(this.#why, []);
    this.#told(path);
    this.#tell();
  }

  /** What the first applications of the chosen queue wait for, now and then. */
  async #tellWhy(path) {
    if (performance.now() - this.#asked < ASK_WHY_EVERY_MS && this.#asked > 0) return;
    this.#asked = performance.now();
    let parts;
    try {
      const { waiting, app: apps } = await askWhy("queue", path);
      const head = waiting === 0 ? "None of its applications asks for anything." : `Of ${whole(waiting)} applications that ask for something:`;
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
    const bar = row.bar.getBoundingClientRect();
    const y = Math.min(Math.max(bar.top + bar.height / 2, frame.top), frame.bottom);
    return { x: bar.left + bar.width * 0.1, y };
  }
}
