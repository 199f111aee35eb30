// How a host sets up a session, and how it takes over a session from a snapshot.
#pragma once
#include <cstdint>
#include <optional>
#include <string>

#include "vm/exec/run.h"
#include "vm/snapshot/snapshot.h"

namespace ptc {

struct SessionOptions {
  RunLimits limits;
  std::optional<int> float_precision;
  std::string signature;                              // the signature of the result, or ""
  std::string source_name;
  bool strict_task_ids = false;
  bool keeps_session = false;                         // durable runs: definitions of a turn are there in the next one
  // Durable runs: (task-reset id) of a task whose calls had effects fails without a reason. A run keeps the rule.
  bool resets_need_reasons = false;
  bool check_tools = true;                            // true refuses unknown tools before the program runs
  std::optional<std::int64_t> fixed_clock_millis;     // the time for the program; nullopt: the system clock
  std::uint64_t slice_fuel = 50'000;                  // the fuel between two checks of clock and cancel flag
  std::string run_id = "run";                         // part of every idempotency key outside of tasks
  std::uint64_t turns_before = 0;                     // turns of this run in other sessions; keys count turns
  std::uint64_t operations_before = 0;                // operations of this run in other sessions; "opN" begins after it
  bool yields_at_commits = false;                     // the reader hears of a commit before the next instruction
  bool is_out_of_time = false;                        // the turn ends with timeout before its first instruction
  bool pauses_at_calls = false;                       // steps also end before and after calls of tools are served
};

// Says how a host takes over a suspended turn.
struct SessionRestore {
  RunLimits most = RestoreOptions::unlimited();   // the turn gets the smaller of these limits and its own
  std::size_t most_bytes = RestoreOptions().most_bytes;   // the largest snapshot
  std::optional<std::int64_t> fixed_clock_millis;
  std::uint64_t slice_fuel = 50'000;
  bool yields_at_commits = false;
  bool pauses_at_calls = false;
  std::function<void(std::span<const std::uint8_t>)> has_read;   // as in RestoreOptions
};

}  // namespace ptc
