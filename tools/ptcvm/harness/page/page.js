// The page of `ptcvm harness serve`. What it shows comes as server-sent events; what people do are POST requests
// (docs/harness.md). Every text of a conversation is put into the page as text: nothing here makes elements of it.
"use strict";

const at = (id) => document.getElementById(id);
const kNextStates = ["working", "input-required", "completed", "failed", "canceled", "rejected", "auth-required"];

let conversation = "";      // the id
let facts = [];             // those that count, oldest first
let state = null;           // the last event "state"
let events = null;          // the stream
let refused = "";           // the link in the address that the person did not want
let edited = null;          // the id of the draft whose text the person changes

function element(tag, text, properties) {
  const made = document.createElement(tag);
  if (text !== undefined) made.textContent = text;
  return Object.assign(made, properties);
}

function show(id, isShown) {
  at(id).hidden = !isShown;
}

function complain(text) {
  at("complaint").textContent = text;
  show("complaint", text !== "");
}

async function request(path, body) {
  const options = body === undefined ? {} : {
    method: "POST", headers: {"Content-Type": "application/json"}, body: JSON.stringify(body)};
  const response = await fetch("/api/conversations" + path, options);
  const answer = await response.json();
  if (response.status === 401) show("login", true);
  if (!response.ok) throw new Error(answer.error);
  return answer;
}

async function act(action, body = {}) {
  try {
    complain("");
    return await request(`/${encodeURIComponent(conversation)}/${action}`, body);
  } catch (error) {
    complain(error.message);
    return false;
  }
}

// The conversation.

function fileLinks(attachments) {
  return (attachments || []).map((file) => element("a", "File: " + file.name + " ", {
    href: `/api/conversations/${encodeURIComponent(conversation)}/attachments/${encodeURIComponent(file.name)}`,
    download: file.name}));
}

function messageItem(fact) {
  const kinds = {message_received: "received", message_sent: "sent", message_refused: "whispered",
                 user_guidance: "whispered", user_answer: "whispered"};
  if (!(fact.type in kinds)) return null;
  const item = element("li", fact.text, {className: kinds[fact.type]});
  const names = {message_received: "The other side", message_sent: "This side", user_guidance: "Whisper",
                 message_refused: "Not taken: " + (fact.reason || "unreadable, or another message has its id"),
                 user_answer: "Answer"};
  const time = new Date(fact.time).toLocaleTimeString();
  item.append(element("small", `${names[fact.type]}${fact.by ? ", " + fact.by : ""}, ${time} `));
  item.append(...fileLinks(fact.attachments));
  return item;
}

function journalItem(fact) {
  const {seq, time, type, counts, ...rest} = fact;
  const item = element("li", undefined, {value: seq, className: counts === false ? "quiet" : ""});
  item.append(element("strong", type), element("pre", JSON.stringify(rest, null, 1)));
  return item;
}

// Shows every fact of the log instead of those that count.
async function showWholeJournal() {
  try {
    const {facts: all} = await request(`/${encodeURIComponent(conversation)}/journal`);
    if (at("whole").checked) at("journal").replaceChildren(...all.map(journalItem));
  } catch (error) {
    complain(error.message);
  }
}

function showJournal() {
  if (at("whole").checked) showWholeJournal();
  else at("journal").replaceChildren(...facts.map(journalItem));
}

function addFacts(added) {
  facts.push(...added);
  at("messages").append(...added.map(messageItem).filter((item) => item !== null));
  at("count").textContent = facts.length;
  if (at("whole").checked) showWholeJournal();
  else at("journal").append(...added.map(journalItem));
}

function takeFacts(event) {
  const {reset, facts: added} = JSON.parse(event.data);
  if (reset) {
    facts = [];
    at("messages").replaceChildren();
    if (!at("whole").checked) at("journal").replaceChildren();
  }
  const last = facts.length === 0 ? 0 : facts[facts.length - 1].seq;
  addFacts(added.filter((fact) => fact.seq > last));
}

// What waits for people.

// Returns whether the person changes the text of a draft that was dismissed or sent meanwhile. The text stays.
function holdsText() {
  const isThere = state.draft !== null && state.draft.composeId === edited;
  return edited !== null && edited === at("draft").dataset.id && !isThere;
}

function showDraft() {
  const draft = state.draft;
  const isHeld = holdsText();
  show("draft", draft !== null || isHeld);
  at("dismiss").textContent = isHeld ? "Drop my text" : "Dismiss";
  if (isHeld) {
    at("draft-error").textContent = "This draft was dismissed or sent while you changed it. Your text stays here until " +
                                    "you drop it.";
    show("draft-error", true);
    for (const id of ["approve", "save"]) at(id).disabled = true;
    at("dismiss").disabled = false;
    return;
  }
  if (draft === null) return;
  const isOther = at("draft").dataset.id !== draft.composeId;
  if (isOther || edited !== draft.composeId) at("draft-text").value = draft.text;
  if (isOther) at("next").value = draft.nextStateHint || "working";
  at("draft").dataset.id = draft.composeId;
  at("draft-files").replaceChildren(...fileLinks(draft.attachments));
  const isOver = state.status === "over";
  at("draft-error").textContent = isOver ? "The conversation is over: this draft is not sent." : draft.error || "";
  show("draft-error", at("draft-error").textContent !== "");
  at("delivery").textContent = state.delivery;
  const isSending = state.in_flight.includes(draft.composeId);
  for (const id of ["approve", "save", "dismiss"]) at(id).disabled = isSending || (isOver && id === "approve");
  at("approve").textContent = !isSending ? "Approve and send" : state.sending ? "Sending …" : "In flight";
}

// Shows messages that may or may not have arrived, with what a person can say about each.
function showFlights() {
  show("flight", state.in_flight.length > 0 && !state.sending);
  at("flights").replaceChildren(...state.in_flight.map((draft) => {
    const said = facts.find((fact) => fact.type === "compose_intent" && fact.composeId === draft);
    const item = element("li", undefined, {className: "row"});
    item.append(element("span", said === undefined ? draft : said.text));
    const disabled = state.being_sent.includes(draft);
    for (const [outcome, words] of [["arrived", "It arrived"], ["lost", "It was lost"]]) {
      item.append(element("button", words, {type: "button", disabled, onclick: () => act("settle", {draft, outcome})}));
    }
    if (disabled) item.append(element("small", "A process may be sending it now."));
    return item;
  }));
}

function showQuestion() {
  const question = state.question;
  show("question", question !== null);
  if (question === null) return;
  if (at("question").dataset.id !== question.qid) at("answer").value = "";
  at("question").dataset.id = question.qid;
  at("prompt").textContent = question.prompt;
  at("answer").placeholder = question.placeholder || "";
  at("answer").required = question.required === true;
  const choices = Array.isArray(question.choices) ? question.choices : [];
  at("choices").replaceChildren(...choices.map((text) => element("option", undefined, {value: String(text)})));
}

const kStatus = {in_flight: "A message is in flight", given_up: "The planner failed: whisper or regenerate",
                 draft: "A draft waits for you", question: "A question waits for you", waiting: "The planner waits",
                 frozen: "Too many facts: planning stopped", turn: "The other side has the turn",
                 over: "The conversation is over", idle: "Nothing waits"};

// What tasks did, and that the planner failed, begins no conversation.
const beginsNothing = (fact) => fact.class === "effect" || (fact.type === "planner_error" && fact.class === "decision");

function showState() {
  at("title").textContent = state.id;
  document.title = state.id;
  at("status").textContent = (kStatus[state.status] || state.status) + (state.state ? ` (${state.state})` : "");
  at("status").className = ["in_flight", "given_up", "draft", "question"].includes(state.status) ? "waits" : "";
  const hud = state.hud;
  show("hud", hud !== null);
  if (hud !== null) at("hud").textContent = [hud.phase, hud.title, hud.body].filter((text) => text).join(": ");
  complain(state.notice);
  show("begin", facts.every(beginsNothing) && state.setup.ready);
  showDraft();
  showFlights();
  showQuestion();
  showSetup();
}

// What is set up.

function fieldInput(field) {
  const send = (value) => act("field", {field: field.key, value});
  if (field.type === "select") {
    const select = element("select", undefined, {disabled: field.disabled});
    select.append(...field.options.map((option) => element("option", option.label, {value: option.value})));
    select.value = field.value;
    select.onchange = () => send(select.value);
    return select;
  }
  if (field.type === "checkbox") {
    const box = element("input", undefined, {type: "checkbox", checked: field.value === true, disabled: field.disabled});
    box.onchange = () => send(box.checked);
    return box;
  }
  if (field.type === "checkbox-group") {
    const group = element("fieldset");
    group.append(...field.options.map((option) => {
      const box = element("input", undefined, {type: "checkbox", value: option.value,
                                               checked: field.value.includes(option.value), disabled: field.disabled});
      const label = element("label");
      label.append(box, " " + option.label);
      return label;
    }));
    group.onchange = () => send([...group.querySelectorAll("input")].filter((box) => box.checked)
                                                                     .map((box) => box.value));
    return group;
  }
  const input = element("input", undefined, {type: "text", value: field.value, placeholder: field.placeholder,
                                             disabled: field.disabled, required: field.required});
  input.onchange = () => send(input.value);
  return input;
}

function fieldElement(field) {
  const label = element(field.type === "checkbox-group" ? "div" : "label", field.label + " ");
  const input = fieldInput(field);
  input.dataset.key = field.key;
  label.append(input);
  if (field.pending) label.append(element("small", "loading …"));
  if (field.help) label.append(element("small", field.help, {className: "quiet"}));
  if (field.error) label.append(element("small", field.error, {className: "error"}));
  return label;
}

function showSetup() {
  const setup = state.setup;
  at("planner").replaceChildren(...setup.planners.map((id) => element("option", id, {value: id})));
  at("planner").value = setup.planner;
  at("auto").checked = setup.mode === "auto";
  at("summary").textContent = setup.ready ? "In use: " + (setup.summary || setup.planner) : "Not in use yet";
  const form = setup.form;
  const shown = JSON.stringify(form);
  const isTyping = at("fields").contains(document.activeElement) && document.activeElement.type === "text";
  if (at("fields").dataset.shown !== shown && !isTyping) {
    at("fields").dataset.shown = shown;
    at("fields").replaceChildren(...(form === null ? [] : form.fields.filter((field) => field.visible))
                                     .map(fieldElement));
  }
  at("apply").disabled = setup.planner === "off" || setup.planner === "program" || (form !== null && !form.canSave);
  showLink(setup.link);
}

// The link in the address says what is set up. A link that somebody else made is used only when the person says so.
function showLink(link) {
  let given = location.hash;
  try {
    given = decodeURIComponent(given);
  } catch (error) {
    complain("The link in the address is malformed.");
  }
  const isOffer = given.length > 1 && given !== link && given !== refused && given !== at("offer").dataset.own;
  show("offer", isOffer);
  if (isOffer) {
    at("offered").textContent = given;
    return;
  }
  at("offer").dataset.own = link;
  history.replaceState(null, "", location.pathname + location.search + link);
}

// Actions of people.

function onSubmit(id, run) {
  at(id).addEventListener("submit", (event) => {
    event.preventDefault();
    run(event);
  });
}

async function keepText() {
  const text = at("draft-text").value, draft = at("draft").dataset.id;
  edited = null;   // the new draft may come before the answer
  const answer = await act("edit", {draft, text});
  if (answer) return answer;
  edited = at("draft").dataset.id = draft;
  at("draft-text").value = text;
  showDraft();
  return answer;
}

function addActions() {
  at("next").append(...kNextStates.map((name) => element("option", name, {value: name})));
  at("draft-text").oninput = () => { edited = at("draft").dataset.id; };
  onSubmit("draft", async () => {
    const next = at("next").value;
    if (state.draft !== null && at("draft-text").value !== state.draft.text) {
      const kept = await keepText();
      if (kept) await act("approve", {draft: kept.draft, next});
      return;
    }
    await act("approve", {draft: at("draft").dataset.id, next});
  });
  at("save").onclick = keepText;
  at("dismiss").onclick = () => {
    const isHeld = holdsText();
    edited = null;
    if (isHeld) showDraft();
    else act("dismiss", {draft: at("draft").dataset.id});
  };
  onSubmit("question", () => act("answer", {qid: at("question").dataset.id, text: at("answer").value}));
  onSubmit("whisper", async () => {
    if (await act("whisper", {text: at("whisper-text").value})) at("whisper-text").value = "";
  });
  at("whole").onchange = showJournal;
  at("regenerate").onclick = () => act("regenerate");
  at("begin").onclick = () => act("begin");
  onSubmit("hand", async (event) => {
    const action = event.submitter === null ? "draft" : event.submitter.value;
    if (await act(action, {text: at("hand-text").value})) at("hand-text").value = "";
  });
  at("planner").onchange = () => act("setup", {planner: at("planner").value});
  at("auto").onchange = () => act("setup", {mode: at("auto").checked ? "auto" : "approve"});
  onSubmit("setup", () => act("apply"));
  at("take-link").onclick = async () => {
    refused = at("offered").textContent;
    await act("link", {link: refused});
  };
  at("refuse-link").onclick = () => {
    refused = at("offered").textContent;
    showLink(state.setup.link);
  };
  onSubmit("login", async () => {
    const response = await fetch("/login", {method: "POST", body: at("token").value});
    if (response.ok) location.reload();
    else complain("Nobody has this token.");
  });
  at("conversations").onchange = () => open(at("conversations").value);
  window.addEventListener("hashchange", () => state && showLink(state.setup.link));
}

// The stream of events. The browser connects again by itself and says which event it had last.
function open(id) {
  if (events !== null) events.close();
  conversation = id;
  facts = [];
  at("offer").dataset.own = "";
  history.replaceState(null, "", location.pathname + "?c=" + encodeURIComponent(id) + location.hash);
  events = new EventSource(`/api/conversations/${encodeURIComponent(id)}/events`);
  events.addEventListener("facts", takeFacts);
  events.addEventListener("state", (event) => {
    state = JSON.parse(event.data);
    showState();
  });
  events.onopen = () => show("connection", false);
  events.onerror = () => {
    show("connection", true);
    if (events.readyState === EventSource.CLOSED) setTimeout(() => open(conversation), 1000);
  };
}

async function start() {
  addActions();
  try {
    const {conversations} = await request("");
    at("conversations").append(...conversations.map((id) => element("option", id, {value: id})));
    const wanted = new URLSearchParams(location.search).get("c") || conversations[0];
    show("conversations", conversations.length > 1);
    if (wanted === undefined) {
      complain("The store has no conversation yet.");
      return;
    }
    at("conversations").value = wanted;
    open(wanted);
  } catch (error) {
    complain(error.message);
  }
}

start();
