// `ptcvm` uses the tools of a server that is made with the official SDK (@modelcontextprotocol/sdk).
//
// usage: mcp_server_test.js PTCVM
"use strict";

const assert = require("node:assert");
const {spawnSync} = require("node:child_process");
const fs = require("node:fs");
const path = require("node:path");

const {newFolder, skip} = require("./browser.js");

const [ptcvm] = process.argv.slice(2);
try {
  require("@modelcontextprotocol/sdk/server/mcp.js");
} catch {
  skip("@modelcontextprotocol/sdk is not in tests/browser/node_modules");
}

const tools = path.join(newFolder(), "tools.json");
fs.writeFileSync(tools, JSON.stringify({
  mcp: {shop: {command: [process.execPath, path.join(__dirname, "mcp_sdk_server.js")],
               tools: {order: {effect: "keyed"}}}}}));

function run(...args) {
  const done = spawnSync(ptcvm, args, {encoding: "utf8", timeout: 60000});
  return {status: done.status, out: done.stdout, err: done.stderr};
}

const listed = run("tools", "--json", tools);
assert.equal(listed.status, 0, listed.err);
const [price, order] = listed.out.trim().split("\n").map((line) => JSON.parse(line));
assert.equal(price.name, "shop_price");
assert.equal(price.signature, "(id :int, currency :string?) -> {price :float, currency :string}");
assert.equal(price.effect, "idempotent");
assert.equal(price.description, 'The price of an article\ncurrency: one of "eur", "usd"');
assert.equal(order.effect, "keyed");

const program = `(let [price (tool/shop_price {:id 3 :currency nil})]
                   [(:price price) (:currency price) (tool/shop_order {:id 7})])`;
const value = run("eval", program, "--tools", tools, "--output", "json");
assert.equal(value.status, 0, value.err);
assert.match(value.out, /^\[4\.5,"eur","order 7: run:.*"\]\n$/);
assert.match(value.err, /progress 1 of 1/);

const failed = run("eval", "(tool/shop_order {:id 0})", "--tools", tools);
assert.equal(failed.status, 1);
assert.match(failed.err, /there is no article 0/);
const refused = run("eval", '(tool/shop_order {:id 1 :note "too long"})', "--tools", tools);
assert.equal(refused.status, 1);                 // the signature does not say it, and the server does
assert.match(refused.err, /note/);
