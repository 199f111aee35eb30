// Fused instructions: what a loaded program executes instead of two or three that follow each other (fused.def).
//
// Invariant: only the opcode of the first one is replaced. The others stay in place with their own opcodes, so every
// program counter means what it meant, a jump may lead between them, and a handler that leaves the fast path does the
// first one's work and goes on with the second as if nothing were fused. Faults, safe points, snapshots and what the
// registers hold are those of the single instructions.
#pragma once
#include <cstdint>
#include <vector>

#include "schema/opcode.h"

namespace ptc {

enum class Fused : std::uint8_t {
#define FUSED(name, condition, ...) name,
#include "vm/exec/fused.def"
#undef FUSED
};

constexpr Op fused_op(Fused fused) { return static_cast<Op>(kOpCount + static_cast<std::size_t>(fused)); }

// Of verified code whose registers are scaled.
void fuse(std::vector<Instruction>& code);

// The opcode that was compiled.
Op compiled_op(Op loaded);

}  // namespace ptc
