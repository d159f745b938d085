// How things stand, kept from what the server tells: all of it at first, then what has changed.

export class State {
  #now = null;
  #places = new Map();

  /** What to ask for: all of it, or what is new since. */
  get wanted() {
    return this.#now === null ? "" : `?since=${this.#now.version}`;
  }

  /**
   * Takes an answer in. The state has all nodes and queues; `isNew` where others stand there than before, else `changed` has the places of the
   * nodes that have changed, and `moved` where a node has come or gone or another worker has it.
   */
  take(answer) {
    if (answer.nodes) {
      this.#now = answer;
      this.#places = new Map(answer.nodes.map(([name], place) => [name, place]));
      return { state: answer, isNew: true, moved: true, changed: [] };
    }
    const { nodes_changed: rows, nodes_used: used, queues_changed: members, ...whole } = answer;
    const { nodes, queues, labels } = this.#now;
    const changed = [];
    for (const [place, ...row] of rows) {
      nodes[place].splice(2, row.length, ...row);
      changed.push(place);
    }
    for (let at = 0; at < used.length; at += 3) {
      const node = nodes[used[at]];
      [node[3], node[4]] = [used[at + 1], used[at + 2]];
      changed.push(used[at]);
    }
    for (const [place, more] of members) Object.assign(queues[place], more);
    this.#now = { ...whole, nodes, queues, labels };
    return { state: this.#now, isNew: false, moved: rows.length > 0, changed };
  }

  /** The row of a node, by its name. */
  node(name) {
    return this.#now?.nodes[this.#places.get(name)];
  }
}
