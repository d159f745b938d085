// Nodes as a map of cells. Racks are groups; a node keeps its cell for as long as the same nodes are there.
//
// Each node is one pixel of a small picture that is drawn larger, and the gaps are cut out of it: so the cost is that of the map's size, and not of
// how many nodes have changed.

import { memory } from "./words.js";

const GAP = 0.15;
/** Between smaller cells, in pixels, there is no gap: it would be as large as they are. */
const LEAST_WITH_GAP = 4;
/** So many degrees of fullness can be told apart. */
const SHADES = 64;
/** In a cell of fewer pixels a cross cannot be seen: it is red. */
const LEAST_CROSSED = 5;
const RED = "#c92a2a";
const IN_ORDER = new Intl.Collator("en", { numeric: true });

const isLost = (node) => node[2] !== "RUNNING";

export class NodeMap {
  #canvas;
  #said;
  #nodes = [];
  /** Of each cell the place of its node in the list, and the other way round. */
  #order = [];
  #cells = new Int32Array(0);
  #cellOf = new Map();
  #columns = 1;
  #rows = 1;
  /** Of a cell with its gap, in pixels of the screen. */
  #side = 0;
  #scale = 1;
  /** What the cells are laid out for. */
  #frame = "";
  #small = document.createElement("canvas");
  #image = new ImageData(1, 1);
  #pixels = new Uint32Array(1);
  #shades = new Uint32Array(0);
  #lost = new Set();
  #pointed = null;

  /** `picked` is told of a node that is clicked. */
  constructor(canvas, said, picked) {
    this.#canvas = canvas;
    this.#said = said;
    canvas.addEventListener("mousemove", (at) => this.#point(this.#at(at.offsetX, at.offsetY)));
    canvas.addEventListener("click", (at) => {
      const node = this.#nodes[this.#at(at.offsetX, at.offsetY)];
      if (node) picked(node[0]);
    });
  }

  /** The place of the node whose cell is there. */
  #at(x, y) {
    const [column, row] = [x, y].map((length) => Math.floor((length * this.#scale) / this.#side));
    // Beside the last column there may be room that is nobody's.
    return column < this.#columns ? this.#order[row * this.#columns + column] : undefined;
  }

  /** Rows of name, rack, state, used MiB, used vcores, all MiB, all vcores, worker. `changed` has the places of those that have changed. */
  show(nodes, isNew, changed) {
    this.#nodes = nodes;
    const { clientWidth: width, clientHeight: height } = this.#canvas;
    const scale = window.devicePixelRatio || 1;
    const dark = window.matchMedia("(prefers-color-scheme: dark)").matches;
    const frame = [width, height, scale, dark].join();
    if (isNew) this.#sort();
    if (isNew || frame !== this.#frame) {
      this.#frame = frame;
      this.#lay(width, height, scale, dark);
      nodes.forEach((_, place) => this.#shade(place));
    } else {
      changed.forEach((place) => this.#shade(place));
    }
    this.#draw();
    const label = `Map of ${nodes.length} nodes, ${this.#lost.size} of them not running`;
    if (this.#canvas.getAttribute("aria-label") !== label) this.#canvas.setAttribute("aria-label", label);
    this.#point(this.#pointed);
  }

  #sort() {
    const nodes = this.#nodes;
    this.#order = nodes.map((_, place) => place);
    this.#order.sort((a, b) => IN_ORDER.compare(nodes[a][1], nodes[b][1]) || IN_ORDER.compare(nodes[a][0], nodes[b][0]));
    this.#cells = new Int32Array(nodes.length);
    this.#order.forEach((place, cell) => (this.#cells[place] = cell));
    this.#cellOf = new Map(nodes.map(([name], place) => [name, this.#cells[place]]));
    this.#lost.clear();
  }

  /** Gives each node its cell. */
  #lay(width, height, scale, dark) {
    const many = this.#nodes.length;
    this.#scale = scale;
    [this.#canvas.width, this.#canvas.height] = [Math.round(width * scale), Math.round(height * scale)];
    this.#columns = Math.max(1, Math.ceil(Math.sqrt((many * width) / Math.max(1, height))));
    this.#rows = Math.max(1, Math.ceil(many / this.#columns));
    const side = Math.min(this.#canvas.width / this.#columns, this.#canvas.height / this.#rows);
    // Of whole pixels, so that all are alike and gaps are sharp.
    this.#side = side >= 2 ? Math.floor(side) : side;
    [this.#small.width, this.#small.height] = [this.#columns, this.#rows];
    this.#image = new ImageData(this.#columns, this.#rows);
    this.#pixels = new Uint32Array(this.#image.data.buffer);
    this.#shades = shades(dark);
  }

  #shade(place) {
    const node = this.#nodes[place];
    const cell = this.#cells[place];
    const full = node[5] > 0 ? Math.min(1, Math.max(0, node[3] / node[5])) : 0;
    this.#pixels[cell] = this.#shades[Math.round(full * (SHADES - 1))];
    if (isLost(node)) this.#lost.add(cell);
    else this.#lost.delete(cell);
  }

  #draw() {
    const draw = this.#canvas.getContext("2d");
    const [columns, rows, side] = [this.#columns, this.#rows, this.#side];
    const gap = side >= LEAST_WITH_GAP ? Math.max(1, Math.round(side * GAP)) : 0;
    this.#small.getContext("2d").putImageData(this.#image, 0, 0);
    draw.imageSmoothingEnabled = false;
    draw.clearRect(0, 0, this.#canvas.width, this.#canvas.height);
    draw.drawImage(this.#small, 0, 0, columns * side, rows * side);
    for (const cell of this.#lost) this.#cross(draw, cell, side - gap);
    if (gap === 0) return;
    for (let column = 1; column <= columns; column += 1) draw.clearRect(column * side - gap, 0, gap, rows * side);
    for (let row = 1; row <= rows; row += 1) draw.clearRect(0, row * side - gap, columns * side, gap);
  }

  #corner(cell) {
    return [(cell % this.#columns) * this.#side, Math.floor(cell / this.#columns) * this.#side];
  }

  #cross(draw, cell, inner) {
    const [x, y] = this.#corner(cell);
    if (inner < LEAST_CROSSED) {
      draw.fillStyle = RED;
      draw.fillRect(x, y, inner, inner);
      return;
    }
    draw.strokeStyle = RED;
    draw.lineWidth = Math.max(1, inner / 12);
    draw.beginPath();
    draw.moveTo(x, y);
    draw.lineTo(x + inner, y + inner);
    draw.moveTo(x + inner, y);
    draw.lineTo(x, y + inner);
    draw.stroke();
  }

  /** Tells of the node at that place, for as long as it is pointed at. */
  #point(place) {
    this.#pointed = place;
    const node = this.#nodes[place];
    if (!node) return;
    const [name, rack, state, mib, vcores, allMib, allVcores] = node;
    this.#said.textContent =
      `${name} in ${rack}, ${state}: ${memory(mib)} of ${memory(allMib)}, ${vcores} of ${allVcores} vcores used`;
  }

  /** Where a node is in the window, or nothing. */
  placeOf(name) {
    const cell = this.#cellOf.get(name);
    if (cell === undefined) return null;
    const frame = this.#canvas.getBoundingClientRect();
    const [x, y] = this.#corner(cell).map((corner) => (corner + (this.#side * (1 - GAP)) / 2) / this.#scale);
    return { x: frame.left + x, y: frame.top + y };
  }
}

/** Of each degree of fullness the pixel, as pictures have them. */
function shades(dark) {
  const row = Object.assign(document.createElement("canvas"), { width: SHADES, height: 1 });
  const draw = row.getContext("2d");
  for (let shade = 0; shade < SHADES; shade += 1) {
    const full = shade / (SHADES - 1);
    draw.fillStyle = `hsl(150 45% ${dark ? 14 + 46 * full : 92 - 62 * full}%)`;
    draw.fillRect(shade, 0, 1, 1);
  }
  return new Uint32Array(draw.getImageData(0, 0, SHADES, 1).data.buffer);
}
