#include "tools/ptcvm/calls/program_tools.h"

#include <utility>

#include "tools/ptcvm/calls/one_call.h"

namespace ptcvm::cli {
namespace {

ToolReply reply_of(ToolCall& call, const ExternalTool& tool, const std::atomic<bool>& cancelled) {
  WaitingCall waiting;
  waiting.tool = call.name();
  waiting.key = call.idempotency_key();
  waiting.attempt = call.attempt();
  waiting.fencing_token = call.fencing_token();
  const CommandReply reply = call_command(tool, std::move(waiting), call.args().to_json(), cancelled);
  if (reply.kind == CommandReply::Kind::Unknown) return call.unknown(reply.text);
  if (reply.kind != CommandReply::Kind::Json) return call.error(reply.text);
  auto value = Value::from_json(reply.text.empty() ? "null" : reply.text);
  if (!value) return call.unknown("the output of the command is no JSON: " + value.error().message);
  return call.value(*std::move(value));
}

}  // namespace

std::optional<Tools> program_tools(const std::vector<DeclaredTool>& declared, const std::atomic<bool>& cancelled,
                                   std::string& message) {
  Tools tools;
  for (const DeclaredTool& tool : declared) {
    if (!tool.command) continue;
    const auto answer = [command = tool.command->tool(), &cancelled](ToolCall& call) {
      return reply_of(call, command, cancelled);
    };
    if (const auto added = tools.add(tool.name, tool.signature, answer, tool.options); !added) {
      return message = added.error().message, std::nullopt;
    }
  }
  return tools;
}

}  // namespace ptcvm::cli
