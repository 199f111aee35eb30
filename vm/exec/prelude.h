// The builtins that are written in PTC-Lisp, as programs that were compiled when an engine was built.
//
// A run keeps the prelude that it started with: its frames are inside of that one's functions, and functions of it are
// values of the run. So an engine has its own prelude and those of the engines before it (builtins/prelude/kept), and
// a run restored from an older snapshot goes on with the older one. Names that one lacks come from the engine's own.
//
// Preludes are immutable and shared by all runs and threads.
#pragma once
#include <memory>
#include <span>

#include "vm/exec/program.h"

namespace ptc {

// Loaded and verified on first use.
const std::shared_ptr<const Program>& own_prelude();

// The own one or a kept one, by the SHA-256 of its bytes; null: unknown.
std::shared_ptr<const Program> find_prelude(std::span<const std::uint8_t> sha256);

}  // namespace ptc
