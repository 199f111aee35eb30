// A builtin can reach its arguments and this environment: the heap, the limits of data, and the records of the run
// outside of the values of the program (prints, journal, step summaries). The environment survives every way in which
// the program can end.
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "schema/fault_kind.h"
#include "schema/limits.h"
#include "vm/builtins/operations.h"
#include "vm/builtins/task_journal.h"
#include "vm/value/heap.h"

namespace ptc {

// A guest fault, described once, where it is known. The interpreter adds the position.
struct FaultReport {
  FaultKind kind{};
  std::string message;
  std::string hint;
  std::string found = {};                // the value that did not fit, as text (vm/value/shown_value.h), or ""
};

class Automata;
class SharedAutomata;

struct StepSummary {
  std::string id, summary;
};

struct Environment {
  explicit Environment(Heap& h) : heap(h), journal(h), operations(h) {}
  Heap& heap;
  Limits limits;
  FaultReport fault;                     // valid after a builtin returned Absent
  std::uint64_t fuel_debt = 0;           // extra fuel of bulk work, which the interpreter collects after the builtin
  std::vector<std::string> prints;
  std::uint64_t print_bytes = 0;
  bool has_journal = false;
  Journal journal;
  Operations operations;                 // never rolled back, like the journal
  std::vector<StepSummary> summaries;    // the step-done records of this turn; the last write of an id wins
  std::vector<std::string> warnings;
  // Says whether (task-reset id) must give a reason; empty means never.
  std::function<bool(std::string_view task_id)> reset_needs_reason;
  std::shared_ptr<Automata> automata;    // compiled regular expressions; null until the first one
  std::shared_ptr<SharedAutomata> shared_automata;   // shared by the runs of an engine; null: the run shares none
  Value budget = Value::nil();           // the map of (budget/remaining), owned; nil means {}
  bool in_parallel_branch = false;       // true inside of pmap or pcalls
  // The time of the host, in milliseconds since 1970; null until the host was asked. A builtin that needs the time then
  // fails with Cancelled and needs_clock, and the interpreter asks the host and makes the same call again.
  const std::int64_t* clock_millis = nullptr;
  bool needs_clock = false;
};

}  // namespace ptc
