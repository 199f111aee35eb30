#include "vm/exec/call_sites.h"

#include <utility>

#include "vm/value/equality.h"
#include "vm/value/print.h"

namespace ptc {

std::string call_text(Heap& heap, std::string_view tool, Value args) {
  constexpr std::size_t kShownBytes = 200;
  std::string text(tool);
  text += ' ';
  append_readable(text, args, heap, {kShownBytes, nullptr});
  return text;
}

std::uint32_t next_position(Fiber& fiber) {
  return fiber.open_tasks.empty() ? fiber.calls++ : fiber.open_tasks.back().calls++;
}

std::string call_path(Fiber& fiber, std::string& task_id) {
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

std::string kept_key(const Fiber& fiber, const std::string& key) {
  for (const Fiber* at = &fiber; at->parent != nullptr; at = at->parent) {
    if (!at->open_tasks.empty()) return key;
  }
  return {};
}

void CallSites::set_identity(std::string run_id, std::uint64_t turn) {
  run_id_ = std::move(run_id);
  turn_ = turn;
}

void CallSites::begin_turn() {
  operations_before_ = static_cast<std::uint32_t>(operations().all().size());
  ++turn_;
}

std::string CallSites::key(std::string_view task_id, std::string_view path) const {
  return call_key(run_id_, turn_, task_id, path);
}

std::string CallSites::branch_prefix(Fiber& branch) {
  Fiber& parent = *branch.parent;
  if (parent.fork_operation == 0) {
    parent.fork_operation = parent.parent == nullptr ? static_cast<std::uint32_t>(++operations().last_fresh_id)
                                                     : ++parent.operations;
  }
  const std::string before = parent.parent == nullptr ? "op" : branch_prefix(parent);
  return before + std::to_string(parent.fork_operation) + '.' + std::to_string(branch.branch_index) + '.';
}

std::string CallSites::fresh_operation_id(Fiber& fiber) {
  if (fiber.parent == nullptr) return operations().fresh_id();
  const std::string prefix = branch_prefix(fiber);
  for (;;) {
    std::string id = prefix + std::to_string(++fiber.operations);
    if (operations().find(id) == nullptr) return id;
  }
}

bool CallSites::find_attachable(std::string_view task_id, std::string_view path, std::string_view tool, Value args,
                                const Operation** found) {
  *found = nullptr;
  if (task_id.empty() || operations_before_ == 0) return true;
  const Operation* other = nullptr;
  for (const Operation* operation : operations().attachable(task_id, path)) {
    if (operation - operations().all().data() >= operations_before_) continue;   // this turn's own
    if (operation->tool == tool && equal(operation->args, args)) {
      *found = operation;
      return true;
    }
    if (other == nullptr) other = operation;
  }
  if (other == nullptr) return true;
  const std::string id(task_id);
  Heap& heap = core_.heap();
  return core_.raise(FaultKind::TaskDiverged,
                     "task \"" + id + "\" first called " + call_text(heap, other->tool, other->args) + ", now " +
                         call_text(heap, tool, args),
                     "use (task-reset \"" + id + "\") to start over");
}

}  // namespace ptc
