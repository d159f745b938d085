// Which leaf queues want more and have less than their share, and since when: what an operator asks first.

import { make, put } from "./parts.js";

/** So much of its share is as good as all of it: containers come and go. */
const ENOUGH = 0.9;
/** A queue that is short for less long is on its way. */
const SHORT_FOR_MS = 3000;
const MOST_NAMED = 3;

/** What part it has of what it may want of its share, of the resource of which that is most; one where it wants nothing. */
export function fullness({ used, fair, demand, pending }) {
  if (!pending.some((amount) => amount > 0)) return 1;
  const parts = fair.map((share, at) => [used[at], Math.min(share, demand[at])]).filter(([, due]) => due > 0);
  return parts.length === 0 ? 1 : Math.max(...parts.map(([has, due]) => has / due));
}

export class Starved {
  #place;
  #chosen;
  #head;
  #rest;
  #since = new Map();
  #buttons = new Map();

  /** `chosen` is told of a queue that is chosen. */
  constructor(place, chosen) {
    [this.#place, this.#chosen] = [place, chosen];
    [this.#head, this.#rest] = [make("span"), make("span")];
    put(place, [this.#head, this.#rest]);
  }

  show(queues, now) {
    const short = queues.filter(({ leaf }) => leaf).map((queue) => [queue.path, fullness(queue)]).filter(([, part]) => part < ENOUGH);
    this.#since = new Map(short.map(([path]) => [path, this.#since.get(path) ?? now]));
    const starved = short.filter(([path]) => now - this.#since.get(path) >= SHORT_FOR_MS);
    // Those that wait longest come first, and so each keeps its place.
    starved.sort(([one], [other]) => this.#since.get(one) - this.#since.get(other));
    const named = starved.slice(0, MOST_NAMED);
    const rest = starved.length - named.length;
    this.#head.textContent = named.length > 0 ? "Below its share, and waiting: " : "Every queue that wants more has its share.";
    this.#rest.textContent = rest > 0 ? ` and ${rest} more` : "";
    this.#keep(new Set(named.map(([path]) => path)));
    for (const [path, part] of named) {
      const seconds = Math.round((now - this.#since.get(path)) / 1000);
      this.#button(path).textContent = `${path}: ${Math.round(100 * part)} % of it, for ${seconds} s`;
    }
  }

  #keep(paths) {
    for (const [path, button] of this.#buttons) {
      if (paths.has(path)) continue;
      button.remove();
      this.#buttons.delete(path);
    }
  }

  #button(path) {
    const there = this.#buttons.get(path);
    if (there) return there;
    const button = make("button");
    button.type = "button";
    button.title = path;
    button.onclick = () => this.#chosen(path);
    this.#rest.before(button);
    this.#buttons.set(path, button);
    return button;
  }
}
