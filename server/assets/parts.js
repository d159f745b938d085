// Small things that pages are made of. Text comes in as text only (textContent): a queue may be named anything.

export function make(kind, name, within, words) {
  const made = document.createElement(kind);
  if (name) made.className = name;
  if (words !== undefined) made.textContent = words;
  within?.append(made);
  return made;
}

export function put(within, children) {
  within.replaceChildren(...children.filter((child) => child !== null));
}

export function trouble(sentence) {
  const place = document.getElementById("trouble");
  place.hidden = sentence === null;
  place.textContent = sentence ?? "";
}

/** A table of names and values. */
export function record(within, caption, rows) {
  const table = make("table");
  make("caption", "", table, caption);
  for (const [name, value] of rows) {
    const row = make("tr", "", table);
    make("th", "", row, name).scope = "row";
    make("td", "", row, value ?? "");
  }
  put(within, [table]);
}

/** Why an application waits, as the server says it: one line a reason. */
export function reasons(within, list) {
  const lines = list.map(({ priority, allocationRequestId, nodes, firstNode, reason }) => {
    const key = priority === undefined ? "" : `priority ${priority}${allocationRequestId ? `, request ${allocationRequestId}` : ""}: `;
    const where = nodes === undefined ? "" : ` (${nodes === 1 ? firstNode : `${nodes} nodes, ${firstNode} first`})`;
    return make("li", "", null, `${key}${reason}${where}`);
  });
  put(within, lines);
}
