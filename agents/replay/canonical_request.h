// The one form in which requests are compared: JSON with the members of objects in the order of their names.
#pragma once
#include <boost/json/value.hpp>
#include <optional>
#include <string>
#include <string_view>

namespace ptcvm::replay {

// Returns the canonical text of a body, or nullopt when the body is no JSON.
std::optional<std::string> canonical_request(std::string_view body);
// Returns the SHA-256 of a canonical text in hexadecimal digits.
std::string request_hash(std::string_view canonical);
// Returns the JSON with one member or line of text in each line, for comparing requests by line.
std::string request_lines(const boost::json::value& request);

}  // namespace ptcvm::replay
