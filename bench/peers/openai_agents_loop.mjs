// The same turns with the Agents SDK of OpenAI for JavaScript: node openai_agents_loop.mjs TURNS
//
// Prints microseconds of processor time a turn. The server is a function that returns the reply at once, so the SDK
// writes each request and reads each reply as it does over the network. PEERS names the folder node_modules that has
// the packages @openai/agents and zod.
import { createRequire } from "node:module";
import path from "node:path";

const folder = process.env.PEERS;
const require = createRequire(path.join(folder, "..", "peers.js"));
const { Agent, OpenAIChatCompletionsModel, Runner, setTracingDisabled, tool } = require("@openai/agents");
const { OpenAI } = require("openai");
const { z } = require("zod");

setTracingDisabled(true);
const turns = Number(process.argv[2]);
const rows = [1, 2, 3, 4];

function reply(last) {
  const message = last ? {role: "assistant", content: "10"} : {role: "assistant", content: null, tool_calls: [
    {id: "call_1", type: "function", function: {name: "run_program", arguments: '{"program": "total = sum(rows)"}'}}]};
  return JSON.stringify({id: "c1", object: "chat.completion", created: 0, model: "scripted",
    choices: [{index: 0, finish_reason: last ? "stop" : "tool_calls", message}],
    usage: {prompt_tokens: 120, completion_tokens: 15, total_tokens: 135}});
}

async function run() {
  let left = turns;
  const client = new OpenAI({apiKey: "none", fetch: async () => {
    return new Response(reply(--left <= 0), {headers: {"content-type": "application/json"}});
  }});
  const agent = new Agent({
    name: "bench", instructions: "You write programs. ".repeat(100), model: new OpenAIChatCompletionsModel(client, "scripted"),
    tools: [tool({name: "run_program", description: "Runs one program", parameters: z.object({program: z.string()}),
                  execute: async () => JSON.stringify({total: rows.reduce((a, b) => a + b), seen: rows.length})})]});
  await new Runner().run(agent, "Add up rows.", {maxTurns: turns + 1});
}

let best = Infinity;
for (let round = 0; round < 3; ++round) {
  const begin = process.cpuUsage();
  await run();
  const used = process.cpuUsage(begin);
  best = Math.min(best, (used.user + used.system) / turns);
}
console.log(best.toFixed(2));
process.exit(0);
