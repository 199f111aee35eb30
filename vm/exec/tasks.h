// (task id expr): the journal's hit, the open task, the commit. A commit is visible before the next instruction.
//
// Invariants: a task's body is evaluated by one fiber at a time, except that a fiber may open a task again inside of
// itself. Values of tasks lie in the journal alone (vm/builtins/task_journal.h); which tasks are open, in the fibers.
#pragma once
#include <cstdint>
#include <string_view>

#include "vm/exec/fiber_tree.h"
#include "vm/exec/run_core.h"

namespace ptc {

// What the beginning of a task gave: its value lies in window[0]; its value lies there, and the turn ends with it; its
// body must be evaluated, and window[1] holds the id; another fiber evaluates it; a fault is raised.
enum class TaskResult : std::uint8_t { Hit, Returned, Miss, Wait, Faulted };

bool raise_end_of_probe(RunCore& core);   // the probe has nothing more to find

class Tasks {
 public:
  Tasks(RunCore& core, FiberTree& fibers) : core_(core), fibers_(fibers) {}

  void set_yields_at_commits(bool wanted) { yields_at_commits_ = wanted; }
  bool yields_at_commits() const { return yields_at_commits_; }

  TaskResult start(Fiber& fiber, Value* window);
  bool end(Fiber& fiber, Value* window);
  bool stops_after_task(const Fiber& fiber) const;
  // Does (return v) inside of task bodies: commits v as the value of each of them.
  void commit_open(const Fiber& fiber, Value borrowed);
  // Returns the fiber that evaluates the task's body; null when no fiber does except those around the asking one.
  const Fiber* holder(const Fiber& asking, std::string_view id) const;

 private:
  void warn_of_no_journal(std::string_view id);
  const Fiber* find_holder(const Fiber& asking, std::string_view id, std::uint64_t& looked_at) const;   // at fibers

  Heap& heap() const { return core_.heap(); }
  Environment& env() const { return core_.env(); }
  Journal& journal() const { return core_.env().journal; }

  RunCore& core_;
  FiberTree& fibers_;
  bool yields_at_commits_ = false;
};

}  // namespace ptc
