// What every run queue must do (runtime/log/run_queue.h), as tests that run on any store with a clock of the caller.
// Works as conformance.h does: registers a test for each case; each gets a fresh, empty store.
#pragma once
#include <span>
#include <string>

#include "tests/store/conformance.h"

namespace ptc {

// Whether the store has a step for the end of a run and its job (FactStore::end_job()).
enum class EndsJobs { AtOnce, InTwoCalls };
bool queue_conformance(const std::string& suite, FreshStore fresh, EndsJobs ends = EndsJobs::AtOnce);
std::span<const StoreCase> queue_upkeep_cases();   // parts of them
std::span<const StoreCase> queue_cancel_cases();
std::span<const StoreCase> queue_end_cases(EndsJobs ends);
std::span<const StoreCase> queue_thread_cases();
std::span<const StoreCase> queue_wake_cases();
std::span<const StoreCase> queue_prune_cases();
std::span<const StoreCase> queue_unheld_cases();
std::span<const StoreCase> queue_part_cases();
// Makes random calls on both stores and compares every answer. The stores are empty.
void compare_queues(FactStore& one, FactStore& other, unsigned seed, int calls);

}   // namespace ptc
