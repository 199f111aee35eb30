// Numbers of JSON that are too large.
#pragma once
#include <algorithm>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <cmath>

namespace ptcvm::wire {

// Returns whether a number in the value was read as infinite: it is beyond the largest float, and JSON cannot say that.
inline bool has_infinite(const boost::json::value& value);
inline bool has_infinite(const boost::json::object& members) {
  return std::ranges::any_of(members, [](const auto& member) { return has_infinite(member.value()); });
}
inline bool has_infinite(const boost::json::value& value) {
  if (const double* const number = value.if_double()) return std::isinf(*number);
  if (const auto* const members = value.if_object()) return has_infinite(*members);
  const auto* const items = value.if_array();
  return items != nullptr && std::ranges::any_of(*items, [](const auto& item) { return has_infinite(item); });
}

}  // namespace ptcvm::wire
