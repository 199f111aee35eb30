// Program text laid out by rule: indentation and blanks are made new, comments and the author's line breaks are kept.
// A line of more than 100 columns is broken between its elements where that helps. The tokens stay what they are, so
// the formatted text reads as the same forms.
#pragma once
#include <cstddef>
#include <string>
#include <string_view>

namespace ptcvm::cli {

// Formats text that the reader accepts. Formatting a second time changes nothing.
std::string format_source(std::string_view source);

// Returns the column, from 0, at which a line behind this text would begin; 0 inside of a string.
std::size_t next_line_column(std::string_view source);

}  // namespace ptcvm::cli
