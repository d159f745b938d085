// Nodes as a map of cells, with a frame for each partition where nodes have labels. Racks are groups; a node keeps its cell for as long as the same nodes are there.
//
// Each node is one pixel of a small picture that is drawn larger, and the gaps are cut out of it: so the cost is that of the map's size, and not of
// how many nodes have changed.

import { framed, single } from "./frames.js";
import { memory, whole } from "./words.js";

const GAP = 0.15;
/** Between smaller cells, in pixels, there is no gap: it would be as large as they are. */
const LEAST_WITH_GAP = 4;
/** So many degrees of fullness can be told apart. */
const SHADES = 64;
/** In a cell of fewer pixels a cross cannot be seen: it is red. */
const LEAST_CROSSED = 5;
const RED = "#c92a2a";
const IN_ORDER = new Intl.Collator("en", { numeric: true });
/** A title has no more of a label than this. */
const LONGEST_LABEL = 30;

const isLost = (node) => node[2] !== "RUNNING";

const shortened = (label) => (label.length > LONGEST_LABEL ? `${label.slice(0, LONGEST_LABEL - 1)}…` : label);

/** How a partition is called: the nodes without a label are the default one. */
const partitionName = ([label, exclusive]) => (label === "" ? "default partition" : `${shortened(label)}, ${exclusive ? "exclusive" : "shared"}`);

export class NodeMap {
  #canvas;
  #said;
  #nodes = [];
  /** Of each cell the place of its node in the list, and the other way round. */
  #order = [];
  #cells = new Int32Array(0);
  #cellOf = new Map();
  /** Partitions with nodes, and how many; none where no node has a label. */
  #groups = [];
  #labels = null;
  #frames = [];
  /** Of a cell with its gap, in pixels of the screen. */
  #side = 0;
  #scale = 1;
  /** What the cells are laid out for. */
  #laidFor = "";
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

  /** Some node has a label: there is a frame for each partition. */
  get isFramed() {
    return this.#groups.length > 0;
  }

  /** The place of the node whose cell is there. */
  #at(x, y) {
    for (const frame of this.#frames) {
      const column = Math.floor((x * this.#scale - frame.cellX) / this.#side);
      const row = Math.floor((y * this.#scale - frame.cellY) / this.#side);
      // Beside the last column there may be room that is nobody's.
      const cell = row * frame.columns + column;
      if (column >= 0 && column < frame.columns && row >= 0 && cell < frame.count) return this.#order[frame.from + cell];
    }
    return undefined;
  }

  /**
   * Rows of name, rack, state, used MiB, used vcores, all MiB, all vcores, worker. `changed` has the places of those that have changed; `labels`, where
   * labels are on, the partitions and each node's place among them.
   */
  show(nodes, isNew, changed, labels) {
    this.#nodes = nodes;
    if (isNew) this.#sort(labels ?? null);
    if (isNew || this.#looks() !== this.#laidFor) {
      this.#lay();
      nodes.forEach((_, place) => this.#shade(place));
    } else {
      changed.forEach((place) => this.#shade(place));
    }
    this.#draw();
    const groups = this.#groups.map((group) => `; ${group.name}: ${group.count}`).join("");
    const label = `Map of ${nodes.length} nodes, ${this.#lost.size} of them not running${groups}`;
    if (this.#canvas.getAttribute("aria-label") !== label) this.#canvas.setAttribute("aria-label", label);
    this.#point(this.#pointed);
  }

  #looks() {
    const dark = window.matchMedia("(prefers-color-scheme: dark)").matches;
    return [this.#canvas.clientWidth, this.#canvas.clientHeight, window.devicePixelRatio || 1, dark].join();
  }

  #sort(labels) {
    const nodes = this.#nodes;
    const of = (place) => labels?.of_nodes[place] ?? 0;
    this.#labels = labels;
    this.#order = nodes.map((_, place) => place);
    this.#order.sort((a, b) => of(a) - of(b) || IN_ORDER.compare(nodes[a][1], nodes[b][1]) || IN_ORDER.compare(nodes[a][0], nodes[b][0]));
    this.#cells = new Int32Array(nodes.length);
    this.#order.forEach((place, cell) => (this.#cells[place] = cell));
    this.#cellOf = new Map(nodes.map(([name], place) => [name, this.#cells[place]]));
    this.#lost.clear();
    const counts = (labels?.partitions ?? []).map(() => 0);
    labels?.of_nodes.forEach((partition) => (counts[partition] += 1));
    const groups = counts.map((count, partition) => ({ count, name: partitionName(labels.partitions[partition]) }));
    // As long as no node has a label there is nothing to be told apart.
    this.#groups = counts.slice(1).some((count) => count > 0) ? groups.filter(({ count }) => count > 0) : [];
  }

  /** Gives each node its cell. */
  #lay() {
    // A map that has become higher begins anew.
    this.#canvas.style.height = "";
    const { clientWidth, clientHeight } = this.#canvas;
    const scale = (this.#scale = window.devicePixelRatio || 1);
    const [width, height] = [clientWidth, clientHeight].map((length) => Math.round(length * scale));
    let laid;
    if (this.#groups.length === 0) {
      laid = single(this.#nodes.length, width, height);
    } else {
      const draw = this.#canvas.getContext("2d");
      draw.font = this.#font();
      const groups = this.#groups.map((group) => ({ ...group, title: draw.measureText(title(group)).width }));
      laid = framed(groups, width, height, scale);
    }
    [this.#frames, this.#side] = [laid.frames, laid.side];
    if (laid.height > height) this.#canvas.style.height = `${Math.ceil(laid.height / scale)}px`;
    [this.#canvas.width, this.#canvas.height] = [width, laid.height];
    // In the small picture frames stand one below the other.
    let row = 0;
    for (const frame of this.#frames) [frame.row, row] = [row, row + frame.rows];
    [this.#small.width, this.#small.height] = [Math.max(...this.#frames.map(({ columns }) => columns)), row];
    this.#image = new ImageData(this.#small.width, this.#small.height);
    this.#pixels = new Uint32Array(this.#image.data.buffer);
    this.#shades = shades(window.matchMedia("(prefers-color-scheme: dark)").matches);
    this.#laidFor = this.#looks();
  }

  #font() {
    return `${Math.round(12 * this.#scale)}px system-ui, sans-serif`;
  }

  /** The frame of a cell, its column and its row there. */
  #spot(cell) {
    const frame = this.#frames.find(({ from, count }) => cell < from + count) ?? this.#frames.at(-1);
    const inside = cell - frame.from;
    return [frame, inside % frame.columns, Math.floor(inside / frame.columns)];
  }

  #shade(place) {
    const node = this.#nodes[place];
    const cell = this.#cells[place];
    const full = node[5] > 0 ? Math.min(1, Math.max(0, node[3] / node[5])) : 0;
    const [frame, column, row] = this.#spot(cell);
    this.#pixels[(frame.row + row) * this.#small.width + column] = this.#shades[Math.round(full * (SHADES - 1))];
    if (isLost(node)) this.#lost.add(cell);
    else this.#lost.delete(cell);
  }

  #draw() {
    const draw = this.#canvas.getContext("2d");
    const side = this.#side;
    const gap = side >= LEAST_WITH_GAP ? Math.max(1, Math.round(side * GAP)) : 0;
    this.#small.getContext("2d").putImageData(this.#image, 0, 0);
    draw.imageSmoothingEnabled = false;
    draw.clearRect(0, 0, this.#canvas.width, this.#canvas.height);
    for (const { cellX: x, cellY: y, row, columns, rows } of this.#frames) {
      draw.drawImage(this.#small, 0, row, columns, rows, x, y, columns * side, rows * side);
    }
    for (const cell of this.#lost) this.#cross(draw, cell, side - gap);
    for (const { cellX: x, cellY: y, columns, rows } of gap === 0 ? [] : this.#frames) {
      for (let column = 1; column <= columns; column += 1) draw.clearRect(x + column * side - gap, y, gap, rows * side);
      for (let row = 1; row <= rows; row += 1) draw.clearRect(x, y + row * side - gap, columns * side, gap);
    }
    this.#groups.forEach((group, index) => this.#border(draw, group, this.#frames[index]));
  }

  /** The frame of a partition, and its title. */
  #border(draw, group, { x, y, width, height }) {
    const style = getComputedStyle(this.#canvas);
    const line = Math.max(1, Math.round(this.#scale));
    draw.strokeStyle = style.getPropertyValue("--soft");
    draw.lineWidth = line;
    draw.strokeRect(x + line / 2, y + line / 2, width - line, height - line);
    draw.font = this.#font();
    draw.fillStyle = style.getPropertyValue("--ink");
    draw.textBaseline = "middle";
    const room = 4 * this.#scale;
    draw.fillText(title(group), x + room, y + 10 * this.#scale, width - 2 * room);
  }

  #corner(cell) {
    const [frame, column, row] = this.#spot(cell);
    return [frame.cellX + column * this.#side, frame.cellY + row * this.#side];
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
    const label = this.#groups.length === 0 ? "" : ` (${partitionName(this.#labels.partitions[this.#labels.of_nodes[place]])})`;
    this.#said.textContent =
      `${name} in ${rack}${label}, ${state}: ${memory(mib)} of ${memory(allMib)}, ${vcores} of ${allVcores} vcores used`;
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

const title = ({ name, count }) => `${name}: ${whole(count)} ${count === 1 ? "node" : "nodes"}`;

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
