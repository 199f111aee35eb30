#include "agents/chain/step_values.h"

#include <algorithm>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <optional>
#include <utility>

#include "ptcvm/json.hpp"

namespace ptcvm::chain {

namespace {

namespace json = boost::json;

std::string program_name(std::string_view name) {
  std::string text(name);
  std::replace(text.begin(), text.end(), '-', '_');
  return text;
}

// Returns the value at one part of a path, or null.
const json::value* part_of(const json::value& value, const json::value& part) {
  if (const json::object* const object = value.if_object()) {
    return part.is_string() ? object->if_contains(part.get_string()) : nullptr;
  }
  const json::array* const array = value.if_array();
  if (array == nullptr || !part.is_int64() || part.get_int64() < 0) return nullptr;
  return array->if_contains(static_cast<std::size_t>(part.get_int64()));
}

// Puts names and results back, value by value; false: a result has no such path.
bool put_back(const json::value& planned, json::value& given) {
  if (const json::object* const object = planned.if_object()) {
    if (object->contains("$result")) {
      auto taken = taken_result(given);
      if (std::holds_alternative<std::nullptr_t>(taken)) return false;
      given = std::move(std::get<json::value>(taken));
      return true;
    }
    auto args = exact_args(*object, given.is_object() ? given.get_object() : json::object());
    if (std::holds_alternative<std::nullptr_t>(args)) return false;
    given = std::move(std::get<json::object>(args));
    return true;
  }
  const json::array* const array = planned.if_array();
  if (array == nullptr || !given.is_array()) return true;
  for (std::size_t i = 0; i < array->size() && i < given.get_array().size(); ++i) {
    if (!put_back((*array)[i], given.get_array()[i])) return false;
  }
  return true;
}

}  // namespace

json::object call_args(const WaitingCall& call) {
  json::value args = to_json(call.args);
  return args.is_object() ? std::move(args.get_object()) : json::object();
}

std::string output_text(const json::value& output) {
  if (output.is_null()) return {};
  if (output.is_string()) return std::string(output.get_string());
  return json::serialize(output);
}

json::value cut_output(json::value output, std::size_t most) {
  std::string text;
  if (output.is_string()) {
    if (output.get_string().size() <= most) return output;
    text = output.get_string();
  } else if (output.is_object() || output.is_array()) {
    text = json::serialize(output);
    if (text.size() <= most) return output;
  } else {
    return output;
  }
  std::size_t end = most;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0u) == 0x80u) --end;   // not inside of a character
  return json::value(text.substr(0, end) + "\n[cut: the output had " + std::to_string(text.size()) + " bytes]");
}

std::variant<json::value, std::nullptr_t> taken_result(const json::value& given) {
  const json::object* const object = given.if_object();
  if (object == nullptr) return given;
  const json::value* const text = object->if_contains("json");
  const json::value* const path = object->if_contains("path");
  if (text == nullptr || !text->is_string() || path == nullptr || !path->is_array()) return nullptr;
  boost::system::error_code error;
  json::value value = json::parse(text->get_string(), error);
  if (error) return nullptr;
  if (value.is_string() && !path->get_array().empty()) {   // a tool that answers with the text of JSON
    value = json::parse(json::string(value.get_string()), error);
    if (error) return nullptr;
  }
  const json::value* found = &value;
  for (const json::value& part : path->get_array()) {
    found = part_of(*found, part);
    if (found == nullptr) return nullptr;
  }
  return *found;
}

std::variant<json::object, std::nullptr_t> exact_args(const json::object& planned, const json::object& given) {
  json::object args;
  for (const auto& [name, value] : planned) {
    const json::value* const found = given.if_contains(program_name(name));
    json::value arg = found == nullptr ? json::value() : *found;
    if (!put_back(value, arg)) return nullptr;
    args.emplace(name, std::move(arg));
  }
  return args;
}

}  // namespace ptcvm::chain
