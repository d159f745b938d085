// The door: asks the server, with a token where somebody has typed one. It is kept as long as the tab, and sent to this server alone.

import { make } from "./parts.js";

const KEPT = "evenweave-token";
const AGAIN_MS = 1000;

let token = sessionStorage.getItem(KEPT);
let form = null;

function askForToken() {
  if (form === null) {
    form = make("form", "door");
    const label = make("label", "", form, "This server answers those who have a token. ");
    const field = Object.assign(make("input", "", label), { id: "token", type: "password", autocomplete: "off", required: true });
    make("button", "", form, "Use it");
    form.onsubmit = (event) => {
      event.preventDefault();
      token = field.value.trim();
      sessionStorage.setItem(KEPT, token);
      field.value = "";
      form.hidden = true;
    };
    document.querySelector("header").after(form);
  }
  form.hidden = false;
}

/** As `fetch`. Where the server does not know who asks, the page asks for a token, and what is asked next has it. */
export async function ask(path, options = {}) {
  const [headers, sent] = [new Headers(options.headers), token];
  if (sent) headers.set("Authorization", `Bearer ${sent}`);
  const answer = await fetch(path, { ...options, headers });
  if (answer.status === 401) {
    if (sent === token) askForToken();
    throw new Error(sent ? "the server does not know this token" : "the server wants to know who asks");
  }
  return answer;
}

/** Asks why; `what` is `app=…` or `queue=…`. */
export async function askWhy(what, of) {
  const answer = await ask(`/ws/v1/evenweave/why?${what}=${encodeURIComponent(of)}`, {
    headers: { Accept: "application/json" }, signal: AbortSignal.timeout(20_000),
  });
  if (!answer.ok) throw new Error(`the server answers ${answer.status}`);
  return (await answer.json()).why;
}

/** Server-sent events, one text after the other; `last` is where it goes on. A browser's own reader of them sends no token. */
async function* messages(path, last) {
  const headers = { Accept: "text/event-stream", ...(last.id === null ? {} : { "Last-Event-ID": last.id }) };
  const answer = await ask(path, { headers });
  if (!answer.ok) throw new Error(`the server answers ${answer.status}`);
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    const whole = (rest + value).split("\n\n");
    rest = whole.pop();
    for (const message of whole) {
      const of = (name) => message.split("\n").find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2);
      last.id = of("id") ?? last.id;
      const data = of("data");
      if (data !== undefined) yield data;
    }
  }
}

/** Tells `hear` of each message, for as long as the page is there; after a break it goes on where it was. */
export async function listen(path, hear) {
  const last = { id: null };
  for (;;) {
    try {
      for await (const message of messages(path, last)) hear(message);
    } catch {
      // Whoever asks how things stand says on the page what is wrong.
    }
    await new Promise((go) => setTimeout(go, AGAIN_MS));
  }
}
