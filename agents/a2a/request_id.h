// Numbers that name a request: the answer has the same number, or the request is refused.
#pragma once
#include <boost/json/value.hpp>
#include <optional>
#include <string_view>

namespace ptcvm::a2a {

// Returns the id of a request as it is written, or "" when there is none. `body` is a JSON object. The text is valid as
// long as the body.
std::string_view request_id_text(std::string_view body);

// Returns the number of a JSON text when a float of 64 bits keeps it: the whole number, or each digit of another one.
// nullopt for others, such as 1e999 and 9007199254740993.
std::optional<boost::json::value> kept_number(std::string_view text);

}  // namespace ptcvm::a2a
