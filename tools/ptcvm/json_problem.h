// Where and why a text is no JSON, for messages about files.
#pragma once
#include <string>
#include <string_view>

namespace ptcvm::cli {

// Returns "line 2, column 7: expected a value", or "" when the text is JSON.
std::string json_problem(std::string_view text);

}  // namespace ptcvm::cli
