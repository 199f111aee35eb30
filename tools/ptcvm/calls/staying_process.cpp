#include "tools/ptcvm/calls/staying_process.h"

#include <utility>

#include "drivers/mcp/mcp_server.h"
#include "tools/ptcvm/calls/line_protocol.h"
#include "tools/ptcvm/calls/tool_errors.h"

namespace ptcvm::cli {

bool share_process(const ExternalTool& a, const ExternalTool& b) {
  return a.command == b.command && a.environment == b.environment && a.folder == b.folder &&
         a.in_flight == b.in_flight && a.mcp.has_value() == b.mcp.has_value();
}

std::shared_ptr<stdio::CallProcess> make_process(const ExternalTool& tool) {
  if (tool.mcp && tool.mcp->started != nullptr) {
    if (auto started = tool.mcp->started->take()) return started;
  }
  stdio::StayingProgram program{tool.command, tool.environment, tool.folder};
  const auto show = [name = tool.name](std::string_view lines) { show_tool_errors(name, lines); };
  if (tool.mcp) return mcp::make_mcp_process({std::move(program), tool.in_flight, tool.mcp->start, show});
  stdio::CallProcessRules rules;
  rules.in_flight = tool.in_flight;
  rules.most_line_bytes = ChildLimits().max_output_bytes;
  rules.most_error_bytes = ChildLimits().max_error_bytes;
  rules.on_errors = show;
  return std::make_shared<stdio::CallProcess>(std::move(program), std::make_unique<LineProtocol>(), std::move(rules));
}

stdio::ProcessCall process_call(const WaitingCall& call, const ExternalTool& tool, std::string args_json) {
  stdio::ProcessCall out;
  out.call = call.id;
  out.tool = tool.mcp ? tool.mcp->tool : tool.name;
  out.args_json = std::move(args_json);
  out.key = call.key;
  out.fencing_token = call.fencing_token;
  out.deadline = deadline_of(tool, call.deadline);
  out.overdue = timeout_text(tool);
  if (tool.mcp) out.renamed = tool.mcp->renamed;
  return out;
}

CommandReply reply_of(stdio::CallAnswer answer) {
  CommandReply reply;
  switch (answer.kind) {
    case stdio::CallAnswer::Kind::Json: reply.kind = CommandReply::Kind::Json; break;
    case stdio::CallAnswer::Kind::Error: reply.kind = CommandReply::Kind::Error; break;
    case stdio::CallAnswer::Kind::Unknown: reply.kind = CommandReply::Kind::Unknown; break;
    case stdio::CallAnswer::Kind::TooLarge: reply.kind = CommandReply::Kind::TooLarge; break;
  }
  reply.text = std::move(answer.text);
  reply.shown_errors = std::move(answer.errors);
  return reply;
}

}  // namespace ptcvm::cli
