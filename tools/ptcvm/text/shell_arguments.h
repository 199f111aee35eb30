// Splits a command line into arguments as a POSIX shell does, without any expansion. Blanks separate arguments, '…' is
// literal, "…" knows \" \\ \$ \` and \newline, and a backslash outside of quotes makes the next character ordinary.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ptcvm::cli {

// Returns the arguments, or nullopt when a quote is open at the end or the text ends in a backslash.
std::optional<std::vector<std::string>> split_shell_arguments(std::string_view text);
// Returns the argument as a shell reads it back: unchanged when that is safe, else in quotes.
std::string shell_quoted(std::string_view argument);
// Returns the name of a run as words of a printed command: as its argument, or behind --id when the name begins with -
// and would be an option there.
std::string run_name_words(std::string_view run);

}  // namespace ptcvm::cli
