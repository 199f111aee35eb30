// The whole command line: every command, and what the table of options says of them.
#pragma once
#include <CLI/CLI.hpp>
#include <span>
#include <string_view>

namespace ptcvm::cli {

// Fills an empty application with all commands, or with the command `only`: a third of the time of a short command was
// spent on options of others. The command that is called sets `status`, which must outlive the parsing.
void build_command_line(CLI::App& app, int& status, std::string_view only = "");

// Returns the command that the arguments of the process name, or "" when all commands are needed: for help, for an
// unknown word, and for the commands that tell of all.
std::string_view only_command_of(std::span<char* const> arguments);

// Does what the arguments of the process say, the name of the program first, and returns the exit status.
int answer_command_line(int argc, char** argv);

}  // namespace ptcvm::cli
