// The official client of A2A (@a2a-js/sdk) talks to `ptcvm harness serve --a2a`: card, message, stream, resubscription,
// task and cancellation.
//
// usage: a2a_client_test.js PTCVM
"use strict";

const assert = require("node:assert");
const path = require("node:path");

const { end, freePort, newFolder, skip, start } = require("./browser.js");

const [ptcvm] = process.argv.slice(2);
const TOKEN = "a-secret";
let client;
try {
  client = require("@a2a-js/sdk/client");
} catch {
  skip("@a2a-js/sdk is not in tests/browser/node_modules");
}

const message = (text, messageId, members = {}) => ({
  message: {kind: "message", role: "user", messageId, parts: [{kind: "text", text}], ...members}});
const textOf = (update) => update.status.message.parts[0].text;

async function rest(stream) {
  const updates = [];
  for await (const update of stream) updates.push(update);
  return updates;
}

async function run() {
  const port = await freePort(), place = `http://127.0.0.1:${port}`;
  const server = await start(ptcvm, [
    "harness", "serve", "--store", path.join(newFolder(), "talk.db"), "--id", "payer", "--a2a", "--port", String(port),
    "--token", `ann=${TOKEN}`], /http:/);
  const headers = {"Content-Type": "application/json", Authorization: `Bearer ${TOKEN}`};
  const act = async (action, body) => {
    const answer = await fetch(`${place}/api/conversations/payer/${action}`,
                               {method: "POST", headers, body: JSON.stringify(body)});
    assert.equal(answer.status, 200);
  };
  const reply = async (text, next) => {
    await act("draft", {text});
    await act("approve", {next});
  };
  const fetchImpl = (url, options = {}) =>
    fetch(url, {...options, headers: {...options.headers, Authorization: `Bearer ${TOKEN}`}});
  const agent = await client.A2AClient.fromCardUrl(`${place}/a2a/payer/.well-known/agent-card.json`, {fetchImpl});

  const begun = (await agent.sendMessage(message("hello", "m1"))).result;
  assert.equal(begun.status.state, "working");
  await reply("good day", "working");
  const task = (await agent.getTask({id: begun.id})).result;
  assert.equal(task.status.state, "input-required");
  assert.equal(textOf(task), "good day");

  const stream = agent.sendMessageStream(message("and now?", "m2", {taskId: begun.id}));
  assert.equal((await stream.next()).value.kind, "task");
  await reply("one moment", "input-required");
  assert.equal(textOf((await stream.next()).value), "one moment");
  const again = agent.resubscribeTask({id: begun.id});
  assert.equal((await again.next()).value.id, begun.id);
  await reply("here it is", "working");
  for (const updates of [await rest(stream), await rest(again)]) {
    const last = updates.at(-1);
    assert.deepEqual([last.final, last.status.state, textOf(last)], [true, "input-required", "here it is"]);
  }

  const canceled = (await agent.cancelTask({id: begun.id})).result;
  assert.equal(canceled.status.state, "canceled");
  assert.equal((await agent.getTask({id: "another"})).error.code, -32001);
  assert.equal(await end(server, "SIGTERM"), 0);
}

run().then(() => { console.log("passed"); process.exit(0); },
           (error) => { console.error(error); process.exit(1); });
