#include <utility>

#include "agents/wire/request_fold.h"

namespace ptcvm::wire {

namespace {

namespace json = boost::json;

void add_turn(json::array& input, std::string_view provider, const ModelTurn& turn) {
  if (goes_back_unchanged(Protocol::Responses, provider, turn)) {
    for (const json::value& item : turn.content) input.push_back(item);
    return;
  }
  if (!turn.text.empty()) input.push_back({{"role", "assistant"}, {"content", turn.text}});
  for (const ToolCall& call : turn.tool_calls) {
    input.push_back({{"type", "function_call"},
                     {"call_id", call.id},
                     {"name", call.name},
                     {"arguments", argument_text(call)}});
  }
}

}  // namespace

void add_responses_item(json::array& input, std::string_view provider, const ConversationItem& item) {
  if (const auto* const user = std::get_if<UserText>(&item)) {
    input.push_back({{"role", "user"}, {"content", user->text}});
  } else if (const auto* const result = std::get_if<ToolResult>(&item)) {
    input.push_back({{"type", "function_call_output"}, {"call_id", result->call_id}, {"output", result->text}});
  } else {
    add_turn(input, provider, std::get<ModelTurn>(item));
  }
}

RequestMembers responses_members(const Request& request) {
  RequestMembers out;
  out.conversation = "input";
  json::array tools;
  for (const ToolDefinition& tool : request.tools) {
    tools.push_back({{"type", "function"},
                     {"name", tool.name},
                     {"description", tool.description},
                     {"parameters", tool.parameters},
                     {"strict", false}});
  }
  // Nothing is kept by the provider: the items that it sent go back with each request, the encrypted ones included.
  out.head = {{"model", request.model}, {"store", false}, {"include", {"reasoning.encrypted_content"}}};
  if (!request.system.empty()) out.head["instructions"] = request.system;
  if (!tools.empty()) out.head["tools"] = std::move(tools);
  if (request.must_call_tool) out.head["tool_choice"] = "required";
  if (request.most_output_tokens) out.tail["max_output_tokens"] = *request.most_output_tokens;
  if (request.temperature) out.tail["temperature"] = *request.temperature;
  if (request.is_stream) out.tail["stream"] = true;
  return out;
}

}  // namespace ptcvm::wire
