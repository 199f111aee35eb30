#include <utility>

#include "agents/wire/request_fold.h"

namespace ptcvm::wire {

namespace {

namespace json = boost::json;

constexpr std::int64_t kUsualOutputTokens = 4096;

json::array turn_content(std::string_view provider, const ModelTurn& turn) {
  if (goes_back_unchanged(Protocol::Messages, provider, turn)) return turn.content;
  json::array blocks;
  if (!turn.text.empty()) blocks.push_back({{"type", "text"}, {"text", turn.text}});
  for (const ToolCall& call : turn.tool_calls) {
    blocks.push_back({{"type", "tool_use"},
                      {"id", call.id},
                      {"name", call.name},
                      {"input", call.arguments.value_or(json::object())}});
  }
  if (blocks.empty()) blocks.push_back({{"type", "text"}, {"text", "(no text)"}});   // an empty turn is refused
  return blocks;
}

json::object result_block(const ToolResult& result) {
  json::object block{{"type", "tool_result"}, {"tool_use_id", result.call_id}, {"content", result.text}};
  if (result.is_error) block["is_error"] = true;
  return block;
}

void add_user_block(json::array& messages, json::object block) {
  if (messages.empty() || messages.back().at("role") != "user") {
    messages.push_back({{"role", "user"}, {"content", json::array()}});
  }
  messages.back().at("content").as_array().push_back(std::move(block));
}

}  // namespace

void add_messages_item(json::array& messages, std::string_view provider, const ConversationItem& item) {
  if (const auto* const user = std::get_if<UserText>(&item)) {
    add_user_block(messages, {{"type", "text"}, {"text", user->text}});
  } else if (const auto* const result = std::get_if<ToolResult>(&item)) {
    add_user_block(messages, result_block(*result));
  } else {
    messages.push_back({{"role", "assistant"}, {"content", turn_content(provider, std::get<ModelTurn>(item))}});
  }
}

RequestMembers messages_members(const Request& request) {
  RequestMembers out;
  out.conversation = "messages";
  json::array tools;
  for (const ToolDefinition& tool : request.tools) {
    tools.push_back({{"name", tool.name}, {"description", tool.description}, {"input_schema", tool.parameters}});
  }
  out.head["model"] = request.model;
  out.head["max_tokens"] = request.most_output_tokens.value_or(kUsualOutputTokens);
  if (!tools.empty()) out.head["tools"] = std::move(tools);
  if (request.must_call_tool) out.head["tool_choice"] = json::object{{"type", "any"}};
  if (!request.system.empty()) out.head["system"] = request.system;
  if (request.temperature) out.tail["temperature"] = *request.temperature;
  if (request.is_stream) out.tail["stream"] = true;
  return out;
}

}  // namespace ptcvm::wire
