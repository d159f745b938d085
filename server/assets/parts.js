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
