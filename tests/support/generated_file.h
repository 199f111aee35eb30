// A generated program as a program file, so that it can be run in all the ways that those can.
#pragma once
#include "support/program_file.h"
#include "tools/generator/generator.h"

namespace ptc::test {

ProgramFile file_of(const generator::GeneratedProgram& program, std::uint64_t seed);

}  // namespace ptc::test
