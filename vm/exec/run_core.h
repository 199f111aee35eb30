// What all parts of a run share: heap, limits, the records of builtins, the fuel of the slice, the fault that was
// raised last, and the values that the host gave or gets.
//
// Invariants: the fault belongs to the last call which returned false, Absent or Faulted. Every value in here is owned.
#pragma once
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "vm/builtins/environment.h"
#include "vm/exec/run.h"
#include "vm/value/account.h"
#include "vm/value/heap.h"

namespace ptc {

class RunCore {
 public:
  RunCore(const RunLimits& limits, std::shared_ptr<MemorySource> memory);
  RunCore(const RunCore&) = delete;
  RunCore& operator=(const RunCore&) = delete;

  Heap& heap() { return heap_; }
  const Heap& heap() const { return heap_; }
  Environment& env() { return env_; }
  const Environment& env() const { return env_; }
  const RunLimits& limits() const { return limits_; }

  // Returns the time that the program sees, in milliseconds since 1970.
  std::int64_t now() const { return clock_millis_; }
  void set_clock(std::int64_t epoch_millis) { clock_millis_ = epoch_millis; }

  // Returns the fuel of the slice. Bulk work of one builtin may bring it below zero.
  std::int64_t fuel_left() const { return fuel_left_; }
  void set_fuel_left(std::int64_t units) { fuel_left_ = units; }
  void charge(std::int64_t units) { fuel_left_ -= units; }
  void charge_work() { charge(static_cast<std::int64_t>(heap_.take_work())); }   // what walks looked at
  void charge_debt() {                                                           // what a builtin left in env()
    charge(static_cast<std::int64_t>(env_.fuel_debt));
    env_.fuel_debt = 0;
  }

  // Each keeps the fault and returns false.
  bool raise(FaultKind kind, std::string message, std::string hint = {});
  // Raises a fault about a borrowed value, which RunFault::found shows.
  bool raise_about(Value got, FaultKind kind, std::string message, std::string hint = {});
  bool raise_parked();                  // what a builtin left in env().fault
  bool raise_memory();
  bool raise_depth();
  const RunFault& fault() const { return fault_; }
  void set_fault(RunFault fault) { fault_ = std::move(fault); }
  void place_fault(SourceSpan span, std::shared_ptr<const Program> program, GuestStack stack);
  void set_fault_stack(GuestStack stack) { fault_.stack = std::move(stack); }
  void set_fault_found(std::string text) { fault_.found = std::move(text); }
  // Does native work on much data outside of plain builtins. Returns false when the host stopped it or there was no
  // memory for it, which is raised.
  template <class Work>
  bool patiently(Work work) {
    switch (account::within(work)) {
      case account::Ending::Done: return true;
      case account::Ending::Stopped: return raise(FaultKind::Cancelled, "the host stopped the run");
      case account::Ending::NoMemory: break;
    }
    return raise_memory();
  }

  // Calls a plain builtin, which takes the arguments. Returns Absent when a fault is raised. Its fuel stays in
  // env().fuel_debt, which the interpreter loop collects; call_plain() charges it at once.
  Value call_taking(BuiltinId id, std::span<Value> taken_args);
  Value call_plain(BuiltinId id, std::span<Value> taken_args);
  // Returns the elements of a collection as a vector; complains in the name of that function and argument (from 1).
  Value sequence_of(std::string_view function, std::uint32_t argument, Value taken);
  // Does (:key b): writes the field of a map, or of the immediate answer of a pending handle, or nil, to dst.
  bool get_keyword(Value* dst, Value* b, Value key, bool take);

  Value context() const { return context_; }
  void set_context(Value taken_map);
  const std::vector<Value>& history() const { return history_; }   // newest first
  void set_history(std::vector<Value> taken_newest_first);
  void set_budget(Value taken_map);
  Value result() const { return result_; }
  void set_result(Value taken);
  void clear_records();                 // of builtins: prints, summaries and warnings belong to one turn
  void release_values();                // before the run ends

 private:
  const RunLimits limits_;
  Heap heap_;
  Environment env_;
  std::int64_t fuel_left_ = 0;
  std::int64_t clock_millis_ = 0;
  Value context_ = Value::nil();
  std::vector<Value> history_;
  Value result_ = Value::nil();
  RunFault fault_;
};

}  // namespace ptc
