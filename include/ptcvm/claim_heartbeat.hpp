// Keeps claims alive: a run whose tool takes longer than the lease of its claim keeps the claim, on every store.
//
//   ptcvm::Store store = ptcvm::with_heartbeat(ptcvm::open_postgres(url).value());
//   ptcvm::run_stored(engine, store, tools, source, {.id = "order-17", .lease_ms = 15'000});
//
// Leases can then be short, so that another machine takes over soon after a process or its machine has died.
#pragma once
#include "ptcvm/store.hpp"

namespace ptcvm {

// Returns a handle to the same store. A thread of the handle prolongs each claim that is made through the handle when
// a third of the lease has passed, until the claim is given back or another process has taken the run over. The thread
// ends with the last copy of the handle. Do not use the handle across fork().
PTCVM_API Store with_heartbeat(const Store& store);

}  // namespace ptcvm
