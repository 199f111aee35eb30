// Calls of anything: closures push a frame, plain builtins run at once, data looks itself up, tools park the fiber.
//
// A window is [callee][arguments…] at an absolute register. When a call is Done the window's first register holds the
// result and the arguments are gone; when it is Faulted every register of the window still holds a value (or nil).
// The calling frame's pc is at the call instruction; it moves on when a callee was pushed or the fiber parked.
#pragma once
#include <cstdint>
#include <span>

#include "vm/exec/fiber_tree.h"
#include "vm/exec/links.h"
#include "vm/exec/run_core.h"
#include "vm/exec/tool_calls.h"

namespace ptc {

class Calls {
 public:
  Calls(RunCore& core, FiberTree& fibers, Links& links, ToolCalls& tool_calls)
      : core_(core), fibers_(fibers), links_(links), tool_calls_(tool_calls) {}

  // Calls the value in stack[window] with `count` arguments above it.
  CallResult call_value(Fiber& fiber, std::uint32_t window, std::uint32_t count);
  CallResult call_builtin(Fiber& fiber, BuiltinId id, std::uint32_t window, std::uint32_t count, bool owns_callee);
  // Calls stack-free from a stepper: callee and arguments (all borrowed) go into the window above the slots.
  CallResult call_from_stepper(Fiber& fiber, Value callee, std::span<const Value> args);

 private:
  CallResult call_closure(Fiber& fiber, const Closure* closure, std::uint32_t window, std::uint32_t count,
                          bool owns_callee);
  CallResult call_tool_value(Fiber& fiber, std::uint32_t window, std::uint32_t count);
  CallResult apply(Fiber& fiber, std::uint32_t window, std::uint32_t count);
  bool make_room_for_callee(Fiber& fiber, std::uint32_t base, std::uint32_t registers);

  Heap& heap() const { return core_.heap(); }
  Environment& env() const { return core_.env(); }

  RunCore& core_;
  FiberTree& fibers_;
  Links& links_;
  ToolCalls& tool_calls_;
};

}  // namespace ptc
