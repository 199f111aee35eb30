// The prelude has the builtins that are written in PTC-Lisp, as programs that were compiled when the engine was built.
//
// A run keeps the prelude that it started with: its frames are inside of functions of that prelude, and functions of
// that prelude are values of the run. So an engine has its own prelude and the preludes of earlier engines
// (builtins/prelude/kept), and a run restored from an older snapshot goes on with the older prelude. Names that the
// older prelude lacks come from the engine's own.
//
// Preludes are immutable and shared by all runs and threads.
#pragma once
#include <memory>
#include <span>

#include "vm/exec/program.h"

namespace ptc {

// Returns the prelude of this engine, which is loaded and verified on first use.
const std::shared_ptr<const Program>& own_prelude();

// Returns the prelude of this engine or a kept one, by the SHA-256 of its bytes, or null when it is unknown.
std::shared_ptr<const Program> find_prelude(std::span<const std::uint8_t> sha256);

}  // namespace ptc
