// How figures and events are said.

const WHOLE = new Intl.NumberFormat("en", { maximumFractionDigits: 0 });

export const whole = (number) => WHOLE.format(number);

/** An amount of memory in MiB, in the unit that suits it. */
export function memory(mib) {
  const units = ["MiB", "GiB", "TiB", "PiB"];
  let at = 0;
  while (mib >= 1024 && at < units.length - 1) {
    mib /= 1024;
    at += 1;
  }
  return `${at > 0 && mib < 100 ? mib.toFixed(1) : whole(mib)} ${units[at]}`;
}

/** The colour of an event's mark, and which way it travels; those without a way stay where they are. */
export const KINDS = {
  node_registered: { colour: "#1864ab", words: "node registers" },
  node_lost: { colour: "#c92a2a", words: "node lost" },
  heartbeat: { colour: "#868e96", words: "heartbeat", way: "pulse" },
  application_added: { colour: "#1864ab", words: "application added" },
  application_accepted: { colour: "#1971c2", words: "application accepted" },
  application_refused: { colour: "#c92a2a", words: "application refused" },
  attempt_added: { colour: "#1971c2", words: "attempt added" },
  application_ended: { colour: "#495057", words: "application ended" },
  container_allocated: { colour: "#2f9e44", words: "container allocated", way: "to_app" },
  container_acquired: { colour: "#5c940d", words: "container acquired" },
  container_launched: { colour: "#0b7285", words: "container launched", way: "to_node" },
  container_completed: { colour: "#5f3dc4", words: "container completed", way: "to_app" },
  container_reserved: { colour: "#e67700", words: "container reserved", way: "pulse" },
  container_preempted: { colour: "#c92a2a", words: "container preempted" },
  container_expired: { colour: "#a61e4d", words: "container expired" },
  told: { colour: "#868e96", words: "the scheduler says" },
};

export const kindOf = (what) => KINDS[what] ?? { colour: "#868e96", words: what };

const FEW = new Set(["node_registered", "node_lost", "application_refused", "told"]);

/** What heartbeats, applications and containers do all the time; the others are few, and worth more. */
export const isFrequent = ({ what }) => !FEW.has(what);

/** A duration in µs, in the unit that suits it. */
export function duration(us) {
  if (us < 1000) return `${whole(us)} µs`;
  return us < 1e6 ? `${(us / 1000).toFixed(us < 1e4 ? 1 : 0)} ms` : `${(us / 1e6).toFixed(1)} s`;
}

/** One event in a line. */
export function sentence(event) {
  const { what, container, app, queue, node, text } = event;
  const whose = container === undefined ? app : `${container} of application ${app}`;
  const parts = [whose, queue, node, text].filter((part) => part !== undefined);
  return `${kindOf(what).words}: ${parts.join(", ")}`;
}
