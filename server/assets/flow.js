// Marks that travel from node to worker to queue to application, or back, one an event, sampled when there are too many.
//
// The browser moves them by itself, beside the page's own work: a mark is an element with an animation, and is used again. What is read of the page
// (where things are) is read before what is written into it, or the page would be laid out anew for each mark.

import { make } from "./parts.js";
import { isFrequent, kindOf } from "./words.js";

const TRAVEL_MS = 900;
const SLOWER = 6;
const MOST_MARKS = 400;
const SHOWN_A_SECOND = 60;
const TICK_MS = 100;
/** What waits to be shown: of what happens now a second's, of what is stepped through more. */
const MOST_WAITING = { running: SHOWN_A_SECOND, paused: 300 };
const FADES = [{ opacity: 1, offset: 0 }, { opacity: 0.75, offset: 0.5 }, { opacity: 0, offset: 1 }];
const byOffset = (one, other) => one.offset - other.offset;

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

/** Along these points, as fast on each part of the way. */
function steps(points) {
  const lengths = points.slice(1).map((point, index) => Math.hypot(point.x - points[index].x, point.y - points[index].y));
  const all = lengths.reduce((sum, length) => sum + length, 0) || 1;
  let gone = 0;
  return points.map(({ x, y }, index) => {
    gone += index === 0 ? 0 : lengths[index - 1];
    return { transform: `translate(${x}px, ${y}px)`, offset: index === points.length - 1 ? 1 : Math.min(1, gone / all) };
  });
}

/** Where it is, larger. */
const pulse = ({ x, y }) => [0, 1].map((offset) => ({ transform: `translate(${x}px, ${y}px) scale(${0.75 + 1.5 * offset})`, offset }));

export class Flow {
  #within;
  #placesOf;
  #log;
  #waiting = [];
  /** Shown in the log, and not yet as a mark: the page is laid out with it first. */
  #fresh = [];
  #running = new Set();
  #idle = [];
  #paused = false;
  #slow = false;
  #due = 0;
  #last = performance.now();
  #still = window.matchMedia("(prefers-reduced-motion: reduce)");
  #saw;

  /** `saw` is told of an event; `placesOf` gives its places later, from its node to its application, as far as they are on the page. */
  constructor(within, saw, placesOf, log) {
    [this.#within, this.#saw, this.#placesOf, this.#log] = [within, saw, placesOf, log];
    setInterval(() => this.#tick(performance.now()), TICK_MS);
  }

  take(events, lost) {
    this.#waiting.push(...events);
    let dropped = lost;
    const many = this.#waiting.length - (this.#paused ? MOST_WAITING.paused : MOST_WAITING.running);
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
    for (const animation of this.#running) animation.updatePlaybackRate(this.#rate);
    return this.#slow;
  }

  get #rate() {
    return this.#slow ? 1 / SLOWER : 1;
  }

  /** Shows the next event, while paused. */
  step() {
    this.#show(this.#waiting.splice(0, 1));
  }

  #tick(now) {
    const passed = Math.min(5 * TICK_MS, now - this.#last) * this.#rate;
    this.#last = now;
    if (!document.hidden) this.#start();
    this.#fresh = [];
    if (this.#paused) return;
    this.#due = Math.min(this.#due + (passed * SHOWN_A_SECOND) / 1000, SHOWN_A_SECOND);
    const many = Math.min(Math.floor(this.#due), this.#waiting.length);
    this.#due -= many;
    this.#show(this.#waiting.splice(0, many));
  }

  #show(events) {
    if (events.length === 0) return;
    this.#log.add(events);
    events.forEach((event) => this.#saw(event));
    this.#fresh.push(...events);
  }

  /** Marks for what was shown, one after the other. */
  #start() {
    const ways = this.#still.matches ? [] : this.#fresh.map((event) => [kindOf(event.what), this.#placesOf(event)]);
    ways.forEach(([{ way, colour }, places], index) => {
      if (places.length === 0 || this.#running.size >= MOST_MARKS) return;
      const delay = (index * TICK_MS) / ways.length;
      if (way === "to_app") this.#mark(steps(places), colour, delay);
      else if (way === "to_node") this.#mark(steps(places.reverse()), colour, delay);
      else this.#mark(pulse(way === "pulse" ? places[0] : places.at(-1)), colour, delay);
    });
  }

  #mark(frames, colour, delay) {
    const mark = this.#idle.pop() ?? make("i", "", this.#within);
    mark.style.backgroundColor = colour;
    const animation = mark.animate([...frames, ...FADES].sort(byOffset), { duration: TRAVEL_MS, delay, easing: "ease-in-out" });
    animation.updatePlaybackRate(this.#rate);
    this.#running.add(animation);
    animation.onfinish = () => {
      this.#running.delete(animation);
      this.#idle.push(mark);
    };
  }
}
