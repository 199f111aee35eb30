// What a builtin can reach besides its arguments: the heap, the limits that concern data, and the records of the run
// that live outside of the program's own values (prints, journal, step summaries). All of it survives every way in
// which the program can end.
#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "schema/fault_kind.h"
#include "schema/limits.h"
#include "vm/builtins/operations.h"
#include "vm/builtins/task_journal.h"
#include "vm/value/heap.h"

namespace ptc {

// A guest fault: what happened, said once, at the place where it is known. The position is added by the interpreter.
struct FaultReport {
  FaultKind kind{};
  std::string message;
  std::string hint;
};

struct StepSummary {
  std::string id, summary;
};

struct Environment {
  explicit Environment(Heap& h) : heap(h), journal(h), operations(h) {}
  Heap& heap;
  Limits limits;
  FaultReport fault;                     // valid after a builtin returned Absent
  std::uint64_t fuel_debt = 0;           // extra fuel of bulk work, collected by the interpreter after the builtin
  std::vector<std::string> prints;
  std::uint64_t print_bytes = 0;
  bool has_journal = false;
  Journal journal;
  Operations operations;                 // like the journal: never rolled back
  std::vector<StepSummary> summaries;    // this turn's step-done records, last write of an id wins
  std::vector<std::string> warnings;
  // Whether (task-reset id) has to say why, as the host wants it; empty: never.
  std::function<bool(std::string_view task_id)> reset_needs_reason;
  Value budget = Value::nil();           // what (budget/remaining) gives: a map, or nil for none (then {}); owned
  bool in_parallel_branch = false;       // inside of pmap or pcalls
  // Now, in milliseconds since 1970, as the host answered it; null: nobody asked yet. A builtin that needs it then
  // fails with Cancelled and needs_clock, and the interpreter asks the host and runs the same call again.
  const std::int64_t* clock_millis = nullptr;
  bool needs_clock = false;
};

}  // namespace ptc
