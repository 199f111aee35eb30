// Takes the pictures of docs/harness.md: two agents of examples/negotiation talk, and a person approves in the page.
//
// usage: take_harness_pages.js PTCVM      (writes harness-*.png beside this file; needs tools/install-browser-tests)
"use strict";

const { execFileSync } = require("node:child_process");
const fs = require("node:fs");
const path = require("node:path");

const { end, freePort, newFolder, openBrowser, openPage, start } = require("../../tests/browser/browser.js");

const ptcvm = path.resolve(process.argv[2]);
const negotiation = path.join(__dirname, "../../examples/negotiation");
const picture = (name) => path.join(__dirname, `harness-${name}.png`);
const file = (name) => path.join(negotiation, name);
const TOKEN = "a-secret";
const ASKING = `(let [day (ask "Which day suits the patient?" {:qid "day" :required true})]
  (propose {:type :compose_intent :text (str "The patient can come on " day ".")}))`;

async function serving(options, use) {
  const port = await freePort();
  const server = await start(ptcvm, ["harness", "serve", "--port", String(port), "--token", `ann=${TOKEN}`, ...options],
                             /http:/);
  const browser = await openBrowser();
  const page = await openPage(browser, {viewport: {width: 1100, height: 780}});
  await page.goto(`http://127.0.0.1:${port}/?token=${TOKEN}`);
  await use(page);
  await browser.close();
  await end(server, "SIGTERM");
}

async function negotiate(store) {
  const side = ["--planner", "scenario-v0.3", "--scenario", file("scenario.json"), "--replies", file("replies.jsonl")];
  const payerPlans = () => execFileSync(ptcvm, [
    "harness", "run", "--store", store, "--id", "payer", "--peer", "clinic", "--mode", "auto",
    "--config", file("payer.json"), ...side]);
  await serving(["--store", store, "--id", "clinic", "--peer", "payer", "--begin", "--config", file("clinic.json"),
                 ...side], async (page) => {
    const draftSays = (text) => page.waitForFunction((wanted) => {
      const draft = document.getElementById("draft");
      return !draft.hidden && document.getElementById("draft-text").value.includes(wanted);
    }, text);
    const approve = () => page.getByRole("button", {name: "Approve and send"}).click();
    await draftSays("Please authorise");
    await approve();
    await page.getByText("Please authorise an MRI").first().waitFor();
    payerPlans();
    await draftSays("The notes are attached");
    await page.screenshot({path: picture("page")});
    await approve();
    await page.getByText("The notes are attached").first().waitFor();
    payerPlans();
    await draftSays("completed");
    await page.locator("#journal-card summary").click();
    await page.locator("#whole").check();
    await page.locator("#journal").getByText("plan_cursor").last().waitFor();
    await page.locator("#journal").evaluate((list) => {
      list.style.maxHeight = "40rem";
      list.scrollTop = list.querySelector("li[value='12']").offsetTop - list.offsetTop;
    });
    await page.locator("#journal-card").screenshot({path: picture("journal")});
  });
}

async function ask(store, folder) {
  const program = path.join(folder, "ask.ptc");
  fs.writeFileSync(program, ASKING);
  execFileSync(ptcvm, ["harness", "say", "--store", store, "--id", "desk", "When can the patient come?"]);
  await serving(["--store", store, "--id", "desk", "--planner", program], async (page) => {
    await page.locator("#prompt").waitFor();
    await page.locator("section[aria-label=Conversation]").screenshot({path: picture("question")});
  });
}

async function take() {
  const folder = newFolder();
  await negotiate(path.join(folder, "talk.db"));
  await ask(path.join(folder, "desk.db"), folder);
}

take().then(() => process.exit(0), (error) => { console.error(error); process.exit(1); });
