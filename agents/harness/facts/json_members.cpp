#include "agents/harness/facts/json_members.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "agents/harness/facts/fact.h"

namespace ptcvm::harness {

namespace json = boost::json;

const json::object* object_at(const json::object& object, std::string_view member) {
  const json::value* const found = object.if_contains(member);
  return found == nullptr ? nullptr : found->if_object();
}

const json::array* array_at(const json::object& object, std::string_view member) {
  const json::value* const found = object.if_contains(member);
  return found == nullptr ? nullptr : found->if_array();
}

bool is_true(const json::object& object, std::string_view member) {
  const json::value* const found = object.if_contains(member);
  return found != nullptr && found->is_bool() && found->get_bool();
}

std::vector<std::string> texts_of(const json::object& object, std::string_view member) {
  std::vector<std::string> list;
  const json::array* const found = array_at(object, member);
  if (found == nullptr) return list;
  for (const json::value& item : *found) {
    if (item.is_string()) list.emplace_back(item.get_string());
  }
  return list;
}

std::optional<double> number_of(const json::object& object, std::string_view member) {
  const json::value* const found = object.if_contains(member);
  if (found == nullptr) return std::nullopt;
  double number = 0;
  if (found->is_number()) {
    number = found->to_number<double>();
  } else {
    const std::string_view text = trimmed(text_of(object, member));
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (text.empty() || error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  }
  if (!std::isfinite(number)) return std::nullopt;
  return number;
}

std::uint64_t count_of(const json::object& object, std::string_view member) {
  const json::value* const found = object.if_contains(member);
  if (found == nullptr || !found->is_number()) return 0;
  boost::system::error_code error;
  const auto number = found->to_number<std::uint64_t>(error);
  return error ? 0 : number;
}

bool has(const std::vector<std::string>& list, std::string_view text) {
  return std::ranges::find(list, text) != list.end();
}

json::array array_of(const std::vector<std::string>& texts) { return json::array(texts.begin(), texts.end()); }

}  // namespace ptcvm::harness
