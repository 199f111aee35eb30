// Man pages made from the tree of commands and options, so that they say what --help says.
#pragma once
#include <CLI/CLI.hpp>
#include <string>

namespace ptcvm::cli {

// Returns "ptcvm", or "ptcvm-run" for a command.
std::string man_page_name(const CLI::App& app, const CLI::App& command);

// Writes a page in the man macros of troff. `command` is the whole program (&app) or one of its commands; the commands
// below that command are sections of its page.
std::string man_page(const CLI::App& app, const CLI::App& command);

}  // namespace ptcvm::cli
