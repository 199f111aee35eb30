// `ptcvm harness serve` in a browser: two agents negotiate, a person whispers, asks for another draft and approves, the
// server is killed with signal 9 in the middle, the page is loaded again, and HTML in a text stays text.
//
// usage: harness_page_test.js PTCVM NEGOTIATION_FOLDER [--picture FILE]
"use strict";

const assert = require("node:assert");
const { execFileSync } = require("node:child_process");
const path = require("node:path");

const { end, freePort, newFolder, openBrowser, openPage, start } = require("./browser.js");

const [ptcvm, negotiation, option, picture] = process.argv.slice(2);
const HTML = "<img src=x onerror=\"document.title='taken'\"><script>document.title='taken'</script>";
const TOKEN = "a-secret";

async function run() {
  const folder = newFolder(), port = await freePort(), store = path.join(folder, "talk.db");
  const file = (name) => path.join(negotiation, name);
  const side = ["--planner", "scenario-v0.3", "--scenario", file("scenario.json"), "--replies", file("replies.jsonl")];
  const serve = () => start(ptcvm, [
    "harness", "serve", "--store", store, "--id", "clinic", "--peer", "payer", "--begin", "--port", String(port),
    "--token", `ann=${TOKEN}`, "--config", file("clinic.json"), ...side], /http:/);
  const payerPlans = () => execFileSync(ptcvm, [
    "harness", "run", "--store", store, "--id", "payer", "--peer", "clinic", "--mode", "auto",
    "--config", file("payer.json"), ...side]);
  let server = await serve();
  const browser = await openBrowser();
  const page = await openPage(browser, {viewport: {width: 1100, height: 760}});
  const draftSays = (text) => page.waitForFunction((wanted) => {
    const draft = document.getElementById("draft");
    return !draft.hidden && document.getElementById("draft-text").value.includes(wanted);
  }, text);
  const draftId = () => page.locator("#draft").getAttribute("data-id");
  const anotherDraft = (id) => page.waitForFunction((old) => {
    const draft = document.getElementById("draft");
    return !draft.hidden && draft.dataset.id !== old;
  }, id);
  const says = (text) => page.waitForFunction((wanted) =>
    document.getElementById("messages").textContent.includes(wanted), text);
  const approve = () => page.getByRole("button", {name: "Approve and send"}).click();

  await page.goto(`http://127.0.0.1:${port}/?token=${TOKEN}`);
  await draftSays("Please authorise");
  await approve();
  await says("Please authorise an MRI");

  payerPlans();
  await draftSays("The notes are attached");
  const regenerated = await draftId();
  await page.getByRole("button", {name: "Regenerate"}).click();
  await anotherDraft(regenerated);
  const before = await draftId();
  await page.fill("#whisper-text", HTML);
  await page.getByRole("button", {name: "Whisper", exact: true}).click();
  await says(HTML);
  await anotherDraft(before);
  const seen = await page.locator("#messages > li").allTextContents();
  if (option === "--picture") await page.screenshot({path: picture});
  assert.equal(await end(server, "SIGKILL"), "SIGKILL");
  await page.locator("#connection").waitFor();
  server = await serve();
  await page.locator("#connection").waitFor({state: "hidden"});
  assert.deepEqual(await page.locator("#messages > li").allTextContents(), seen);   // nothing is there twice
  await approve();
  await says("The notes are attached");

  payerPlans();
  await says("The MRI is authorised as PA-7.");
  await draftSays("completed");
  await page.fill("#draft-text", "I am still typing");
  await page.evaluate(() => act("whisper", {text: "somebody else spoke"}));
  await page.getByRole("button", {name: "Drop my text"}).waitFor();
  assert.equal(await page.inputValue("#draft-text"), "I am still typing");
  assert.equal(await page.getByRole("button", {name: "Approve and send"}).isDisabled(), true);
  await page.getByRole("button", {name: "Drop my text"}).click();
  await page.reload();
  await draftSays("completed");
  await page.fill("#draft-text", "Thank you. " + HTML);
  await approve();
  await page.waitForFunction(() => document.getElementById("status").textContent.includes("over"));
  await says("Thank you. " + HTML);
  assert.equal(await page.locator("main img, main script").count(), 0);
  assert.equal(await page.title(), "clinic");
  const types = await page.locator("#journal strong").allTextContents();
  assert.equal(types.filter((type) => type === "message_sent").length, 3);
  await page.locator("#journal-card summary").click();
  await page.locator("#whole").check();
  await page.locator("#journal strong").getByText("journal_rewound").first().waitFor();
  const whole = await page.locator("#journal li").evaluateAll((items) => items.map((item) => item.value));
  assert.deepEqual(whole, whole.map((_, i) => i + 1));                // every fact is there
  await page.locator("#whole").uncheck();
  assert.deepEqual(await page.locator("#journal strong").allTextContents(), types);
  assert.match(await page.evaluate(() => location.hash), /scenario-v0.3/);

  await browser.close();
  assert.equal(await end(server, "SIGTERM"), 0);
}

run().then(() => { console.log("passed"); process.exit(0); },
           (error) => { console.error(error); process.exit(1); });
