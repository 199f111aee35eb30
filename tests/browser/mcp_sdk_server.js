// A server of the Model Context Protocol made with @modelcontextprotocol/sdk. mcp_server_test.js starts it.
"use strict";

const {McpServer} = require("@modelcontextprotocol/sdk/server/mcp.js");
const {StdioServerTransport} = require("@modelcontextprotocol/sdk/server/stdio.js");
const {z} = require("zod");

const server = new McpServer({name: "shop", version: "1.0.0"}, {capabilities: {logging: {}}});
const content = (text) => [{type: "text", text}];

server.registerTool("price", {
  description: "The price of an article",
  inputSchema: {id: z.number().int(), currency: z.enum(["eur", "usd"]).optional()},
  outputSchema: {price: z.number(), currency: z.string()},
  annotations: {readOnlyHint: true},
}, async ({id, currency = "eur"}) => {
  const structuredContent = {price: id * 1.5, currency};
  return {content: content(JSON.stringify(structuredContent)), structuredContent};
});
server.registerTool("order", {
  description: "Orders an article", inputSchema: {id: z.number().int(), note: z.string().max(5).optional()},
  annotations: {destructiveHint: true, idempotentHint: false},
}, async ({id}, extra) => {
  await extra.sendNotification({
    method: "notifications/progress", params: {progressToken: extra._meta.progressToken, progress: 1, total: 1}});
  if (id === 0) throw new Error("there is no article 0");
  return {content: content(`order ${id}: ${extra._meta["ptcvm/idempotencyKey"]}`)};
});

server.connect(new StdioServerTransport());
