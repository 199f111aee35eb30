// A loaded program executes one fused instruction instead of two or three that follow each other (fused.def).
//
// Invariant: fusing replaces only the opcode of the first instruction. The others stay in place with their own opcodes,
// so every program counter keeps its meaning, and a jump may lead between them. A handler that leaves the fast path
// does the work of the first instruction and goes on with the second as if nothing were fused. Faults, safe points,
// snapshots and registers are the same as without fusing.
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

// Fuses verified code whose registers are scaled.
void fuse(std::vector<Instruction>& code);

// Returns the opcode that was compiled.
Op compiled_op(Op loaded);

}  // namespace ptc
