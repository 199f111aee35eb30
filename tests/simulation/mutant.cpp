#include "tests/simulation/mutant.h"

#include "mutated_fence/memory_store.h"
#include "mutated_wake/memory_store.h"
#include "runtime/log/memory_store.h"

namespace ptcvm::simulation {

std::unique_ptr<ptc::FactStore> store_with(Mutant mutant) {
  switch (mutant) {
    case Mutant::FenceWithoutALock: return std::make_unique<ptc::mutated_fence::MemoryStore>();
    case Mutant::WakeAfterTheCommit: return std::make_unique<ptc::mutated_wake::MemoryStore>();
    case Mutant::None:
    case Mutant::NoNonce:
    case Mutant::LeaseByTheClockOfTheNode: break;
  }
  return std::make_unique<ptc::MemoryStore>();
}

}  // namespace ptcvm::simulation
