// The one door from the runtime to the compiler. Behind it stands either engine_compile.cpp with function_text.cpp, or
// engine_without_compiler.cpp, which refuses: the lean library has no compiler and loads verified programs only.
//
// Invariant: no other file of the runtime calls the compiler. A test compares the symbols of the two.
#pragma once
#include "runtime/engine/engine.h"

namespace ptc {

bool has_compiler();

// Does not look into the cache of an engine.
CompileAnswer compile_program(const CompileRequest& request);

}  // namespace ptc
