// Where and why a text is no JSON, for messages about files.
#pragma once
#include <string>
#include <string_view>

namespace ptcvm::cli {

// Returns "line 2, column 7: expected a value", or "" when the text is JSON. A reader that takes less says in
// `otherwise` what it refuses, such as half of a surrogate pair: that is returned instead of "".
std::string json_problem(std::string_view text, const std::string& otherwise = {});
// The same for one line of a file: "column 7: expected a value".
std::string json_line_problem(std::string_view line, const std::string& otherwise = {});
// The same for a file that has JSON on each line; empty lines are passed over.
std::string json_lines_problem(std::string_view text);

}  // namespace ptcvm::cli
