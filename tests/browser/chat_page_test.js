// examples/embed-chat in a browser: text streams, calls of tools are shown, a person allows a transfer, and the server
// is killed with signal 9 while the approval waits and while text comes.
//
// usage: chat_page_test.js EXECUTABLE EXAMPLE_FOLDER [--picture FILE]
"use strict";

const assert = require("node:assert");
const fs = require("node:fs");
const http = require("node:http");
const path = require("node:path");

const { end, freePort, newFolder, openBrowser, openPage, start } = require("./browser.js");

const [executable, example, option, picture] = process.argv.slice(2);
const WISH = "Please send Ann 42.00.";
const BALANCE = 'balance {} → {"cents":1250000}';
const TRANSFER = 'transfer {"cents":4200,"to":"Ann"} → {"receipt":"receipt-4711"}';
const DONE = "Done: Ann gets 42.00, and the receipt is in the box above. <b>This text is text</b>, whatever it looks like.";

function status(port, method, place, headers, body = "") {
  return new Promise((resolve, reject) => {
    const request = http.request({host: "127.0.0.1", port, method, path: place, headers}, (answer) => {
      answer.resume();
      resolve(answer.statusCode);
    });
    request.on("error", reject);
    request.end(body);
  });
}

async function checkOtherSites(port) {
  const host = `127.0.0.1:${port}`, type = {"Content-Type": "application/json"}, text = '{"text": "Hello"}';
  const place = "/chats/other/messages";
  const post = (headers) => status(port, "POST", place, headers, text);
  assert.equal(await post({Host: host, Origin: "http://evil.example", ...type}), 403);
  assert.equal(await post({Host: "evil.example", Origin: "http://evil.example", ...type}), 403);
  assert.equal(await post({Host: host, ...type}), 403);
  assert.equal(await post({Host: host, Origin: `http://${host}`, "Content-Type": "text/plain"}), 403);
  assert.equal(await status(port, "GET", "/", {Host: "evil.example"}), 403);
  assert.equal(await status(port, "GET", "/../main.cpp", {Host: host}), 404);
  assert.equal(await status(port, "GET", "/chats/UPPER/events", {Host: host}), 404);
}

const shown = (page) => page.locator("#log > li").allTextContents();

// Notes in the page every text of a reply that is coming, so that no text is too quick to be seen.
function noteTexts() {
  window.texts = [];
  new MutationObserver(() => {
    const coming = document.querySelector(".model.coming");
    if (coming !== null) window.texts.push(coming.textContent);
  }).observe(document, {childList: true, subtree: true, characterData: true});
}

// Says how many different beginnings of a reply the page has shown.
const beginnings = (page, reply) => page.evaluate((text) => {
  return new Set(window.texts.filter((seen) => seen !== "" && seen.length < text.length && text.startsWith(seen))).size;
}, reply);

const seeGone = (page) => page.waitForFunction(() => document.getElementById("state").textContent.includes("gone"));

async function run() {
  const folder = newFolder(), port = await freePort(), book = path.join(folder, "bank.txt");
  const serve = (paceMs) => start(executable, [
    "--store", path.join(folder, "chat.db"), "--book", book, "--port", String(port), "--pace", String(paceMs),
    "--agent", path.join(example, "agent.json"), "--page", path.join(example, "page"),
    "--model", "scripted:" + path.join(example, "script.jsonl")], /http:/);
  let server = await serve(15);
  const browser = await openBrowser();
  const page = await openPage(browser, {viewport: {width: 720, height: 560}});
  await page.addInitScript(noteTexts);
  await page.goto(`http://127.0.0.1:${port}/`);

  await page.fill("#text", WISH);
  await page.getByRole("button", {name: "Send"}).click();
  const question = page.locator(".question");
  await question.waitFor();
  assert.match(await question.textContent(), /May transfer be called with {"cents":4200,"to":"Ann"}/);
  const before = await shown(page);
  assert.deepEqual(before.slice(0, 4), [WISH, "I look at the balance first.", BALANCE,
                                        "There is enough. I ask you to allow the transfer."]);
  if (option === "--picture") await page.screenshot({path: picture});
  assert.ok(await beginnings(page, before[3]) >= 2, "the text of the model was not shown as it came");
  assert.equal(fs.existsSync(book), false);

  assert.equal(await end(server, "SIGKILL"), "SIGKILL");
  await seeGone(page);
  server = await serve(15);
  await page.waitForFunction(() => document.getElementById("state").textContent.includes("waits for you"));
  assert.deepEqual(await shown(page), before);            // the page came back and shows nothing twice

  await page.getByRole("button", {name: "Allow"}).click();
  await page.locator("li:not(.coming)", {hasText: "Done: Ann"}).waitFor();
  assert.deepEqual((await shown(page)).slice(4), ["approve:transfer allowed", TRANSFER, DONE]);
  assert.equal(await page.locator("#log b").count(), 0);
  assert.equal(fs.readFileSync(book, "utf8").trim().split("\n").length, 1);

  await end(server, "SIGTERM");
  await seeGone(page);
  server = await serve(500);                              // slow enough to be killed in the middle
  await page.waitForFunction(() => document.getElementById("state").textContent === "");
  await page.fill("#text", "Thank you");
  await page.getByRole("button", {name: "Send"}).click();
  await page.waitForFunction(() => window.texts.some((seen) => seen.startsWith("You")));
  await end(server, "SIGKILL");
  server = await serve(15);
  // A reply that is still coming may vanish when the page comes back; the whole reply stays.
  await page.waitForFunction(() => {
    const last = document.querySelector("#log > li:last-child");
    return last.textContent === "You are welcome." && !last.classList.contains("coming");
  });
  const whole = await shown(page);
  assert.deepEqual(whole.slice(7), ["Thank you", "You are welcome."]);
  await page.reload();                                    // a page that knows nothing gets all of it
  await page.waitForFunction((count) => document.querySelectorAll("#log > li").length === count, whole.length);
  assert.deepEqual(await shown(page), whole);

  await checkOtherSites(port);
  await browser.close();
  assert.equal(await end(server, "SIGTERM"), 0);
}

run().then(() => { console.log("passed"); process.exit(0); },
           (error) => { console.error(error); process.exit(1); });
