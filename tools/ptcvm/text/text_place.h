// The place of a byte in a text, as messages say it.
#pragma once
#include <cstddef>
#include <string>
#include <string_view>

namespace ptcvm::cli {

// Returns "3:14": the line and the column of a byte, from 1. Columns count code points. An offset behind the end of the
// text is the place of its end.
std::string text_place(std::string_view text, std::size_t offset);
// Returns the column alone.
std::size_t text_column(std::string_view text, std::size_t offset);

}  // namespace ptcvm::cli
