// Bytecode as text for people: one line an instruction, with constants, names and source positions spelled out.
#pragma once
#include <string>

#include "vm/exec/program.h"

namespace ptc {

std::string disassemble(const Program& program);

}  // namespace ptc
