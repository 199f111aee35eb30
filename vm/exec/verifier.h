// The bytecode verifier: decides whether a program from anywhere may run. It accepts exactly the code that cannot
// break the machine: operands in range, jumps onto instructions, every backward jump a safe point, ownership proven
// (frame_states.h). It works on the unscaled instructions and switches over operand kinds, not opcodes.
#pragma once
#include <optional>

#include "vm/exec/program.h"

namespace ptc {

std::optional<ProgramError> verify(const Program& program);

}  // namespace ptc
