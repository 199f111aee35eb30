// The fibers of a turn: the main one, below it the branches of pmap and pcalls, below a fiber that waits for a task its
// probe (probes.h).
//
// Invariants: a fiber owns its children and is their parent. The heap has accounted for every stack and every frame
// stack. What a fiber that ends has printed and called goes to its parent, except from a probe, of which nothing stays.
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "vm/exec/fiber.h"
#include "vm/exec/guest_stack.h"
#include "vm/exec/link.h"
#include "vm/exec/run_core.h"
#include "vm/exec/tool_requests.h"

namespace ptc {

// Returns whether a branch beside this fiber, or beside one above it, failed, with no open task in between.
bool is_cut_off(const Fiber& fiber);
Fiber* probe_around(Fiber& fiber);            // the probe that the fiber is part of; null when there is none

class FiberTree {
 public:
  FiberTree(RunCore& core, ToolRequests& requests) : core_(core), requests_(requests) {}

  bool in_turn() const { return main_ != nullptr; }
  Fiber* main() { return main_.get(); }       // null between turns
  const Fiber* main() const { return main_.get(); }
  void begin_turn(const Closure* entry);
  void end_turn();
  Fiber* waiting_for(std::uint64_t request_id);   // null: no fiber waits for the answer to it

  // Returns whether the limits have room for the first call of the turn. The turn fails at its first step if not.
  bool entry_has_room() const { return entry_has_room_; }

  std::unique_ptr<Fiber> make(Fiber* parent);   // without a stack; the caller adds a branch to its parent
  void destroy(Fiber& fiber);
  // Makes room for one more frame. Returns false when a fault is raised; else the stack may have moved.
  bool make_room(Fiber& fiber, std::uint32_t base, std::uint32_t registers);
  bool grow_stack(Fiber& fiber, std::uint64_t registers);

  // Open and close a task of a fiber, and count what its id takes.
  void open_task(Fiber& fiber, OpenTask task);
  void close_task(Fiber& fiber, std::size_t index);
  void unwind(Fiber& fiber);                  // releases every register, empties the frames, closes the tasks
  void discard_branches(Fiber& fiber);        // keeps their prints and records
  void discard_probe(Fiber& waiting);         // nothing that it did remains
  void give_up_call(Fiber& fiber);            // the call is not made, or nobody hears its answer
  // `inner` is the stack of what failed inside of the branch, when it was a form with branches of its own.
  void fail_branch(Fiber& fiber, RunFault fault);
  // Fails a fiber that waited. The failure of the main one, or of a budget, ends the turn at the next step.
  void fail_waiting(Fiber& fiber, RunFault fault);
  bool has_failed() const { return has_failed_; }
  bool take_failure() { return std::exchange(has_failed_, false); }
  // Return the first fiber whose call of a tool has failed and that has not gone on, or that could go on; null: none.
  const Fiber* find_failed_call() const;
  const Fiber* find_ready() const;

  // Returns whether a task is over that a fiber may wait for; spares looking.
  bool has_closed_task() const { return has_closed_task_; }
  void set_closed_task(bool closed) { has_closed_task_ = closed; }

  std::uint32_t first_unused_id() const { return next_fiber_id_; }
  // See MachineState::add_fiber().
  Fiber* restore(Fiber* parent, std::uint32_t frame_capacity, std::uint32_t registers);
  void restore_counters(std::uint32_t first_unused_id, bool has_failed);

 private:
  Heap& heap() const { return core_.heap(); }
  Environment& env() const { return core_.env(); }
  bool take_stack(Fiber& fiber, std::uint64_t size);   // asks no limit; false: the machine has no memory

  RunCore& core_;
  ToolRequests& requests_;
  std::unique_ptr<Fiber> main_;
  std::uint32_t next_fiber_id_ = 1;
  bool entry_has_room_ = true;
  bool has_failed_ = false;
  bool has_closed_task_ = false;
};

}  // namespace ptc
