// A tree of queues as YARN's scheduler page draws it: one bar a queue.
//
// The outer bar is the maximum, in parts of the cluster, at most 80 % of the lane. Inside, in parts of the maximum: what is
// guaranteed, and what is used.

import { make, record } from "./parts.js";

const WIDEST = 80;

export class SchedulerTree {
  #tree;
  #kept = new Map();

  constructor(within) {
    this.#tree = make("div", "tree", within);
  }

  /** `read` says what is drawn and told of a queue. */
  show(read, root) {
    const seen = new Set();
    this.#draw(read, root, this.#tree, seen);
    for (const [path, kept] of this.#kept) {
      if (!seen.has(path)) {
        kept.details.remove();
        this.#kept.delete(path);
      }
    }
  }

  #draw(read, queue, within, seen) {
    const shown = read(queue);
    seen.add(shown.path);
    const kept = this.#kept.get(shown.path) ?? this.#add(shown, within);
    kept.outer.style.width = `${WIDEST * shown.outer}%`;
    kept.lane.title = shown.tip;
    for (const [name, width] of [["solid", shown.solid], ["dashed", shown.dashed], ["fill", shown.used]]) {
      kept[name].hidden = width === null;
      kept[name].style.width = `${100 * Math.min(1, width ?? 0)}%`;
    }
    kept.fill.classList.toggle("over", shown.over);
    kept.said.textContent = shown.said;
    record(kept.facts, shown.path, shown.rows.filter(([, value]) => value !== undefined && value !== ""));
    for (const child of shown.children) this.#draw(read, child, kept.below, seen);
  }

  #add(shown, within) {
    const details = make("details", "", within);
    details.open = shown.children.length > 0 && !shown.path.includes(".");
    const summary = make("summary", "", details);
    make("span", "name", summary, shown.path.slice(shown.path.lastIndexOf(".") + 1)).title = shown.path;
    const lane = make("span", "lane", summary);
    const outer = make("span", "outer", lane);
    const kept = {
      details, lane, outer,
      fill: make("i", "fill", outer), solid: make("i", "solid", outer), dashed: make("i", "dashed", outer),
      said: make("span", "said", lane),
      facts: make("div", "facts"),
      below: make("div", "below"),
    };
    // A parent opens to its queues first.
    details.append(...(shown.children.length > 0 ? [kept.below, kept.facts] : [kept.facts, kept.below]));
    const apps = make("a", "", details, "Applications of this queue");
    apps.href = `/cluster/apps?queue=${encodeURIComponent(shown.path)}`;
    this.#kept.set(shown.path, kept);
    return kept;
  }
}
