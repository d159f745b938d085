// The controls of a simulated cluster. A real one has none, and then this part of the page is not shown.

import { ask as askServer } from "./door.js";
import { make, put } from "./parts.js";

const OURS = "/ws/v1/evenweave";
const CLUSTER = "/ws/v1/cluster";
const CHECK_AFTER_MS = 400;
const AGAIN_MS = 1000;
const by = (id) => document.getElementById(id);

/** What the server says; its sentence where it refuses. */
async function ask(method, path, body, kind = "application/json") {
  const answer = await askServer(path, {
    method, body, headers: { Accept: "application/json", ...(body === undefined ? {} : { "Content-Type": kind }) },
    signal: AbortSignal.timeout(30_000),
  });
  const text = await answer.text();
  let said = null;
  try {
    said = JSON.parse(text);
  } catch {
    // Some refusals are sentences.
  }
  if (answer.ok) return said;
  const why = said?.RemoteException?.message ?? (text.trim() || `the server answers ${answer.status}`);
  throw Object.assign(new Error(why), { diagnostics: said?.RemoteException?.diagnostics });
}

export class Controls {
  #said = by("said");
  #leaves = "";
  #timer = null;
  #checked = 0;

  constructor() {
    this.#begin();
  }

  /** Until the server has said whether there is something to control. */
  async #begin() {
    let standing;
    try {
      standing = (await ask("GET", `${OURS}/controls`)).controls;
    } catch {
      // Whoever asks how things stand says on the page what is wrong.
      setTimeout(() => this.#begin(), AGAIN_MS);
      return;
    }
    if (!standing.simulated) return;
    by("load").value = standing.loadPercent;
    this.#inForce(standing);
    this.#wire();
    by("desk").hidden = false;
  }

  /** The leaf queues, for those who write one; and the labels, where they are on. */
  show(queues, labels) {
    by("app-label-part").hidden = labels === undefined;
    put(by("labels"), (labels?.partitions ?? []).slice(1).map(([value]) => Object.assign(make("option"), { value })));
    const leaves = queues.filter((queue) => queue.leaf).map((queue) => queue.path);
    if (leaves.join("\n") === this.#leaves) return;
    this.#leaves = leaves.join("\n");
    put(by("leaves"), leaves.map((path) => Object.assign(make("option"), { value: path })));
  }

  #inForce({ file, text }) {
    by("file-name").textContent = file;
    by("file").value = text ?? "";
    by("file").placeholder = text === undefined ? "The file is shown to administrators alone." : "";
    put(by("findings"), []);
  }

  /** Does something, and says what came of it. */
  async #do(what) {
    this.#said.textContent = "…";
    try {
      this.#said.textContent = `Done: ${await what()}.`;
    } catch (error) {
      this.#said.textContent = `Not done: ${error.message.replace(/\.$/, "")}.`;
    }
  }

  #act(action) {
    return this.#do(async () => (await ask("POST", `${OURS}/controls`, JSON.stringify(action))).controls.said);
  }

  /** Of the node that is named. Where none is, the browser leads to the field. */
  #node(command) {
    if (!by("node-form").reportValidity()) return;
    const name = by("node-name").value.trim();
    if (command === "lose") return this.#act({ do: "lose_node", node: name });
    return this.#do(async () => {
      const nodes = (await ask("GET", `${CLUSTER}/nodes`)).nodes.node;
      const node = nodes.find((one) => one.nodeHostName === name || one.id === name);
      if (!node) throw new Error(`there is no node ${name}`);
      if (command === "recommission" && node.state !== "DECOMMISSIONING") {
        throw new Error(`${name} is ${node.state}, and only a node that is DECOMMISSIONING can stay`);
      }
      await ask("POST", `${OURS}/nodes/${encodeURIComponent(node.id)}/${command}`);
      return `${command} ${name}`;
    });
  }

  /** As `#node`, of an application. */
  #app(what, body) {
    if (!by("one-app-form").reportValidity()) return;
    const id = by("app-id").value.trim();
    return this.#do(async () => {
      await ask("PUT", `${CLUSTER}/apps/${encodeURIComponent(id)}/${what}`, JSON.stringify(body));
      return what === "state" ? `${id} is killed` : `${id} is moved`;
    });
  }

  #wire() {
    const number = (id) => Number.parseInt(by(id).value, 10) || 0;
    const form = (id, act) => {
      by(id).onsubmit = (event) => {
        event.preventDefault();
        act();
      };
    };
    form("load-form", () => this.#act({ do: "load", percent: number("load") }));
    form("nodes-form", () => this.#act({ do: "add_nodes", count: number("count") }));
    form("app-form", () => this.#act({
      do: "submit", user: by("app-user").value, queue: by("app-queue").value, tasks: number("app-tasks"), seconds: number("app-seconds"),
      ...(by("app-reservation").value.trim() === "" ? {} : { reservation: by("app-reservation").value.trim() }),
      ...(by("app-label-part").hidden || by("app-label").value.trim() === "" ? {} : { label: by("app-label").value.trim() }),
    }));
    form("file-form", () => this.#apply());
    // A name alone, with Enter, does not tell which of the buttons behind it is meant.
    const choose = (id, field, buttons) => form(id, () => this.#do(() => {
      throw new Error(`choose what is to be done with ${by(field).value.trim()}: ${buttons}`);
    }));
    choose("node-form", "node-name", "lose it, decommission it or recommission it");
    choose("one-app-form", "app-id", "kill it or move it to the queue");
    for (const command of ["lose", "decommission", "recommission"]) by(command).onclick = () => this.#node(command);
    by("kill").onclick = () => this.#app("state", { state: "KILLED" });
    by("move").onclick = () => by("app-queue").reportValidity() && this.#app("queue", { queue: by("app-queue").value });
    by("fetch").onclick = () => this.#do(async () => {
      this.#inForce((await ask("GET", `${OURS}/controls`)).controls);
      return "these are the queues that are in force";
    });
    by("download").onclick = () => this.#do(async () => `the text is downloaded as ${this.#download()}`);
    by("file").oninput = () => {
      clearTimeout(this.#timer);
      this.#timer = setTimeout(() => this.#check(), CHECK_AFTER_MS);
    };
  }

  #findings(list) {
    const lines = list.map((one) => {
      const place = one.line === undefined ? "" : `line ${one.line}, column ${one.column}: `;
      const rest = [one.effect, one.help].filter((part) => part !== undefined).map((part) => ` (${part})`).join("");
      return make("li", one.severity, null, `${place}${one.message}${rest}`);
    });
    put(by("findings"), lines.length > 0 ? lines : [make("li", "", null, "Nothing to say: it can be applied.")]);
  }

  async #check() {
    const turn = ++this.#checked;
    try {
      const { check } = await ask("POST", `${OURS}/queues/check`, by("file").value, "text/plain");
      if (turn === this.#checked) this.#findings(check.diagnostics ?? []);
    } catch (error) {
      if (turn === this.#checked) put(by("findings"), [make("li", "error", null, error.message)]);
    }
  }

  #apply() {
    clearTimeout(this.#timer);
    this.#checked += 1;
    return this.#do(async () => {
      try {
        const { refresh } = await ask("POST", `${OURS}/queues`, by("file").value, "text/plain");
        this.#findings(refresh.diagnostics ?? []);
        return `${refresh.note}. To keep the text, download it and put it in the file's place`;
      } catch (error) {
        if (error.diagnostics) this.#findings(error.diagnostics);
        throw error;
      }
    });
  }

  /** The text of the field, as a file. */
  #download() {
    const link = make("a");
    link.href = URL.createObjectURL(new Blob([by("file").value], { type: "application/xml" }));
    link.download = by("file-name").textContent.split(/[\\/]/).pop() || "queues.xml";
    link.click();
    URL.revokeObjectURL(link.href);
    return link.download;
  }
}
