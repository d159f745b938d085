// Nodes as a map of cells. Racks are groups; a node keeps its cell for as long as the number of nodes stays.

import { memory } from "./words.js";

const GAP = 0.15;
/** So many degrees of fullness can be told apart. */
const SHADES = 64;
const IN_ORDER = new Intl.Collator("en", { numeric: true });

export class NodeMap {
  #canvas;
  #said;
  #cells = new Map();
  #order = [];
  #side = 0;
  #columns = 1;
  /** Of the last time: names and racks as they came, and their order. */
  #names = [];
  #racks = [];
  #places = [];
  /** What the cells are laid out for, and what was drawn in each. */
  #frame = "";
  #drawn = new Int16Array(0);
  #shades = [];

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

  /** Rows of name, rack, state, used MiB, used vcores, all MiB, all vcores, worker. Only cells that have changed are drawn. */
  show(nodes) {
    const { clientWidth: width, clientHeight: height } = this.#canvas;
    const scale = window.devicePixelRatio || 1;
    const dark = window.matchMedia("(prefers-color-scheme: dark)").matches;
    const isSame = this.#sort(nodes);
    const frame = [width, height, scale, dark].join();
    if (!isSame || frame !== this.#frame) {
      this.#frame = frame;
      this.#lay(width, height, scale, dark);
    }
    const draw = this.#canvas.getContext("2d");
    draw.setTransform(scale, 0, 0, scale, 0, 0);
    let lost = 0;
    this.#order.forEach((node, index) => {
      const isLost = node[2] !== "RUNNING";
      lost += isLost;
      const full = node[5] > 0 ? Math.min(1, node[3] / node[5]) : 0;
      const shade = Math.round(full * (SHADES - 1)) + (isLost ? SHADES : 0);
      if (this.#drawn[index] === shade) return;
      this.#drawn[index] = shade;
      this.#cell(draw, index, shade % SHADES, isLost);
    });
    this.#canvas.setAttribute("aria-label", `Map of ${this.#order.length} nodes, ${lost} of them not running`);
  }

  /** Puts the nodes in order; whether they are those of the last time. */
  #sort(nodes) {
    const isSame = nodes.length === this.#names.length && nodes.every((node, index) => node[0] === this.#names[index] && node[1] === this.#racks[index]);
    if (!isSame) {
      this.#names = nodes.map((node) => node[0]);
      this.#racks = nodes.map((node) => node[1]);
      this.#places = nodes.map((_, index) => index);
      this.#places.sort((a, b) => IN_ORDER.compare(nodes[a][1], nodes[b][1]) || IN_ORDER.compare(nodes[a][0], nodes[b][0]));
    }
    this.#order = this.#places.map((index) => nodes[index]);
    return isSame;
  }

  /** Gives each node its cell. */
  #lay(width, height, scale, dark) {
    [this.#canvas.width, this.#canvas.height] = [width * scale, height * scale];
    const columns = Math.max(1, Math.ceil(Math.sqrt((this.#order.length * width) / Math.max(1, height))));
    this.#columns = columns;
    const rows = Math.max(1, Math.ceil(this.#order.length / columns));
    this.#side = Math.min(width / columns, height / rows);
    this.#drawn = new Int16Array(this.#order.length).fill(-1);
    const light = (full) => (dark ? 14 + 46 * full : 92 - 62 * full);
    this.#shades = Array.from({ length: SHADES }, (_, shade) => `hsl(150 45% ${light(shade / (SHADES - 1))}%)`);
    this.#cells.clear();
    const middle = (this.#side * (1 - GAP)) / 2;
    this.#order.forEach((node, index) => {
      const [x, y] = this.#corner(index);
      this.#cells.set(node[0], { x: x + middle, y: y + middle });
    });
  }

  #corner(index) {
    return [(index % this.#columns) * this.#side, Math.floor(index / this.#columns) * this.#side];
  }

  #cell(draw, index, shade, isLost) {
    const [x, y] = this.#corner(index);
    const inner = this.#side * (1 - GAP);
    // Of a crossed cell the ends of the lines stand beyond it.
    const beyond = Math.min(1, (this.#side * GAP) / 2);
    draw.clearRect(x - beyond, y - beyond, inner + 2 * beyond, inner + 2 * beyond);
    draw.fillStyle = this.#shades[shade];
    draw.fillRect(x, y, inner, inner);
    if (!isLost) return;
    draw.strokeStyle = "#c92a2a";
    draw.beginPath();
    draw.moveTo(x, y);
    draw.lineTo(x + inner, y + inner);
    draw.moveTo(x + inner, y);
    draw.lineTo(x, y + inner);
    draw.stroke();
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
