// A program file: source text, or what `ptcvm compile` wrote.
#pragma once
#include <optional>
#include <string>

#include "ptcvm/engine.hpp"
#include "ptcvm/tools.hpp"

namespace ptcvm::cli {

struct LoadedProgram {
  std::string source;
  std::optional<Program> program;                // nullopt: source text
};

// Returns the bytes of a program file, or nullopt and why there are none. Reads no more of a text that is too long than
// it takes to refuse it.
std::optional<std::string> read_program(const std::string& path, std::string& message);
// Returns nullopt when the file cannot be read or its bytecode is refused; `message` then says why.
std::optional<LoadedProgram> load_program(const Engine& engine, const std::string& path, std::string& message);

// Puts the program of a snapshot that only names it where restoring finds it. Source text gives the same program only
// under the path that it was run by, because positions name the file. Does nothing without a path.
bool shelve_program(const Engine& engine, const std::string& path, const Tools& tools, std::string& message);
// Returns why a snapshot was refused, where its text is no JSON, and what to do when --program (here `program`) could
// help. `bytes` are the ones that were refused.
std::string restore_complaint(const std::string& path, const Error& error, const std::string& program,
                              std::string_view bytes);

}  // namespace ptcvm::cli
