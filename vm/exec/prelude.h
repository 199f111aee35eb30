// The builtins that are written in PTC-Lisp, as one program that was compiled when the engine was built.
#pragma once
#include <memory>

#include "vm/exec/program.h"

namespace ptc {

// Loaded and verified on first use; immutable and shared by all runs and threads.
const std::shared_ptr<const Program>& prelude_program();

}  // namespace ptc
