// A list of many things is one stop of the tabulator, or it would take hundreds of steps to pass it; in a list that grows there would be no end to them.
// Arrow keys, Home and End go on from there.

export class Stops {
  #list;
  #stopped = null;

  /** Each child of `list` begins with what can be chosen. */
  constructor(list) {
    this.#list = list;
    list.addEventListener("focusin", ({ target }) => this.#stop(target));
    list.addEventListener("keydown", (event) => this.#walk(event));
  }

  /** After something has come or gone there is a stop again. */
  keep() {
    if (!this.#stopped?.isConnected) this.#stop(this.#list.firstElementChild?.firstElementChild ?? null);
  }

  #stop(one) {
    if (this.#stopped) this.#stopped.tabIndex = -1;
    this.#stopped = one;
    if (one) one.tabIndex = 0;
  }

  #walk(event) {
    const item = event.target.parentElement;
    const [next, previous] = [item?.nextElementSibling, item?.previousElementSibling];
    const to = {
      ArrowDown: next, ArrowRight: next, ArrowUp: previous, ArrowLeft: previous,
      Home: this.#list.firstElementChild, End: this.#list.lastElementChild,
    }[event.key];
    if (!to) return;
    event.preventDefault();
    to.firstElementChild.focus();
  }
}
