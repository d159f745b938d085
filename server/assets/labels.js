// Node labels: how REST and YARN's pages name them.

import { memory, whole } from "./words.js";

/** How Hadoop calls the nodes without a label. */
export const DEFAULT_PARTITION = "<DEFAULT_PARTITION>";

/** The partitions that `/get-rm-node-labels` tells of, the default one first. That answer has one thing for a list of one, and texts for numbers. */
export function partitions({ nodeLabelInfo = [] }) {
  return [nodeLabelInfo].flat().map(({ name, exclusivity, activeNMs, partitionInfo }) => {
    const total = partitionInfo?.resourceAvailable;
    const mib = Number(total?.memory ?? 0);
    const others = [total?.resourceInformations?.resourceInformation ?? []].flat().filter((one) => !["memory-mb", "vcores"].includes(one.name));
    const parts = [memory(mib), `${whole(Number(total?.vCores ?? 0))} vcores`, ...others.map((one) => `${one.name}: ${whole(Number(one.value))}${one.units}`)];
    return {
      name,
      label: name === DEFAULT_PARTITION ? "" : name,
      exclusive: exclusivity === "true",
      nodes: Number(activeNMs),
      memory: mib,
      resource: parts.join(", "),
    };
  });
}

/** As the pages of YARN show the label of an application or an ask; `undefined` is one that nobody has named. */
export const labelShown = (label) => (label === undefined ? "<Not set>" : label || DEFAULT_PARTITION);

/** Which nodes `?node.label=` asks for: all of them, those without a label, or those with one. */
export function nodesWanted(search) {
  const label = new URLSearchParams(search).get("node.label")?.trim() ?? "*";
  if (label === "*") return { caption: "Nodes", fits: () => true };
  if (label === "") return { caption: "Nodes without a label", fits: (labels) => labels.length === 0 };
  return { caption: `Nodes with the label ${label}`, fits: (labels) => labels.includes(label) };
}
