// The id of a batch request, which the answer repeats.
#pragma once
#include <boost/json/value.hpp>
#include <string>
#include <string_view>

namespace ptcvm::cli {

// Returns the id as JSON text in UTF-8. Numbers are copied from the line, because a number may be larger or longer than
// the parser keeps. `line` is the JSON text of the request, and `id` the parsed member.
std::string request_id(std::string_view line, const boost::json::value& id);

}  // namespace ptcvm::cli
