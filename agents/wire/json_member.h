// Reads members of JSON that a server sent: a member that is missing or of another kind reads as absent, because
// servers that speak "like" a protocol leave out, add and rename.
#pragma once
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <cstdint>
#include <optional>
#include <string_view>

namespace ptcvm::wire {

// Returns the member of that name, or null when `value` is no object or has no such member.
inline const boost::json::value* member(const boost::json::value& value, std::string_view name) {
  const boost::json::object* const object = value.if_object();
  return object == nullptr ? nullptr : object->if_contains(name);
}
// An object is not a value of JSON here: as an argument it would be copied, and what is found would die with the copy.
const boost::json::value* member(const boost::json::object&, std::string_view) = delete;
// Returns the member when it is an object, else null.
inline const boost::json::value* object_member(const boost::json::value& value, std::string_view name) {
  const boost::json::value* const found = member(value, name);
  return found == nullptr || !found->is_object() ? nullptr : found;
}
inline const boost::json::array* array_member(const boost::json::value& value, std::string_view name) {
  const boost::json::value* const found = member(value, name);
  return found == nullptr ? nullptr : found->if_array();
}
// Returns the text of the member, or nullopt when the member is no string.
inline std::optional<std::string_view> text_member(const boost::json::value& value, std::string_view name) {
  const boost::json::value* const found = member(value, name);
  if (found == nullptr || !found->is_string()) return std::nullopt;
  return std::string_view(found->get_string());
}
inline std::optional<std::int64_t> integer_member(const boost::json::value& value, std::string_view name) {
  const boost::json::value* const found = member(value, name);
  if (found == nullptr) return std::nullopt;
  boost::system::error_code error;
  const std::int64_t number = found->to_number<std::int64_t>(error);
  return error ? std::nullopt : std::optional(number);
}
std::optional<std::string_view> text_member(const boost::json::object&, std::string_view) = delete;
std::optional<std::int64_t> integer_member(const boost::json::object&, std::string_view) = delete;
inline bool has_value(const boost::json::value* found) { return found != nullptr && !found->is_null(); }
// Returns the first of two members that has a value, or null.
inline boost::json::value first_member(const boost::json::value& value, std::string_view first,
                                       std::string_view second) {
  const boost::json::value* const found = member(value, first);
  if (has_value(found)) return boost::json::value(*found, boost::json::storage_ptr());
  const boost::json::value* const other = member(value, second);
  return has_value(other) ? boost::json::value(*other, boost::json::storage_ptr()) : boost::json::value();
}

}  // namespace ptcvm::wire
