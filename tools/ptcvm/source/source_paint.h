// Source text in the colours of a terminal.
#pragma once
#include <cstddef>
#include <string>
#include <string_view>

namespace ptcvm::cli {

// Returns the line, which follows the text `before`, with escape sequences for colours. The bracket at the cursor and
// its partner are emphasised, and a bracket that closes nothing is red. `cursor` counts bytes of the line.
std::string painted_line(std::string_view before, std::string_view line, std::size_t cursor);

}   // namespace ptcvm::cli
