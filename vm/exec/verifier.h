// The bytecode verifier decides whether a program from anywhere may run. It accepts exactly the code that cannot break
// the machine: operands are in range, jumps lead to instructions, every backward jump is a safe point, and ownership is
// proven (frame_states.h). It works on the unscaled instructions and switches over operand kinds, not opcodes.
#pragma once
#include <optional>

#include "vm/exec/program.h"

namespace ptc {

std::optional<ProgramError> verify(const Program& program);

}  // namespace ptc
