#include "agents/chain/plan/step_values.h"

#include <algorithm>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <optional>
#include <set>
#include <utility>

#include "ptcvm/json.hpp"

namespace ptcvm::chain {

namespace {

namespace json = boost::json;

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

json::value value_with(const json::value& planned, const std::map<std::string, json::value, std::less<>>& values) {
  if (const json::array* const array = planned.if_array()) {
    json::array items;
    for (const json::value& item : *array) items.push_back(value_with(item, values));
    return items;
  }
  const json::object* const object = planned.if_object();
  if (object == nullptr) return planned;
  const json::value* const named = object->if_contains("$result");
  if (named == nullptr) return args_with(*object, values);
  const auto found = named->is_string() ? values.find(std::string_view(named->get_string())) : values.end();
  if (found == values.end()) return nullptr;
  const json::value* const path = object->if_contains("path");
  const bool has_path = path != nullptr && path->is_array();
  const auto taken = taken_result(json::object{{"json", json::serialize(found->second)},
                                               {"path", has_path ? path->get_array() : json::array()}});
  const json::value* const value = std::get_if<json::value>(&taken);
  return value == nullptr ? json::value() : *value;
}

}  // namespace

std::string seen_name(std::string name) {
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

std::vector<std::string> program_names(const json::object& args) {
  std::vector<std::string> names;
  std::set<std::string> taken;
  for (const auto& [name, value] : args) {
    std::string known(name), said(name);
    std::replace(known.begin(), known.end(), '-', '_');
    while (!taken.insert(known).second) said = known += '_';
    names.push_back(std::move(said));
  }
  return names;
}

json::object args_with(const json::object& planned, const std::map<std::string, json::value, std::less<>>& values) {
  json::object args;
  for (const auto& [name, value] : planned) args.emplace(name, value_with(value, values));
  return args;
}

json::object call_args(const WaitingCall& call) {
  json::value args = to_json(call.args);
  return args.is_object() ? std::move(args.get_object()) : json::object();
}

std::string output_text(const json::value& output) {
  if (output.is_null()) return {};
  if (output.is_string()) return std::string(output.get_string());
  return json::serialize(output);
}

std::size_t output_bytes(const json::value& output) {
  return output.is_string() ? output.get_string().size() : output_text(output).size();
}

std::string cut_text(std::string text, std::size_t most) {
  if (text.size() <= most) return text;
  std::size_t end = most;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0u) == 0x80u) --end;   // not inside of a character
  return text.substr(0, end) + "\n[cut: the text had " + std::to_string(text.size()) + " bytes]";
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
  const std::vector<std::string> names = program_names(planned);
  auto said = names.begin();
  for (const auto& [name, value] : planned) {
    const json::value* const found = given.if_contains(seen_name(*said++));
    json::value arg = found == nullptr ? json::value() : *found;
    if (!put_back(value, arg)) return nullptr;
    args.emplace(name, std::move(arg));
  }
  return args;
}

}  // namespace ptcvm::chain
