// The latest events, newest first. Those that are few stay longer.

import { make } from "./parts.js";
import { isFrequent, kindOf, sentence, whole } from "./words.js";

const KEPT = { few: 100, frequent: 100 };

export class Log {
  #list;
  #said;
  #lost = 0;
  #lines = { few: [], frequent: [] };

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
    const kind = isFrequent(event) ? "frequent" : "few";
    this.#lines[kind].push(line);
    if (this.#lines[kind].length > KEPT[kind]) this.#lines[kind].shift().remove();
  }

  /** Events that are not shown, because there were too many. */
  lose(count) {
    if (count === 0) return;
    this.#lost += count;
    this.#said.textContent = `${whole(this.#lost)} events were too many to show.`;
  }
}
