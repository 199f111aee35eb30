// The runtime calls the compiler through this header only. Either engine_compile.cpp with function_text.cpp implements
// it, or engine_without_compiler.cpp, which refuses every source: the lean library has no compiler and loads verified
// programs only.
//
// Invariant: no other file of the runtime calls the compiler. A test compares the symbols of the two implementations.
#pragma once
#include "compiler/read/finding.h"
#include "compiler/read/source_definition.h"
#include "runtime/engine/engine.h"

namespace ptc {

bool has_compiler();

// Compiles the source. Does not look into the cache of an engine.
CompileAnswer compile_program(const CompileRequest& request);
// Returns what is wrong with the source; makes no program.
ProgramFindings check_source(const CompileRequest& request);
// Returns source_definitions() of the text.
std::vector<SourceDefinition> definitions_in_source(std::string_view source);

}  // namespace ptc
