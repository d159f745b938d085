// Marks that travel between nodes and queues, one an event, sampled when there are too many.

import { isFrequent, kindOf } from "./words.js";

const TRAVEL_MS = 900;
const SLOWER = 6;
const MOST_MARKS = 400;
const SHOWN_A_SECOND = 60;
const MOST_WAITING = 300;

/** Without so many: the oldest, or while it is paused the newest, so that the others can be stepped through. Frequent ones go first. */
function thinned(events, many, paused) {
  const order = paused ? [...events].reverse() : events;
  let left = many;
  const drop = (which) => (event) => {
    if (left === 0 || !which(event)) return true;
    left -= 1;
    return false;
  };
  const kept = order.filter(drop(isFrequent)).filter(drop(() => true));
  return paused ? kept.reverse() : kept;
}

export class Flow {
  #canvas;
  #nodeOf;
  #queueOf;
  #log;
  #waiting = [];
  #marks = [];
  #paused = false;
  #slow = false;
  #due = 0;
  #last = performance.now();
  #still = window.matchMedia("(prefers-reduced-motion: reduce)");

  constructor(canvas, nodeOf, queueOf, log) {
    [this.#canvas, this.#nodeOf, this.#queueOf, this.#log] = [canvas, nodeOf, queueOf, log];
    requestAnimationFrame((now) => this.#frame(now));
  }

  take(events, lost) {
    this.#waiting.push(...events);
    let dropped = lost;
    const many = this.#waiting.length - MOST_WAITING;
    if (many > 0) {
      dropped += many;
      this.#waiting = thinned(this.#waiting, many, this.#paused);
    }
    this.#log.lose(dropped);
  }

  pause() {
    this.#paused = !this.#paused;
    return this.#paused;
  }

  slow() {
    this.#slow = !this.#slow;
    return this.#slow;
  }

  /** Shows the next event, while paused. */
  step() {
    const event = this.#waiting.shift();
    if (event) this.#show(event);
  }

  #show(event) {
    this.#log.add(event);
    const { way, colour } = kindOf(event.what);
    const node = event.node === undefined ? null : this.#nodeOf(event);
    const queue = event.queue === undefined ? null : this.#queueOf(event);
    if (this.#still.matches || this.#marks.length >= MOST_MARKS) return;
    if (way === "pulse" && node) this.#marks.push({ from: node, to: node, colour, age: 0 });
    else if (way === "to_queue" && node && queue) this.#marks.push({ from: node, to: queue, colour, age: 0 });
    else if (way === "to_node" && node && queue) this.#marks.push({ from: queue, to: node, colour, age: 0 });
    else if (node ?? queue) this.#marks.push({ from: node ?? queue, to: node ?? queue, colour, age: 0 });
  }

  #frame(now) {
    const passed = Math.min(100, now - this.#last) / (this.#slow ? SLOWER : 1);
    this.#last = now;
    if (!this.#paused) {
      this.#due = Math.min(this.#due + (passed * SHOWN_A_SECOND) / 1000, 10);
      while (this.#due >= 1 && this.#waiting.length > 0) {
        this.#due -= 1;
        this.#show(this.#waiting.shift());
      }
    }
    const scale = window.devicePixelRatio || 1;
    const { innerWidth: width, innerHeight: height } = window;
    if (this.#canvas.width !== Math.round(width * scale) || this.#canvas.height !== Math.round(height * scale)) {
      this.#canvas.width = Math.round(width * scale);
      this.#canvas.height = Math.round(height * scale);
    }
    const draw = this.#canvas.getContext("2d");
    draw.setTransform(scale, 0, 0, scale, 0, 0);
    draw.clearRect(0, 0, width, height);
    this.#marks = this.#marks.filter((mark) => (mark.age += passed) < TRAVEL_MS);
    for (const { from, to, colour, age } of this.#marks) {
      const part = age / TRAVEL_MS;
      const eased = part * part * (3 - 2 * part);
      draw.globalAlpha = 1 - part * part;
      draw.fillStyle = colour;
      draw.beginPath();
      draw.arc(from.x + (to.x - from.x) * eased, from.y + (to.y - from.y) * eased, from === to ? 3 + 6 * part : 4, 0, 7);
      draw.fill();
    }
    draw.globalAlpha = 1;
    requestAnimationFrame((next) => this.#frame(next));
  }
}
