#include "agents/replay/request_text.h"

#include <algorithm>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <vector>

#include "agents/wire/json_member.h"

namespace ptcvm::replay {

namespace {

namespace json = boost::json;
using wire::array_member;
using wire::member;
using wire::text_member;

// A message of a conversation, the same for all protocols.
struct Said {
  bool is_of_model = false;
  std::string text;
  std::vector<std::string> calls, results;   // ids
};

void add_line(std::string& text, std::string_view line) {
  if (!line.empty()) text.append(line).append("\n");
}

// Adds every string of a value.
void add_strings(std::string& text, const json::value& value) {
  if (value.is_string()) add_line(text, value.get_string());
  if (value.is_array()) {
    for (const json::value& item : value.get_array()) add_strings(text, item);
  } else if (value.is_object()) {
    for (const auto& [name, item] : value.get_object()) {
      add_line(text, name);
      add_strings(text, item);
    }
  }
}

void add_arguments(std::string& text, std::string_view arguments) {
  boost::system::error_code error;
  const json::value value = json::parse(arguments, error);
  if (error) return add_line(text, arguments);
  add_strings(text, value);
}

// Adds what a schema says in words: names of properties, descriptions, values that are allowed.
void add_schema(std::string& text, const json::value& schema) {
  if (schema.is_array()) {
    for (const json::value& item : schema.get_array()) add_schema(text, item);
  }
  if (!schema.is_object()) return;
  for (const auto& [name, value] : schema.get_object()) {
    if (name == "description" || name == "enum") {
      add_strings(text, value);
    } else if (name == "properties" && value.is_object()) {
      for (const auto& [property, inner] : value.get_object()) {
        add_line(text, property);
        add_schema(text, inner);
      }
    } else {
      add_schema(text, value);
    }
  }
}

void add_tool(std::string& text, const json::value& tool) {
  const json::value* const function = wire::object_member(tool, "function");
  const json::value& inner = function == nullptr ? tool : *function;
  add_line(text, text_member(inner, "name").value_or(""));
  add_line(text, text_member(inner, "description").value_or(""));
  for (const std::string_view name : {"parameters", "input_schema"}) {
    if (const json::value* const schema = member(inner, name)) add_schema(text, *schema);
  }
}

// Adds content that is a string or a list of parts; calls and results among the parts are noted.
void add_content(Said& said, const json::value& content) {
  if (content.is_string()) return add_line(said.text, content.get_string());
  if (!content.is_array()) return;
  for (const json::value& part : content.get_array()) {
    const std::string_view type = text_member(part, "type").value_or("");
    if (type == "tool_use") {
      said.calls.emplace_back(text_member(part, "id").value_or(""));
      add_line(said.text, text_member(part, "name").value_or(""));
      if (const json::value* const input = member(part, "input")) add_strings(said.text, *input);
    } else if (type == "tool_result") {
      said.results.emplace_back(text_member(part, "tool_use_id").value_or(""));
      if (const json::value* const inner = member(part, "content")) add_content(said, *inner);
    } else {
      for (const std::string_view name : {"text", "thinking", "refusal"}) {
        add_line(said.text, text_member(part, name).value_or(""));
      }
    }
  }
}

void add_chat_call(Said& said, const json::value& call) {
  said.calls.emplace_back(text_member(call, "id").value_or(""));
  for (const std::string_view kind : {"function", "custom"}) {
    const json::value* const made = wire::object_member(call, kind);
    if (made == nullptr) continue;
    add_line(said.text, text_member(*made, "name").value_or(""));
    add_arguments(said.text, text_member(*made, "arguments").value_or(""));
    add_line(said.text, text_member(*made, "input").value_or(""));
  }
}

Said chat_message(const json::value& message) {
  Said said;
  const std::string_view role = text_member(message, "role").value_or("");
  said.is_of_model = role == "assistant";
  if (const json::value* const content = member(message, "content")) add_content(said, *content);
  if (const json::array* const calls = array_member(message, "tool_calls")) {
    for (const json::value& call : *calls) add_chat_call(said, call);
  }
  if (role == "tool") said.results.emplace_back(text_member(message, "tool_call_id").value_or(""));
  return said;
}

Said responses_item(const json::value& item) {
  Said said;
  const std::string_view type = text_member(item, "type").value_or("");
  const bool is_call = type == "function_call" || type == "custom_tool_call";
  const bool is_result = type == "function_call_output" || type == "custom_tool_call_output";
  said.is_of_model = is_call || type == "reasoning" || text_member(item, "role") == "assistant";
  if (const json::value* const content = member(item, "content")) add_content(said, *content);
  if (const json::value* const summary = member(item, "summary")) add_content(said, *summary);
  if (is_call) {
    said.calls.emplace_back(text_member(item, "call_id").value_or(""));
    add_line(said.text, text_member(item, "name").value_or(""));
    add_arguments(said.text, text_member(item, "arguments").value_or(""));
    add_line(said.text, text_member(item, "input").value_or(""));
  }
  if (is_result) {
    said.results.emplace_back(text_member(item, "call_id").value_or(""));
    if (const json::value* const output = member(item, "output")) add_content(said, *output);
  }
  return said;
}

// What is written before the first message of the user, and the messages.
struct Parts {
  json::array fixed;
  std::string fixed_text;
  std::vector<Said> messages;
};

void add_fixed(Parts& parts, const json::value* value, bool is_tools) {
  if (value == nullptr) return;
  parts.fixed.push_back(*value);
  if (is_tools && value->is_array()) {
    for (const json::value& tool : value->get_array()) add_tool(parts.fixed_text, tool);
  } else {
    Said said;
    add_content(said, *value);
    parts.fixed_text += said.text;
  }
}

Parts read_parts(wire::Protocol protocol, const json::value& body) {
  Parts parts;
  add_fixed(parts, member(body, "tools"), true);
  add_fixed(parts, member(body, "system"), false);
  add_fixed(parts, member(body, "instructions"), false);
  const bool is_responses = protocol == wire::Protocol::Responses;
  const json::array* const messages = array_member(body, is_responses ? "input" : "messages");
  if (messages == nullptr) return parts;
  for (const json::value& message : *messages) {
    const std::string_view role = text_member(message, "role").value_or("");
    if (parts.messages.empty() && (role == "system" || role == "developer")) {
      parts.fixed.push_back(message);
      parts.fixed_text += chat_message(message).text;
    } else {
      parts.messages.push_back(is_responses ? responses_item(message) : chat_message(message));
    }
  }
  return parts;
}

// The items of one turn of responses follow each other, so there a call may wait while the model goes on.
std::optional<std::string> fault_of(wire::Protocol protocol, const std::vector<Said>& messages) {
  std::vector<std::string> open;
  for (const Said& said : messages) {
    for (const std::string& id : said.results) {
      const auto call = std::find(open.begin(), open.end(), id);
      if (call == open.end()) return "the result of the call \"" + id + "\" has no call directly before it";
      open.erase(call);
    }
    const bool goes_on = said.is_of_model && protocol == wire::Protocol::Responses;
    if (!open.empty() && said.results.empty() && !goes_on) break;
    open.insert(open.end(), said.calls.begin(), said.calls.end());
  }
  if (open.empty()) return std::nullopt;
  return "the call \"" + open.front() + "\" has no result behind it";
}

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

}  // namespace

std::optional<RequestText> RequestText::read(wire::Protocol protocol, std::string_view body) {
  boost::system::error_code error;
  json::parse_options options;
  options.max_depth = 256;
  const json::value value = json::parse(body, error, {}, options);
  if (error || !value.is_object()) return std::nullopt;
  const Parts parts = read_parts(protocol, value);
  RequestText text;
  text.static_text_ = parts.fixed_text;
  text.static_bytes_ = json::serialize(parts.fixed);
  text.whole_ = parts.fixed_text;
  for (const Said& said : parts.messages) {
    text.whole_ += said.text;
    if (said.is_of_model) {
      text.newest_.clear();
    } else {
      text.newest_ += said.text;
    }
  }
  text.fault_ = fault_of(protocol, parts.messages);
  return text;
}

bool contains_fragment(std::string_view text, std::string_view fragment) {
  return std::search(text.begin(), text.end(), fragment.begin(), fragment.end(),
                     [](char a, char b) { return lower(a) == lower(b); }) != text.end();
}

}  // namespace ptcvm::replay
