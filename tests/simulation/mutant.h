// Mistakes that the simulation must find. None of them is in the library: two are switches of the simulated database,
// and two are copies of the store in memory with a changed line (mutated_store.py).
#pragma once
#include <cstdint>
#include <memory>

#include "runtime/log/fact_store.h"

namespace ptcvm::simulation {

enum class Mutant : std::uint8_t {
  None,
  NoNonce,                    // a claim is known by its token alone
  FenceWithoutALock,          // the claim is checked before the write, and not with it
  WakeAfterTheCommit,         // a fact wakes the run in the next transaction
  LeaseByTheClockOfTheNode,   // leases go by the clocks of the nodes
};

// Returns the store in memory, as the library has it or with the mistake.
std::unique_ptr<ptc::FactStore> store_with(Mutant mutant);

}  // namespace ptcvm::simulation
