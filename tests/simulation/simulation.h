// One seed: some nodes execute some runs while everything fails that can fail; then nothing fails any more, and every
// run must end well.
#pragma once
#include <cstdint>
#include <string>

#include "ptcvm/engine.hpp"
#include "tests/simulation/mutant.h"

namespace ptcvm::simulation {

enum class Telling : std::uint8_t { Nothing, WhatMatters, Everything };

struct SeedResult {
  std::string failure;                   // "" when everything held
  std::string story;                     // as much of it as was wanted
  std::uint64_t commits = 0, calls = 0;  // calls: of tools
  std::uint64_t failovers = 0;
  std::int64_t simulated_ms = 0;
};

SeedResult simulate(const Engine& engine, std::uint64_t seed, Mutant mutant, Telling telling);

}  // namespace ptcvm::simulation
