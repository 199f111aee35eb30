// Program text laid out by rule: indentation and blanks are made new, comments and the author's line breaks are kept.
// The tokens stay what they are, so the formatted text reads as the same forms.
#pragma once
#include <string>
#include <string_view>

namespace ptcvm::cli {

// Formats text that the reader accepts. Formatting a second time changes nothing.
std::string format_source(std::string_view source);

}  // namespace ptcvm::cli
