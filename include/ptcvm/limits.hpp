// Budgets of one run. All of them hold across suspensions; a run that is restored gets the smaller of its own and the
// host's. Passing one ends the turn with the fault named here, at a position; what was recorded by then is kept.
#pragma once
#include <cstdint>

namespace ptcvm {

// With defaults that suit a program that a model wrote. 0 is a limit, but where "none" stands.
struct Limits {
  std::uint64_t fuel = 100'000'000;             // units of work, the same on every machine    fuel_exhausted
  std::uint64_t memory_bytes = 256u << 20;      // of the run's heap                            memory_exceeded
  std::uint32_t depth = 2'000;                  // nested calls                                 recursion_limit_exceeded
  std::uint32_t loop = 10'000;                  // jumps of one loop activation                 loop_limit_exceeded
  std::uint32_t tool_calls = 1'000;             //                                              tool_call_limit_exceeded
  std::uint32_t parallel_branches = 10'000;     // of one pmap or pcalls                      parallel_capacity_exceeded
  std::uint32_t pending_operations = 1'000;     // that wait at once                            pending_limit_exceeded
  std::uint32_t suspensions = 10'000;           // of one turn                                suspension_limit_exceeded
  std::uint64_t string_bytes = 16u << 20;       // of one string                                string_limit_exceeded
  std::uint32_t integer_bits = 65'536;          // of one integer                               integer_limit_exceeded
  std::uint64_t print_bytes = 256u << 10;       // of all prints together                       print_limit_exceeded
  std::uint64_t snapshot_bytes = 64u << 20;     // of a suspended run                           snapshot_too_large
  std::uint64_t result_bytes = 1u << 20;        // of one resolution, as EDN text; larger ones are refused
  std::int64_t timeout_ms = 0;                  // of a turn, waiting does not count; 0: none   timeout
  std::int64_t operation_ttl_ms = std::int64_t{7} * 24 * 3600 * 1000;   // of operations without a deadline; 0: for ever
  std::int64_t await_timeout_ms = 0;            // of awaits without one; 0: none               await_timeout
};

}  // namespace ptcvm
