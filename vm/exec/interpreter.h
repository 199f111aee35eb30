// The interpreter: runs a fiber until it has a reason to stop.
//
// It owns the core of the run, because every instruction looks into that: through a reference, a call would cost 5 %
// more instructions (docs/decisions/0018-the-machine-as-objects.md).
//
// Invariant: outside of interpret(), everything about a fiber lies in the fiber, and the fuel that is left in RunCore.
// Inside, the loop keeps pc, base, top frame and fuel in locals and writes them back before it calls anything that
// looks at them (TELL and SAVE in handler_macros.inc).
#pragma once
#include <cstdint>
#include <memory>
#include <string_view>
#include <utility>

#include "schema/opcode.h"
#include "vm/exec/await.h"
#include "vm/exec/branches.h"
#include "vm/exec/calls.h"
#include "vm/exec/links.h"
#include "vm/exec/namespace.h"
#include "vm/exec/probes.h"
#include "vm/exec/run_core.h"
#include "vm/exec/stepper_sort.h"
#include "vm/exec/tasks.h"
#include "vm/exec/tool_calls.h"

namespace ptc {

enum class ExitReason : std::uint8_t {
  Finished,     // the fiber's bottom frame returned
  Returned,     // (return v), or a task that ended the turn before
  Failed,       // (fail v)
  Faulted,
  Parked,       // the fiber's state says what it waits for
  OutOfSlice,   // fuel of this slice is used up
  Committed,    // a task is over, and the host wants to know at once, or the fiber is not to go on
};

class Interpreter {
 public:
  struct Parts {
    Namespace& names;
    Links& links;
    Tasks& tasks;
    Probes& probes;
    Calls& calls;
    ToolCalls& tool_calls;
    Branches& branches;
    Waits& waits;
    Sorting& sorting;
  };
  // The parts may be made after the interpreter; it uses them in interpret() alone.
  Interpreter(const RunLimits& limits, std::shared_ptr<MemorySource> memory, const Parts& parts)
      : core_(limits, std::move(memory)), parts_(parts) {}

  RunCore& core() { return core_; }
  ExitReason interpret(Fiber& fiber);

 private:
  CallResult step_stepper(Fiber& fiber);
  bool holds_no_handle(Value v, std::string_view what);   // what return and fail give back
  void end_turn_with(Fiber& fiber, Value taken, ExitReason reason);

  // slow_paths.cpp. Registers are given by address; operands flagged as taken are consumed on success. They
  // return false when a fault is raised.
  bool slow_arithmetic(Op op, Value* dst, Value* b, Value* c, std::uint8_t flags);
  static constexpr std::uint8_t kConstantFirst = 0x80;   // beside the instruction's flags
  bool slow_constant_arithmetic(Op op, Value* dst, Value* b, Value constant, std::uint8_t flags);
  bool slow_add_immediate(Op op, Value* dst, Value* b, std::int64_t number, std::uint8_t flags);
  // Returns 1 or 0 for the comparison, or -1 for a fault.
  int slow_compare(Op op, Value* a, Value* b, std::uint8_t flags, std::uint8_t take_a, std::uint8_t take_b);
  Value* path_place(BuiltinId function, Value* window);
  bool path_open(BuiltinId function, Value* window);
  bool path_close(BuiltinId function, Value* window);
  // Does path_open(), a sum of ints and path_close() in one. Returns false when it did nothing and the three must.
  bool add_at_path(BuiltinId function, Value* window, std::int64_t number);
  bool assoc_in(Value* coll, Value* path, Value* value, std::uint8_t flags);
  bool plain_in_place(BuiltinId id, Value* coll, Value* b, Value* c, std::uint8_t flags);
  bool plain_two(BuiltinId id, Value* dst, Value* b, Value* c, std::uint8_t flags);
  bool plain_one(BuiltinId id, Value* dst, Value* b, bool take);
  bool iterator_start(Value* iterator, Value function_name, std::uint32_t argument);
  bool take_reduced(Value* closure);                    // is it a (reduced x)? Then x takes its place
  void make_map(Value* window, std::uint32_t pairs);
  void make_set(Value* window, std::uint32_t count);

  RunCore core_;
  const Parts parts_;
  Fiber* running_ = nullptr;
};

}  // namespace ptc
