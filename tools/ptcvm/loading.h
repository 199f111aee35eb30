// A program file: source text, or what `ptcvm compile` wrote.
#pragma once
#include <memory>
#include <optional>
#include <string>

#include "vm/exec/program.h"

namespace ptcvm {

struct LoadedProgram {
  std::string source;
  std::shared_ptr<const ptc::Program> program;   // null: source text
};

// Nothing when the file cannot be read or its bytecode is refused; `message` then says why.
std::optional<LoadedProgram> load_program(const std::string& path, std::string& message);

}  // namespace ptcvm
