// The tree of commands and options as CLI11 keeps it, for what is made from it: completions and man pages.
#pragma once
#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace ptcvm::cli {

// Commands right below, in the order of the help. Groups of options are commands without a name to CLI11, but not here;
// commands without a group are those that the help does not show.
std::vector<const CLI::App*> parts_of(const CLI::App& command);

// Return the options of the command itself and of its groups.
std::vector<const CLI::Option*> options_of(const CLI::App& command);
std::vector<const CLI::Option*> positionals_of(const CLI::App& command);

// Returns "--name" and "-n", the long names first.
std::vector<std::string> names_of(const CLI::Option& option);

}  // namespace ptcvm::cli
