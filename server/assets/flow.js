// Marks that travel from node to worker to queue to application, or back, one an event, sampled when there are too many.

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

/** Where a mark is, when it has gone this part of its way. */
function along(points, part) {
  const lengths = points.slice(1).map((point, index) => Math.hypot(point.x - points[index].x, point.y - points[index].y));
  let left = part * lengths.reduce((sum, length) => sum + length, 0);
  for (const [index, length] of lengths.entries()) {
    if (left <= length && length > 0) {
      const [from, to, at] = [points[index], points[index + 1], left / length];
      return { x: from.x + (to.x - from.x) * at, y: from.y + (to.y - from.y) * at };
    }
    left -= length;
  }
  return points.at(-1);
}

export class Flow {
  #canvas;
  #placesOf;
  #log;
  #waiting = [];
  #marks = [];
  #paused = false;
  #slow = false;
  #due = 0;
  #last = performance.now();
  #still = window.matchMedia("(prefers-reduced-motion: reduce)");

  /** `placesOf` gives the places of an event, from its node to its application, as far as they are on the page. */
  constructor(canvas, placesOf, log) {
    [this.#canvas, this.#placesOf, this.#log] = [canvas, placesOf, log];
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
    const places = this.#placesOf(event);
    if (this.#still.matches || this.#marks.length >= MOST_MARKS || places.length === 0) return;
    if (way === "to_app") this.#marks.push({ points: places, colour, age: 0 });
    else if (way === "to_node") this.#marks.push({ points: places.reverse(), colour, age: 0 });
    else this.#marks.push({ points: [way === "pulse" ? places[0] : places.at(-1)], colour, age: 0 });
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
    for (const { points, colour, age } of this.#marks) {
      const part = age / TRAVEL_MS;
      const eased = part * part * (3 - 2 * part);
      draw.globalAlpha = 1 - part * part;
      draw.fillStyle = colour;
      draw.beginPath();
      const { x, y } = along(points, eased);
      draw.arc(x, y, points.length === 1 ? 3 + 6 * part : 4, 0, 7);
      draw.fill();
    }
    draw.globalAlpha = 1;
    requestAnimationFrame((next) => this.#frame(next));
  }
}
