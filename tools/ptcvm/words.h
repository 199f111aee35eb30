// A command line split into words as a POSIX shell would, without any expansion: blanks separate, '…' is literal, "…"
// knows \" \\ \$ \` and \newline, a backslash outside of quotes makes the next character ordinary.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ptcvm::cli {

// Nothing when a quote is not closed or the text ends in a backslash.
std::optional<std::vector<std::string>> split_words(std::string_view text);
// The word as a shell takes it back: as it is when that is safe, else in quotes.
std::string quoted_word(std::string_view word);

}  // namespace ptcvm::cli
