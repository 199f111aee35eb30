// Counts the tokens (o200k) of recordings: node count_tokens.mjs FILE.jsonl…, with gpt-tokenizer from npm beside it or
// in NODE_PATH. Requests are counted as their messages, replies as their programs or texts.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

const { encode } = createRequire(process.cwd() + "/")("gpt-tokenizer/encoding/o200k_base");
const tokens = (text) => encode(text ?? "").length;
const said = (message) =>
  (message.tool_calls ?? []).reduce((sum, call) => sum + tokens(call.function.arguments), tokens(message.content));

let requests = 0, input = 0, output = 0, first = 0, system = 0;
for (const file of process.argv.slice(2)) {
  for (const line of readFileSync(file, "utf8").trim().split("\n")) {
    const { request, reply } = JSON.parse(line);
    const messages = request.messages.map(said);
    if (system === 0) system = messages[0];
    requests += 1;
    input += messages.reduce((sum, count) => sum + count, 0);
    if (messages.length === 2) first += messages[1];
    output += said(JSON.parse(reply.body).choices[0].message);
  }
}
console.log(JSON.stringify({ requests, input, output, system_of_first: system, first_messages: first }));
