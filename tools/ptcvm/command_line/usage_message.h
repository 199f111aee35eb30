// What is said about a command line that is refused.
#pragma once
#include <CLI/CLI.hpp>
#include <string>
#include <string_view>

namespace ptcvm::cli {

inline constexpr std::string_view kWrongValue = "wrong_value", kOptionsExclude = "options_exclude";

// Says what is wrong, as CLI11 does, and what to do: about two options that do not fit, and about commands and options
// that are not there, with the nearest name. The last line names the error, for `ptcvm explain`.
std::string usage_message(const CLI::App* app, const CLI::Error& error);

// Returns the text about a command line that is refused: why, and where help is. `name` is the name of the error.
std::string refusal_text(const std::string& why, std::string_view name);

}  // namespace ptcvm::cli
