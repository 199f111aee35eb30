// What is said about a command line that is refused.
#pragma once
#include <CLI/CLI.hpp>
#include <string>

namespace ptcvm::cli {

// Says what is wrong, as CLI11 does, and what to do: about two options that do not fit, and about commands and options
// that are not there, with the nearest name.
std::string usage_message(const CLI::App* app, const CLI::Error& error);

}  // namespace ptcvm::cli
