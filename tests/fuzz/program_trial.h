// What the targets for compiled programs do with their bytes, whatever made them.
#pragma once
#include <cstdint>
#include <memory>
#include <span>

#include "vm/exec/program.h"

namespace ptc::fuzz {

// Loads the bytes; what is accepted can be written and read again, and is run.
void try_program(std::span<const std::uint8_t> bytes);

// Runs it under small limits; the seed decides how its host behaves.
void run_program(std::shared_ptr<const Program> program, std::uint64_t seed);

}  // namespace ptc::fuzz
