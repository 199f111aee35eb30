// Names of calls and of the operations that they open. Both depend on the program and its inputs alone, never on the
// order in which answers arrive: every fiber counts for itself, and so does the body of every task.
//
// A call path is the position of a call among the calls, sleeps, signals and parallel forms of its body: "2"; inside of
// a branch, the position of the form, the branch and the position there: "2.0.1". It begins at the innermost open task,
// so it is the same when the program runs again and other tasks are hits. The id of an operation is "op1", "op2" …, in
// branches "op3.0.1": no two fibers share a counter.
#include "vm/exec/run_impl.h"
#include "vm/value/equality.h"
#include "vm/value/print.h"

namespace ptc {

std::string RunImpl::call_text(std::string_view tool, Value args) {
  constexpr std::size_t kShownBytes = 200;
  std::string text(tool);
  text += ' ';
  append_readable(text, args, heap, {kShownBytes, nullptr});
  return text;
}

std::uint32_t RunImpl::next_position(Fiber& fiber) {
  return fiber.open_tasks.empty() ? fiber.calls++ : fiber.open_tasks.back().calls++;
}

std::string RunImpl::call_path(Fiber& fiber, std::string& task_id) {
  std::string path = std::to_string(next_position(fiber));
  const Fiber* at = &fiber;
  for (; at->open_tasks.empty() && at->parent != nullptr; at = at->parent) {
    path.insert(0, std::to_string(at->parent->fork_call) + '.' + std::to_string(at->branch_index) + '.');
  }
  task_id = at->open_tasks.empty() ? std::string() : at->open_tasks.back().id;
  return path;
}

// A path holds no '#', so what is before the last one is the rest.
std::string call_key(std::string_view run_id, std::uint64_t turn, std::string_view task_id, std::string_view path) {
  std::string key;
  if (!task_id.empty()) {
    key.append("task:").append(task_id);
  } else {
    key.append("run:").append(run_id).append("@").append(std::to_string(turn));
  }
  return key.append("#").append(path);
}

std::string RunImpl::call_key(std::string_view task_id, std::string_view path) const {
  return ptc::call_key(run_id, turn, task_id, path);
}

std::string RunImpl::kept_key(const Fiber& fiber, const std::string& key) {
  for (const Fiber* at = &fiber; at->parent != nullptr; at = at->parent) {
    if (!at->open_tasks.empty()) return key;
  }
  return {};
}

std::string RunImpl::branch_prefix(Fiber& branch) {
  Fiber& parent = *branch.parent;
  if (parent.fork_operation == 0) {
    parent.fork_operation = parent.parent == nullptr ? static_cast<std::uint32_t>(++env.operations.last_fresh_id)
                                                     : ++parent.operations;
  }
  const std::string before = parent.parent == nullptr ? "op" : branch_prefix(parent);
  return before + std::to_string(parent.fork_operation) + '.' + std::to_string(branch.branch_index) + '.';
}

std::string RunImpl::fresh_operation_id(Fiber& fiber) {
  if (fiber.parent == nullptr) return env.operations.fresh_id();
  const std::string prefix = branch_prefix(fiber);
  for (;;) {
    std::string id = prefix + std::to_string(++fiber.operations);
    if (env.operations.find(id) == nullptr) return id;
  }
}

bool RunImpl::find_attachable(std::string_view task_id, std::string_view path, std::string_view tool, Value args,
                              const Operation** found) {
  *found = nullptr;
  if (task_id.empty() || operations_before == 0) return true;
  const Operation* other = nullptr;
  for (const Operation* operation : env.operations.attachable(task_id, path)) {
    if (operation - env.operations.all().data() >= operations_before) continue;   // this turn's own
    if (operation->tool == tool && equal(operation->args, args)) {
      *found = operation;
      return true;
    }
    if (other == nullptr) other = operation;
  }
  if (other == nullptr) return true;
  const std::string id(task_id);
  return raise(FaultKind::TaskDiverged,
               "task \"" + id + "\" first called " + call_text(other->tool, other->args) + ", now " +
                   call_text(tool, args),
               "use (task-reset \"" + id + "\") to start over");
}

}  // namespace ptc
