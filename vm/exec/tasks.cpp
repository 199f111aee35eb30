#include "vm/exec/tasks.h"

#include <algorithm>

#include "vm/builtins/task_ids.h"
#include "vm/value/account.h"
#include "vm/value/scratch.h"
#include "vm/value/string.h"
#include "vm/value/utf8.h"
#include "vm/value/weight.h"

namespace ptc {

namespace {

// Charges the writing of what is committed, which takes the host some nanoseconds for each byte.
void charge_commit(Heap& heap, std::string_view id, Value value) {
  constexpr std::uint64_t kFreeBytes = 4096;
  const std::uint64_t bytes = id.size() + written_bytes(heap, value);
  if (bytes > kFreeBytes) charge_parts(bytes / 2);
}

}  // namespace

bool raise_end_of_probe(RunCore& core) {
  return core.raise(FaultKind::PmapError, "the probe has nothing more to find");
}

// Once for each task, and for so many of them.
void Tasks::warn_of_no_journal(std::string_view id) {
  constexpr std::size_t kMost = 100, kShownBytes = 200;
  if (env().warnings.size() >= kMost) return;
  const std::string_view shown = id.size() <= kShownBytes ? id : utf8_prefix(id, kShownBytes);
  std::string warning = "task \"" + std::string(shown) + (shown.size() < id.size() ? "…" : "") +
                        "\": no journal, result not cached";
  if (std::find(env().warnings.begin(), env().warnings.end(), warning) == env().warnings.end()) {
    env().warnings.push_back(std::move(warning));
  }
}

TaskResult Tasks::start(Fiber& fiber, Value* window) {
  if (!window[1].is_string()) {
    core_.raise(FaultKind::BadProgram, "task id is no string");
    return TaskResult::Faulted;
  }
  const std::string_view id = string_view_of(window[1]);
  charge_text(4 * id.size());   // hashed and compared; and copied for the open task
  if (env().has_journal) {
    bool returned = false;
    if (const Value* known = journal().look_up(id, returned)) {
      const Value v = retained(*known);
      heap().release(window[1]);
      window[1] = Value::nil();
      window[0] = v;
      // This turn ended here before its process died: what is behind the task was not reached and is not reached now.
      return returned && fiber.parent == nullptr ? TaskResult::Returned : TaskResult::Hit;
    }
    std::uint64_t looked_at = 0;
    const bool is_held = find_holder(fiber, id, looked_at) != nullptr;
    charge_parts(looked_at);
    if (is_held) {
      fiber.state = Fiber::State::WaitsForTask;
      fiber.waits_for_task = id;
      return TaskResult::Wait;
    }
    if (probe_around(fiber) != nullptr) {
      raise_end_of_probe(core_);
      return TaskResult::Faulted;
    }
  } else {
    warn_of_no_journal(id);
  }
  const std::uint64_t taken = Journal::entry_bytes(id) + id.size() + bytes_in_store(env(), id);
  if (!heap().can_allocate(taken)) {
    core_.raise_memory();
    return TaskResult::Faulted;
  }
  const HeldBytes held(taken);   // so that the engine keeps less of what the run gave back
  fibers_.open_task(fiber, {std::string(id), static_cast<std::uint32_t>(fiber.frames.size()), 0});
  return TaskResult::Miss;
}

bool Tasks::stops_after_task(const Fiber& fiber) const {
  return (yields_at_commits_ && env().has_journal) || (fiber.parent != nullptr && is_cut_off(fiber));
}

// Fibers around the asking one have it open in vain: they wait for what becomes of it. A probe evaluates no task.
const Fiber* Tasks::holder(const Fiber& asking, std::string_view id) const {
  std::uint64_t looked_at = 0;
  return find_holder(asking, id, looked_at);
}

const Fiber* Tasks::find_holder(const Fiber& asking, std::string_view id, std::uint64_t& looked_at) const {
  const Fiber* around[kMaxNesting + 1] = {};
  for (const Fiber* at = &asking; at != nullptr; at = at->parent) around[at->nesting] = at;
  const auto search = [&](const auto& self, const Fiber& fiber) -> const Fiber* {
    ++looked_at;
    if (fiber.nesting > asking.nesting || around[fiber.nesting] != &fiber) {
      for (const OpenTask& open : fiber.open_tasks) {
        if (open.id == id) return &fiber;
      }
    }
    if (fiber.state == Fiber::State::WaitsForTask) return nullptr;
    for (const auto& child : fiber.children) {
      if (const Fiber* found = self(self, *child)) return found;
    }
    return nullptr;
  };
  return search(search, *fibers_.main());
}

void Tasks::commit_open(const Fiber& fiber, Value borrowed) {
  if (!env().has_journal || fiber.open_tasks.empty()) return;
  bool fits = true;
  if (!core_.patiently([&] { fits = journal().may_commit(borrowed); }) || !fits) return;   // the host refuses it, too
  charge_commit(heap(), fiber.open_tasks.back().id, borrowed);
  for (std::size_t k = fiber.open_tasks.size(); k-- > 0;) {
    journal().commit(fiber.open_tasks[k].id, retained(borrowed), env().operations.all().size(), true);
    env().operations.detach_task(fiber.open_tasks[k].id);
  }
}

bool Tasks::end(Fiber& fiber, Value* window) {
  if (!window[1].is_string()) return core_.raise(FaultKind::BadProgram, "task id is no string");
  if (probe_around(fiber) != nullptr) return raise_end_of_probe(core_);
  const std::string_view id = string_view_of(window[1]);
  bool fits = true;
  if (env().has_journal && !core_.patiently([&] { fits = journal().may_commit(window[0]); })) return false;
  if (!fits) {
    return core_.raise(FaultKind::MemoryExceeded,
                       "the value of task \"" + std::string(id) + "\" is too large to be written out",
                       "let the task give a part of it, or its count");
  }
  for (std::size_t k = fiber.open_tasks.size(); k-- > 0;) {
    if (fiber.open_tasks[k].id != id) continue;
    fibers_.close_task(fiber, k);
    fibers_.set_closed_task(true);
    break;
  }
  if (env().has_journal) {
    charge_commit(heap(), id, window[0]);
    // An earlier commit of the same id stays.
    journal().commit(id, retained(window[0]), env().operations.all().size());
    const Value committed = retained(*journal().find(id));
    heap().release(window[0]);
    window[0] = committed;
  }
  env().operations.detach_task(id);   // what its body opened is done with
  heap().release(window[1]);
  return true;
}

}  // namespace ptc
