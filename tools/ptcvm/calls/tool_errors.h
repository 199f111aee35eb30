// What tools write to their standard error, as the user of the command line sees it.
#pragma once
#include <string>
#include <string_view>

namespace ptcvm::cli {

// Returns text of a stranger as a terminal may show it: "?" in the place of each control character but tab and line
// end, and of each character that changes the direction of writing.
std::string harmless_text(std::string_view text);

// Returns each line with the name of the tool before it: "price: cache is cold". The lines are harmless_text().
std::string tool_error_lines(std::string_view tool, std::string_view text);
// Writes these lines to standard error.
void show_tool_errors(std::string_view tool, std::string_view text);

}  // namespace ptcvm::cli
