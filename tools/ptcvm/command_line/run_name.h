// The run (the task, the conversation) that a command is about: the argument ID, or --id ID.
#pragma once
#include <CLI/CLI.hpp>
#include <cstddef>
#include <string>
#include <vector>

namespace ptcvm::cli {

// Returns the argument that names the run, when --id names it, too; else nullptr.
const CLI::Option* run_argument(const CLI::App& command);
// Returns what a run is to the command: "run", "task" or "conversation".
std::string named_thing(const CLI::App& command);

// The arguments of the process as the parser wants them.
struct RunName {
  std::vector<std::string> words;
  bool is_given = false;          // whether they name a run
  std::string problem;            // why they are refused, or ""
};

// Makes one spelling of the two: where the parser requires the argument, --id becomes the argument. A run that is named
// twice is refused, unless both names are the same. The words of the command end before `begin`.
RunName with_run_name(const CLI::App& command, std::vector<std::string> words, std::size_t begin);

}  // namespace ptcvm::cli
