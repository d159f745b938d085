// The latest events, newest first.

import { make } from "./parts.js";
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
    const line = make("li");
    line.style.setProperty("--mark", kindOf(event.what).colour);
    const at = new Date(event.at_ms);
    make("time", "", line, `${at.toLocaleTimeString("en-GB")} `).dateTime = at.toISOString();
    line.append(sentence(event));
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
