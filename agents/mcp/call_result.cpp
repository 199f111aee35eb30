#include "agents/mcp/call_result.h"

#include <boost/json/serialize.hpp>
#include <optional>

namespace ptcvm::mcp {

namespace json = boost::json;

namespace {

McpFailure wrong(const char* what) { return {McpFault::WrongMember, std::string("result") + what}; }

// Returns the text of a block, or nullptr for a block of another type.
const json::string* text_in(const json::object& block) {
  const json::value* const type = block.if_contains("type");
  const json::value* const text = block.if_contains("text");
  const bool is_text = type != nullptr && type->is_string() && type->get_string() == "text";
  return is_text && text != nullptr ? text->if_string() : nullptr;
}

// Returns the text of all blocks, or nullopt when one is something else.
std::optional<std::string> joined_text(const json::array& blocks) {
  std::string out;
  for (const json::value& block : blocks) {
    const json::string* const text = text_in(block.get_object());
    if (text == nullptr) return std::nullopt;
    if (&block != blocks.data()) out += '\n';
    out.append(text->data(), text->size());
  }
  return out;
}

std::optional<McpFailure> wrong_content(const json::value* content) {
  if (content == nullptr) return std::nullopt;
  if (!content->is_array()) return wrong(".content is not a list");
  for (const json::value& block : content->get_array()) {
    if (!block.is_object()) return wrong(".content has a block that is not an object");
  }
  return std::nullopt;
}

}  // namespace

std::variant<CallResult, McpFailure> read_call_result(const json::value& result) {
  if (!result.is_object()) return wrong(" is not an object");
  const json::object& object = result.get_object();
  const json::value* const content = object.if_contains("content");
  const json::value* structured = object.if_contains("structuredContent");
  if (structured != nullptr && structured->is_null()) structured = nullptr;
  const json::value* const is_error = object.if_contains("isError");
  if (is_error != nullptr && !is_error->is_bool()) return wrong(".isError is not true or false");
  if (structured != nullptr && !structured->is_object()) return wrong(".structuredContent is not an object");
  if (content == nullptr && structured == nullptr) return wrong(" has neither content nor structuredContent");
  if (auto failure = wrong_content(content)) return *std::move(failure);
  CallResult out;
  out.is_error = is_error != nullptr && is_error->get_bool();
  static const json::array kNoBlocks;
  const json::array& blocks = content == nullptr ? kNoBlocks : content->get_array();
  const std::optional<std::string> text = joined_text(blocks);
  if (out.is_error) {
    const bool has_text = text && !text->empty();
    out.text = has_text ? *text : structured != nullptr ? json::serialize(*structured) : json::serialize(blocks);
  } else if (structured != nullptr) {
    out.text = json::serialize(*structured);
  } else if (blocks.empty()) {
    out.text = "null";
  } else {
    out.text = text ? json::serialize(json::string_view(*text)) : json::serialize(blocks);
  }
  return out;
}

}  // namespace ptcvm::mcp
