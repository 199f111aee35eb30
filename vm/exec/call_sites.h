// Names of calls and of the operations that they open. Both depend on the program and its inputs alone, never on the
// order in which answers arrive: every fiber counts for itself, and so does the body of every task.
//
// A call path is the position of a call among the calls, sleeps, signals and parallel forms of its body: "2"; inside of
// a branch, the position of the form, the branch and the position there: "2.0.1". It begins at the innermost open task,
// so it is the same when the program runs again and other tasks are hits. The id of an operation is "op1", "op2" …, in
// branches "op3.0.1": no two fibers share a counter.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

#include "vm/exec/fiber.h"
#include "vm/exec/run_core.h"

namespace ptc {

std::uint32_t next_position(Fiber& fiber);
std::string call_path(Fiber& fiber, std::string& task_id);   // writes the id of the innermost open task, or ""
// Returns the idempotency key of a call.
std::string call_key(std::string_view run_id, std::uint64_t turn, std::string_view task_id, std::string_view path);
// Returns the key as the record of the call keeps it: "" unless another branch could evaluate the same task.
std::string kept_key(const Fiber& fiber, const std::string& key);
std::string call_text(Heap& heap, std::string_view tool, Value args);   // for messages

class CallSites {
 public:
  explicit CallSites(RunCore& core) : core_(core) {}

  // The run and its turn are part of every key outside of tasks.
  const std::string& run_id() const { return run_id_; }
  std::uint64_t turn() const { return turn_; }
  void set_identity(std::string run_id, std::uint64_t turn);
  void begin_turn();
  // Returns how many operations were known when the turn began: those that its calls may attach to.
  std::uint32_t operations_before() const { return operations_before_; }
  void restore_operations_before(std::uint32_t count) { operations_before_ = count; }

  std::string key(std::string_view task_id, std::string_view path) const;
  std::string fresh_operation_id(Fiber& fiber);
  // Finds an operation that an earlier turn opened at this place of an open task; writes null when there is none.
  // Fails with task_diverged when that place did something else.
  bool find_attachable(std::string_view task_id, std::string_view path, std::string_view tool, Value args,
                       const Operation** found);

 private:
  std::string branch_prefix(Fiber& branch);

  Operations& operations() const { return core_.env().operations; }

  RunCore& core_;
  std::string run_id_;
  std::uint64_t turn_ = 0;
  std::uint32_t operations_before_ = 0;
};

}  // namespace ptc
