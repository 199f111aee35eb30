// Shows one conversation. Everything that comes from the server is text: nothing of it becomes markup.
"use strict";

const log = document.getElementById("log");
const state = document.getElementById("state");
const field = document.getElementById("text");

// The conversation is named in the address, so that a page that is loaded again shows the same one.
if (!/^#[a-z0-9-]{1,40}$/.test(location.hash)) {
  location.replace("#chat-" + crypto.randomUUID().slice(0, 13));
}
const chat = location.hash.slice(1);

const coming = new Map();      // elements of replies that are coming, by path
const calls = new Map();       // elements of tool calls that wait for their answer, by path
const questions = new Map();   // elements of approvals, by path

function add(kind, text) {
  const item = document.createElement("li");
  item.className = kind;
  item.textContent = text;
  log.append(item);
  item.scrollIntoView({block: "nearest"});
  return item;
}

function forget(elements, path) {
  const element = elements.get(path);
  elements.delete(path);
  return element;
}

async function post(place, body) {
  const answer = await fetch(`chats/${chat}/${place}`, {
    method: "POST", headers: {"Content-Type": "application/json"}, body: JSON.stringify(body)});
  if (!answer.ok) add("error", (await answer.json()).error);
  return answer.ok;
}

function ask(entry) {
  const item = add("question", `May ${entry.tool} be called with ${JSON.stringify(entry.args)}?\n`);
  const answer = async (allow) => {
    for (const button of item.querySelectorAll("button")) button.disabled = true;
    const sent = await post("answers", {path: entry.path, allow, why: "the customer has refused it"}).catch(() => false);
    if (!sent) for (const button of item.querySelectorAll("button")) button.disabled = false;
  };
  for (const [label, allow] of [["Allow", true], ["Refuse", false]]) {
    const button = document.createElement("button");
    button.textContent = label;
    button.addEventListener("click", () => answer(allow));
    item.append(button);
  }
  questions.set(entry.path, item);
}

const on = {
  started: (event) => add("user", event.data.message),
  said: (event) => add("user", event.text),
  model_start: () => { state.textContent = "The agent writes …"; },
  token: (event) => {
    if (!coming.has(event.path)) coming.set(event.path, add("model coming", ""));
    coming.get(event.path).append(event.text);
  },
  model_end: (event) => {
    forget(coming, event.path)?.remove();
    if (event.text) add("model", event.text);
  },
  tool_start: (event) => calls.set(event.path, add("tool", `${event.path} ${JSON.stringify(event.data ?? "…")}`)),
  tool_end: (event) => {
    const answer = event.ok === false ? "failed: " + event.text : JSON.stringify(event.data);
    forget(calls, event.path)?.append(" → " + answer);
  },
  answered: (event) => add("tool", `${event.path} ${event.ok === false ? "refused: " + event.text : "allowed"}`),
  turn_end: () => {},
  waiting: (event) => {
    for (const element of questions.values()) element.remove();
    questions.clear();
    for (const entry of event.data) if (entry.kind === "approval") ask(entry);
    if (questions.size > 0) state.textContent = "The agent waits for you.";
  },
  ended: (event) => {
    state.textContent = "";
    if (event.ok === false) add("error", `${event.data.reason}: ${event.text}`);
  },
};

const events = new EventSource(`chats/${chat}/events`);
for (const [name, show] of Object.entries(on)) {
  events.addEventListener(name, (message) => show(JSON.parse(message.data)));
}
events.onopen = () => {
  for (const element of coming.values()) element.remove();   // the text so far comes again
  coming.clear();
  state.textContent = "";
};
events.onerror = () => { state.textContent = "The server is gone. Connecting again …"; };

document.getElementById("say").addEventListener("submit", async (event) => {
  event.preventDefault();
  const text = field.value;
  field.value = "";
  if (!await post("messages", {text}).catch(() => false)) field.value = text;
});
