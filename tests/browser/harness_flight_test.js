// `ptcvm harness serve` in a browser: an agent of the test takes a message and hangs up, so nobody knows what became of
// the message. A person says that it was lost, sends the draft again, and says that this one arrived.
//
// usage: harness_flight_test.js PTCVM
"use strict";

const assert = require("node:assert");
const http = require("node:http");
const path = require("node:path");

const { end, freePort, newFolder, openBrowser, openPage, start } = require("./browser.js");

const [ptcvm] = process.argv.slice(2);
const TOKEN = "a-secret", TEXT = "Is <b>anybody</b> there?";

// Writes down each message that comes, and hangs up.
async function deafAgent(heard) {
  const server = http.createServer((request, response) => {
    let body = "";
    request.on("data", (bytes) => { body += bytes; });
    request.on("end", () => {
      if (request.method !== "POST") return response.end("{}");
      heard.push(JSON.parse(body).params.message.messageId);
      request.socket.destroy();
    });
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return server;
}

async function run() {
  const heard = [], agent = await deafAgent(heard), port = await freePort();
  const server = await start(ptcvm, [
    "harness", "serve", "--store", path.join(newFolder(), "talk.db"), "--id", "clinic", "--port", String(port),
    "--token", `ann=${TOKEN}`, "--remote", `http://127.0.0.1:${agent.address().port}`], /http:/);
  const browser = await openBrowser();
  const page = await openPage(browser);
  const button = (name) => page.getByRole("button", {name});
  const flight = page.locator("#flight");

  await page.goto(`http://127.0.0.1:${port}/?token=${TOKEN}`);
  await page.getByText("Write by hand").click();
  await page.fill("#hand-text", TEXT);
  await button("Make it a draft").click();
  await button("Approve and send").click();
  await flight.getByText("Nobody knows").waitFor();
  assert.equal(await flight.locator("span").textContent(), TEXT);
  assert.equal(await page.locator("#approve").isDisabled(), true);
  await button("It was lost").click();
  await flight.waitFor({state: "hidden"});
  await page.locator("#draft-error").getByText("did not arrive").waitFor();

  await button("Approve and send").click();
  await button("It arrived").click();
  await page.locator("#messages .sent").getByText(TEXT).waitFor();
  await flight.waitFor({state: "hidden"});
  assert.equal(new Set(heard).size, 2);   // under another id, because the first one was lost

  await browser.close();
  agent.close();
  assert.equal(await end(server, "SIGTERM"), 0);
}

run().then(() => { console.log("passed"); process.exit(0); },
           (error) => { console.error(error); process.exit(1); });
