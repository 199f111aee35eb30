// What tools write to their standard error, as the user of the command line sees it.
#pragma once
#include <string>
#include <string_view>

#include "tools/ptcvm/process/terminal.h"

namespace ptcvm::cli {

// Returns each line with the name of the tool before it: "price: cache is cold". The lines are harmless_text().
std::string tool_error_lines(std::string_view tool, std::string_view text);
// Writes these lines to standard error.
void show_tool_errors(std::string_view tool, std::string_view text);

}  // namespace ptcvm::cli
