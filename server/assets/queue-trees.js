// The queues of YARN's scheduler page: one tree of them, or one for each partition where nodes have labels.

import { make } from "./parts.js";
import { capacity, capacityIn, fair } from "./queue-figures.js";
import { SchedulerTree } from "./tree.js";
import { whole } from "./words.js";

const OF_FAIR =
  "Grey: the maximum. Solid border: steady fair share. Dashed: instantaneous fair share. Green: used, orange above the instantaneous share. Memory. " +
  "A queue opens to its figures.";
const OF_CAPACITY =
  "Grey: the absolute maximum capacity. Dashed: absolute capacity. Green: used, orange above the capacity. A queue opens to its figures.";
const OF_PARTITIONS = " Parts are of the nodes of the partition.";

export class QueueTrees {
  #within;
  #legend;
  /** By the name of the partition; of no name without labels. */
  #trees = new Map();

  constructor(within) {
    make("h2", "", within, "Queues");
    this.#legend = make("p", "hint", within);
    this.#within = make("div", "", within);
  }

  /** `partitions` are those that there are, the default one first. As in Hadoop they count once some node has a label. */
  show(info, partitions) {
    const isFair = info.type === "fairScheduler";
    const isParted = partitions.some(({ label, nodes }) => label !== "" && nodes > 0);
    this.#legend.textContent = isFair ? OF_FAIR : `${OF_CAPACITY}${isParted ? OF_PARTITIONS : ""}`;
    const shown = isParted
      ? partitions.map((of) => ({ name: of.name, title: title(of), read: capacityIn(of), root: info }))
      : [{ name: null, title: null, read: isFair ? fair : capacity, root: isFair ? info.rootQueue : info }];
    for (const [name, { box }] of this.#trees) {
      if (!shown.some((one) => one.name === name)) {
        box.remove();
        this.#trees.delete(name);
      }
    }
    shown.forEach(({ name, title, read, root }, place) => {
      const one = this.#trees.get(name) ?? this.#add(name);
      if (this.#within.children[place] !== one.box) this.#within.insertBefore(one.box, this.#within.children[place] ?? null);
      one.title.hidden = title === null;
      one.title.textContent = title ?? "";
      one.tree.show(read, root);
    });
  }

  #add(name) {
    const box = make("div", "partition", this.#within);
    const one = { box, title: make("h3", "", box), tree: new SchedulerTree(box) };
    this.#trees.set(name, one);
    return one;
  }
}

const title = ({ name, exclusive, resource, nodes }) =>
  `Partition: ${name} (${whole(nodes)} ${nodes === 1 ? "node" : "nodes"}, ${resource}${exclusive ? "" : "; lent to others while idle"})`;
