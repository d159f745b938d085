// A table that is sorted by a click on a column's name, and filtered by a text.

import { make, put } from "./parts.js";

const MOST_ROWS = 500;
const compare = new Intl.Collator("en", { numeric: true }).compare;

export class SortedTable {
  #columns;
  #heads;
  #body;
  #said;
  #box;
  #rows = [];
  #by;
  #down = false;

  /** Columns: `name`, `of` (what it is sorted by), `show` (a text or an element; else what `of` is), `number`. `by`: the column that it is sorted by at first. */
  constructor(within, caption, columns, by = 0) {
    this.#columns = columns;
    this.#by = by;
    const label = make("label", "", within, "Only those with ");
    this.#box = make("input", "", label);
    this.#box.type = "search";
    this.#box.oninput = () => this.#draw();
    this.#said = make("p", "hint", within);
    const table = make("table", "", make("div", "scroll", within));
    make("caption", "", table, caption);
    const row = make("tr", "", make("thead", "", table));
    this.#heads = columns.map((column, at) => {
      const head = make("th", "", row);
      head.scope = "col";
      const button = make("button", "", head, column.name);
      button.type = "button";
      button.onclick = () => this.#sort(at);
      return head;
    });
    this.#body = make("tbody", "", table);
  }

  show(rows) {
    this.#rows = rows;
    this.#draw();
  }

  filter(words) {
    this.#box.value = words;
  }

  #sort(at) {
    this.#down = at === this.#by && !this.#down;
    this.#by = at;
    this.#draw();
  }

  #draw() {
    this.#heads.forEach((head, at) => {
      if (at === this.#by) head.setAttribute("aria-sort", this.#down ? "descending" : "ascending");
      else head.removeAttribute("aria-sort");
    });
    const wanted = this.#box.value.toLowerCase();
    const words = (row) => this.#columns.map((column) => `${column.of(row) ?? ""}`).join(" ").toLowerCase();
    const { of } = this.#columns[this.#by];
    const order = (a, b) => (typeof a === "number" && typeof b === "number" ? a - b : compare(`${a ?? ""}`, `${b ?? ""}`));
    const fitting = this.#rows.filter((row) => wanted === "" || words(row).includes(wanted));
    fitting.sort((a, b) => (this.#down ? -1 : 1) * order(of(a), of(b)));
    const shown = fitting.slice(0, MOST_ROWS);
    this.#said.textContent = `${fitting.length} of ${this.#rows.length}${fitting.length > MOST_ROWS ? `, the first ${MOST_ROWS} are shown` : ""}`;
    put(this.#body, shown.map((row) => {
      const line = make("tr");
      for (const column of this.#columns) {
        const cell = make("td", column.number ? "number" : "", line);
        cell.append(column.show?.(row) ?? `${column.of(row) ?? ""}`);
      }
      return line;
    }));
  }
}
