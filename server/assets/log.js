// The latest events, newest first. Those that are few stay longer.

import { make } from "./parts.js";
import { isFrequent, kindOf, sentence, whole } from "./words.js";

const KEPT = { few: 100, frequent: 100 };
const CLOCK = new Intl.DateTimeFormat("en-GB", { timeStyle: "medium" });

export class Log {
  #list;
  #said;
  #lost = 0;
  #lines = { few: [], frequent: [] };

  constructor(list, said) {
    this.#list = list;
    this.#said = said;
  }

  /** Oldest first. */
  add(events) {
    const lines = events.map((event) => {
      const line = make("li");
      line.style.setProperty("--mark", kindOf(event.what).colour);
      const at = new Date(event.at_ms);
      make("time", "", line, `${CLOCK.format(at)} `).dateTime = at.toISOString();
      line.append(sentence(event));
      this.#lines[isFrequent(event) ? "frequent" : "few"].push(line);
      return line;
    });
    this.#list.prepend(...lines.reverse());
    for (const [kind, kept] of Object.entries(this.#lines)) {
      for (const line of kept.splice(0, kept.length - KEPT[kind])) line.remove();
    }
  }

  /** Events that are not shown, because there were too many. */
  lose(count) {
    if (count === 0) return;
    this.#lost += count;
    this.#said.textContent = `${whole(this.#lost)} events were too many to show.`;
  }
}
