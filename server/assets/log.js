// The latest events, newest first.

import { kindOf, sentence, whole } from "./words.js";

const KEPT = 200;

export class Log {
  #list;
  #said;
  #lost = 0;

  constructor(list, said) {
    this.#list = list;
    this.#said = said;
  }

  add(event) {
    const line = document.createElement("li");
    line.style.setProperty("--mark", kindOf(event.what).colour);
    const time = document.createElement("time");
    const at = new Date(event.at_ms);
    time.dateTime = at.toISOString();
    time.textContent = `${at.toLocaleTimeString("en-GB")} `;
    line.append(time, sentence(event));
    this.#list.prepend(line);
    while (this.#list.children.length > KEPT) this.#list.lastChild.remove();
  }

  /** Events that are not shown, because there were too many. */
  lose(count) {
    if (count === 0) return;
    this.#lost += count;
    this.#said.textContent = `${whole(this.#lost)} events were too many to show.`;
  }
}
