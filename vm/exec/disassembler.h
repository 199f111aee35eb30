// Prints bytecode for people: one line for each instruction, with constants, names and source positions.
#pragma once
#include <string>

#include "vm/exec/program.h"

namespace ptc {

std::string disassemble(const Program& program);

}  // namespace ptc
