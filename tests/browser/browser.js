// What the tests of pages share: a browser, a server that is started and killed, and a way to say that a test is
// skipped. A test is a program: exit status 0 passed, 1 failed, 77 skipped.
"use strict";

const { spawn } = require("node:child_process");
const fs = require("node:fs");
const net = require("node:net");
const os = require("node:os");
const path = require("node:path");

const PATIENCE_MS = 20000;
const CHROMIUM = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];

function skip(why) {
  console.log(`skipped: ${why}; run tools/install-dependencies`);
  process.exit(77);
}

async function openBrowser() {
  let playwright;
  try {
    playwright = require("playwright-core");
  } catch {
    skip("playwright-core is not in tests/browser/node_modules");
  }
  const executablePath = CHROMIUM.find((file) => fs.existsSync(file)) ?? skip("there is no Chromium");
  return playwright.chromium.launch({executablePath, args: ["--no-sandbox", "--disable-dev-shm-usage"]});
}

// Opens a page that ends the test with an error when a script fails, or when the page does what its policy forbids.
async function openPage(browser, options = {}) {
  const page = await browser.newPage(options);
  page.setDefaultTimeout(PATIENCE_MS);
  page.on("pageerror", (error) => { throw error; });
  page.on("console", (message) => {
    if (message.type() === "error" && /Content Security Policy|Uncaught/.test(message.text())) {
      throw new Error(message.text());
    }
  });
  return page;
}

function freePort() {
  return new Promise((resolve) => {
    const server = net.createServer().listen(0, "127.0.0.1", () => {
      const port = server.address().port;
      server.close(() => resolve(port));
    });
  });
}

// Starts a program and waits until it prints a line that matches.
function start(program, args, ready) {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, {stdio: ["ignore", "pipe", "inherit"]});
    process.on("exit", () => child.kill("SIGKILL"));   // a test that fails leaves nothing behind
    const timer = setTimeout(() => reject(new Error(`${program} did not print ${ready}`)), PATIENCE_MS);
    let said = "";
    child.stdout.on("data", (bytes) => {
      said += bytes;
      if (ready.test(said)) {
        clearTimeout(timer);
        resolve(child);
      }
    });
    child.on("error", reject);
    child.on("exit", (status) => reject(new Error(`${program} ended with ${status}: ${said}`)));
  });
}

function end(child, signal) {
  return new Promise((resolve) => {
    child.removeAllListeners("exit");
    child.on("exit", (status, how) => resolve(how ?? status));
    child.kill(signal);
  });
}

function newFolder() {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "ptcvm-browser-"));
  process.on("exit", () => fs.rmSync(folder, {recursive: true, force: true}));
  return folder;
}

module.exports = {end, freePort, newFolder, openBrowser, openPage, skip, start};
