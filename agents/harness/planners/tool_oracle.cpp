#include "agents/harness/planners/tool_oracle.h"

#include <boost/json/serialize.hpp>

#include "agents/harness/facts/fact.h"
#include "agents/harness/facts/json_members.h"

namespace ptcvm::harness {

namespace json = boost::json;

namespace {

constexpr int kOracleAttempts = 3;
constexpr std::int64_t kOracleDelayMs = 150;

std::string oracle_prompt(const OracleCall& call) {
  std::string prompt = "You play a tool. Answer with one JSON object {\"reasoning\": text, \"output\": value} in a ";
  prompt += "code fence. Documents are objects {\"docId\", \"name\", \"contentType\", \"content\"} in the output.\n\n";
  prompt.append("Tool: ").append(call.tool.name).append("\n").append(call.tool.description).append("\n");
  if (!call.tool.guidance.empty()) prompt.append(call.tool.guidance).append("\n");
  prompt.append("It belongs to: ").append(call.agent.prompt).append("\n\nConversation:\n").append(call.conversation);
  return prompt.append("\nArguments: ").append(json::serialize(call.args));
}

bool is_document(const json::object& object) {
  return object.contains("content") && (object.contains("contentType") || object.contains("mimeType"));
}

json::object document_of(const json::object& object, std::string name, std::string_view type,
                         std::string_view content) {
  if (!text_of(object, "name").empty()) name = text_of(object, "name");
  return {{"name", std::move(name)}, {"mimeType", type}, {"bytes", base64(content)}};
}

void collect(const json::value& value, const std::string& fallback_name, std::vector<json::object>& found) {
  if (const json::array* const list = value.if_array()) {
    for (const json::value& item : *list) collect(item, fallback_name, found);
  }
  const json::object* const object = value.if_object();
  if (object == nullptr) return;
  if (!is_document(*object)) {
    for (const auto& [name, member] : *object) collect(member, fallback_name, found);
    return;
  }
  const json::value& content = object->at("content");
  std::string_view type = text_of(*object, "contentType");
  if (type.empty()) type = text_of(*object, "mimeType");
  const std::string_view id = text_of(*object, "docId");
  found.push_back(document_of(*object, id.empty() ? fallback_name : std::string(id),
                              type.empty() ? "application/json" : type,
                              content.is_string() ? std::string(content.get_string()) : json::serialize(content)));
}

}  // namespace

Result<json::object> play_tool(const OracleCall& call, const AskModel& ask, const PauseModel& pause) {
  Error last{Errc::not_available, "the tool gave nothing that can be read", std::nullopt, {}};
  for (int attempt = 0; attempt < kOracleAttempts; ++attempt) {
    if (attempt > 0) pause(kOracleDelayMs << (attempt - 1));
    const Result<std::string> reply = ask({ModelPurpose::PlayTool, oracle_prompt(call), 0.5});
    if (!reply) {
      last = reply.error();
      continue;
    }
    auto object = read_model_object(*reply);
    const json::value* const reasoning = object ? object->if_contains("reasoning") : nullptr;
    if (reasoning != nullptr && reasoning->is_string() && object->contains("output")) return *std::move(object);
  }
  return last;
}

std::vector<json::object> documents_of(const json::value& output, const std::string& fallback_name) {
  std::vector<json::object> found;
  collect(output, fallback_name, found);
  if (found.empty()) found.push_back(document_of({}, fallback_name, "application/json", json::serialize(output)));
  return found;
}

std::string base64(std::string_view bytes) {
  constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::uint32_t group = 0;
    const std::size_t count = std::min<std::size_t>(3, bytes.size() - i);
    for (std::size_t k = 0; k < 3; ++k) {
      group = group << 8 | (k < count ? static_cast<unsigned char>(bytes[i + k]) : 0U);
    }
    for (std::size_t k = 0; k < 4; ++k) out += k <= count ? kDigits[group >> (18 - 6 * k) & 63U] : '=';
  }
  return out;
}

}  // namespace ptcvm::harness
