// Nodes as a map of cells. Racks are groups; a node keeps its cell for as long as the number of nodes stays.

import { memory } from "./words.js";

const GAP = 0.15;

export class NodeMap {
  #canvas;
  #said;
  #cells = new Map();
  #order = [];
  #side = 0;
  #columns = 1;

  /** `picked` is told of a node that is clicked. */
  constructor(canvas, said, picked) {
    this.#canvas = canvas;
    this.#said = said;
    canvas.addEventListener("mousemove", (at) => this.#tell(at.offsetX, at.offsetY));
    canvas.addEventListener("click", (at) => {
      const node = this.#at(at.offsetX, at.offsetY);
      if (node) picked(node[0]);
    });
  }

  #at(x, y) {
    const column = Math.floor(x / this.#side);
    // Beside the last column there may be room that is nobody's.
    return column < this.#columns ? this.#order[Math.floor(y / this.#side) * this.#columns + column] : undefined;
  }

  /** Rows of name, rack, state, used MiB, used vcores, all MiB, all vcores. */
  show(nodes) {
    const { clientWidth: width, clientHeight: height } = this.#canvas;
    const scale = window.devicePixelRatio || 1;
    if (this.#canvas.width !== width * scale || this.#canvas.height !== height * scale) {
      this.#canvas.width = width * scale;
      this.#canvas.height = height * scale;
    }
    const order = [...nodes].sort((a, b) => a[1].localeCompare(b[1], "en", { numeric: true })
      || a[0].localeCompare(b[0], "en", { numeric: true }));
    const columns = Math.max(1, Math.ceil(Math.sqrt((order.length * width) / Math.max(1, height))));
    this.#columns = columns;
    const rows = Math.max(1, Math.ceil(order.length / columns));
    this.#side = Math.min(width / columns, height / rows);
    this.#order = order;
    this.#cells.clear();
    const draw = this.#canvas.getContext("2d");
    draw.setTransform(scale, 0, 0, scale, 0, 0);
    draw.clearRect(0, 0, width, height);
    const dark = window.matchMedia("(prefers-color-scheme: dark)").matches;
    let lost = 0;
    order.forEach((node, index) => {
      const x = (index % columns) * this.#side;
      const y = Math.floor(index / columns) * this.#side;
      const inner = this.#side * (1 - GAP);
      this.#cells.set(node[0], { x: x + inner / 2, y: y + inner / 2 });
      const full = node[5] > 0 ? Math.min(1, node[3] / node[5]) : 0;
      draw.fillStyle = dark ? `hsl(150 45% ${14 + 46 * full}%)` : `hsl(150 45% ${92 - 62 * full}%)`;
      draw.fillRect(x, y, inner, inner);
      if (node[2] !== "RUNNING") {
        lost += 1;
        draw.strokeStyle = "#c92a2a";
        draw.beginPath();
        draw.moveTo(x, y);
        draw.lineTo(x + inner, y + inner);
        draw.moveTo(x + inner, y);
        draw.lineTo(x, y + inner);
        draw.stroke();
      }
    });
    this.#canvas.setAttribute("aria-label", `Map of ${order.length} nodes, ${lost} of them not running`);
  }

  #tell(x, y) {
    const node = this.#at(x, y);
    if (!node) return;
    const [name, rack, state, mib, vcores, allMib, allVcores] = node;
    this.#said.textContent =
      `${name} in ${rack}, ${state}: ${memory(mib)} of ${memory(allMib)}, ${vcores} of ${allVcores} vcores used`;
  }

  /** Where a node is in the window, or nothing. */
  placeOf(name) {
    const cell = this.#cells.get(name);
    if (!cell) return null;
    const frame = this.#canvas.getBoundingClientRect();
    return { x: frame.left + cell.x, y: frame.top + cell.y };
  }
}
