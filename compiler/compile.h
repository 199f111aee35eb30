// The whole compiler: text -> program (schema/program.fbs in its object form).
#pragma once
#include <memory>
#include <string>
#include <string_view>

#include "compiler/analyze/analyzer.h"
#include "compiler/read/diagnostic.h"
#include "program_generated.h"

namespace ptc {

struct CompileResult {
  std::unique_ptr<schema::ProgramT> program;   // null when failed
  CompileError error;
  bool incomplete = false;                     // the text ended inside of a form
};

// Returns what to say of compiling that was stopped.
CompileError error_of(const struct CompileStopped& stopped, const CompileOptions& options);

CompileResult compile(std::string_view source, const CompileOptions& options);

}  // namespace ptc
