// Reads members of cases, and compares what was expected with what happened.
#pragma once
#include <algorithm>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ptcvm::scenarios {

using Why = std::optional<std::string>;   // why a case does not hold; nullopt: it holds

inline std::string text(const boost::json::value& value) { return std::string(value.as_string()); }

// Returns the texts in the list of that name; none when the member is missing.
inline std::vector<std::string> texts(const boost::json::object& object, std::string_view name) {
  std::vector<std::string> list;
  const boost::json::value* const found = object.if_contains(name);
  if (found == nullptr) return list;
  for (const boost::json::value& item : found->as_array()) list.push_back(text(item));
  return list;
}

inline Why differs(std::string_view what, const boost::json::value& expected, const boost::json::value& got) {
  if (expected == got) return std::nullopt;
  return std::string(what) + ": expected " + boost::json::serialize(expected) + ", got " + boost::json::serialize(got);
}

// Refuses members that are not in the list.
inline Why only(const boost::json::object& object, std::initializer_list<std::string_view> names) {
  for (const auto& [name, value] : object) {
    if (std::find(names.begin(), names.end(), std::string_view(name)) == names.end()) {
      return "unknown member: " + std::string(name);
    }
  }
  return std::nullopt;
}

}  // namespace ptcvm::scenarios
