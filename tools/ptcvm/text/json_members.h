// Members of JSON objects that commands keep in stores.
#pragma once
#include <boost/json/object.hpp>
#include <string>
#include <string_view>

namespace ptcvm::cli {

// Returns the text of the member, or "" when the member is missing or no text.
inline std::string text_of(const boost::json::object& object, std::string_view name) {
  const boost::json::value* const found = object.if_contains(name);
  return found == nullptr || !found->is_string() ? std::string() : std::string(found->get_string());
}

}  // namespace ptcvm::cli
