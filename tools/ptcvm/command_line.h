// The whole command line: every command, and what the table of options says of them.
#pragma once
#include <CLI/CLI.hpp>

namespace ptcvm::cli {

// Fills an empty application. The command that is called sets `status`, which must outlive the parsing.
void build_command_line(CLI::App& app, int& status);

// Does what the arguments of the process say, the name of the program first, and returns the exit status.
int answer_command_line(int argc, char** argv);

}  // namespace ptcvm::cli
