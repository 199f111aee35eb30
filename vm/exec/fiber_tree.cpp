#include "vm/exec/fiber_tree.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "vm/builtins/record_bytes.h"

namespace ptc {
namespace {

Fiber* find_waiting(Fiber& fiber, std::uint64_t request_id) {
  if (fiber.state == Fiber::State::WaitsForTool && fiber.request_id == request_id) return &fiber;
  for (const auto& child : fiber.children) {
    if (Fiber* found = find_waiting(*child, request_id)) return found;
  }
  return nullptr;
}

// calloc passes the allocator's cache of small blocks by, which costs a short run more than its program does.
constexpr std::uint64_t kMostCachedBytes = 1024;

}  // namespace

bool is_cut_off(const Fiber& fiber) {
  for (const Fiber* at = &fiber; at->parent != nullptr; at = at->parent) {
    if (!at->open_tasks.empty()) return false;
    if (at->parent->branch_failed) return true;
  }
  return false;
}

Fiber* probe_around(Fiber& fiber) {
  Fiber* at = &fiber;
  while (at->parent != nullptr && at->parent->state != Fiber::State::WaitsForTask) at = at->parent;
  return at->parent == nullptr ? nullptr : at;
}

// A turn that a limit has no room for begins all the same, so that a snapshot can be taken of it before it fails.
void FiberTree::begin_turn(const Closure* entry) {
  const auto& prototype = *static_cast<const Prototype*>(entry->function);
  const std::uint32_t registers = std::max<std::uint32_t>(prototype.register_count + 1, 32);
  main_ = make(nullptr);
  entry_has_room_ = !main_->frames.full() && heap().can_allocate(registers * sizeof(Value));
  if (main_->frames.full() && main_->frames.reserve(1)) heap().account(sizeof(Frame));
  if (main_->frames.full() || !take_stack(*main_, registers)) std::abort();   // the machine has not a page left
  main_->frames.push() = Frame::bytecode(prototype.code.data(), entry, main_->stack + 1, false);
}

void FiberTree::end_turn() {
  destroy(*main_);
  main_.reset();
}

namespace {

// Returns the first fiber, from the main one on, for which that is true, or null.
template <class Condition>
const Fiber* first_where(const Fiber& fiber, Condition condition) {
  if (condition(fiber)) return &fiber;
  for (const auto& child : fiber.children) {
    if (const Fiber* const found = first_where(*child, condition)) return found;
  }
  return nullptr;
}

}  // namespace

const Fiber* FiberTree::find_failed_call() const {
  return main_ == nullptr ? nullptr : first_where(*main_, [](const Fiber& fiber) {
    return fiber.state == Fiber::State::WaitsForTool && !fiber.records.empty() && !fiber.records.back().error.empty();
  });
}

const Fiber* FiberTree::find_ready() const {
  return main_ == nullptr ? nullptr : first_where(*main_, [](const Fiber& fiber) {
    return fiber.state == Fiber::State::Ready;
  });
}

Fiber* FiberTree::waiting_for(std::uint64_t request_id) {
  return main_ && request_id != 0 ? find_waiting(*main_, request_id) : nullptr;
}

namespace {

// Counts what a fiber takes besides its stack: `times` is 1 when it comes, and -1 when it goes.
void count_fiber(Heap& heap, const Fiber& fiber, std::int64_t times) {
  heap.account(times * static_cast<std::int64_t>(fiber.frames.capacity() * sizeof(Frame)));
  if (fiber.parent != nullptr) heap.account_records(times * static_cast<std::int64_t>(kBranchObjectBytes));
}

}  // namespace

std::unique_ptr<Fiber> FiberTree::make(Fiber* parent) {
  auto fiber = std::make_unique<Fiber>();
  fiber->parent = parent;
  fiber->nesting = parent == nullptr ? 0 : parent->nesting + 1;
  fiber->id = next_fiber_id_++;
  fiber->frames.grow(core_.limits().depth);
  count_fiber(heap(), *fiber, 1);
  return fiber;
}

void FiberTree::destroy(Fiber& fiber) {
  discard_branches(fiber);
  unwind(fiber);
  heap().release(fiber.result);
  for (const BranchDefinition& definition : fiber.definitions) heap().release(definition.value);
  for (const ToolRecordData& record : fiber.records) {
    heap().release(record.args);
    heap().release(record.result);
  }
  if (fiber.stack != nullptr) {
    heap().account(-static_cast<std::int64_t>(fiber.stack_size * sizeof(Value)));
    std::free(fiber.stack);
    fiber.stack = nullptr;
  }
  count_fiber(heap(), fiber, -1);
}

void FiberTree::open_task(Fiber& fiber, OpenTask task) {
  heap().account_records(counted_bytes(task));
  fiber.open_tasks.push_back(std::move(task));
}

void FiberTree::close_task(Fiber& fiber, std::size_t index) {
  const auto task = fiber.open_tasks.begin() + static_cast<std::ptrdiff_t>(index);
  heap().account_records(-counted_bytes(*task));
  fiber.open_tasks.erase(task);
}

bool FiberTree::make_room(Fiber& fiber, std::uint32_t base, std::uint32_t registers) {
  if (fiber.frames.full()) {
    const std::uint32_t before = fiber.frames.capacity();
    const std::uint32_t most = core_.limits().depth;
    if (before >= most) return core_.raise_depth();
    if (!heap().can_allocate(std::uint64_t{before} * sizeof(Frame)) || !fiber.frames.grow(most)) {
      return core_.raise_memory();
    }
    heap().account(static_cast<std::int64_t>(std::uint64_t{fiber.frames.capacity() - before} * sizeof(Frame)));
  }
  return std::uint64_t{base} + registers <= fiber.stack_size || grow_stack(fiber, std::uint64_t{base} + registers);
}

bool FiberTree::grow_stack(Fiber& fiber, std::uint64_t registers) {
  if (registers > kMostRegisters) return core_.raise_memory();
  std::uint64_t size = std::clamp<std::uint64_t>(std::uint64_t{fiber.stack_size} * 2, registers, kMostRegisters);
  if (!heap().can_allocate((size - fiber.stack_size) * sizeof(Value))) {
    size = registers;
    if (!heap().can_allocate((size - fiber.stack_size) * sizeof(Value))) return core_.raise_memory();
  }
  return take_stack(fiber, size) || core_.raise_memory();
}

bool FiberTree::take_stack(Fiber& fiber, std::uint64_t size) {
  const bool is_small = size * sizeof(Value) <= kMostCachedBytes;
  auto* grown = static_cast<Value*>(is_small ? std::malloc(size * sizeof(Value))
                                             : std::calloc(size, sizeof(Value)));   // untouched pages cost nothing
  if (grown == nullptr) return false;
  if (is_small) std::fill(grown + fiber.stack_size, grown + size, Value::nil());
  if (fiber.stack_size != 0) std::memcpy(static_cast<void*>(grown), fiber.stack, fiber.stack_size * sizeof(Value));
  Value* const old = fiber.stack;
  heap().account(static_cast<std::int64_t>((size - fiber.stack_size) * sizeof(Value)));
  for (Frame& frame : fiber.frames.all()) frame.base = grown + fiber.index_of(frame.base);
  fiber.stack = grown;
  fiber.stack_size = static_cast<std::uint32_t>(size);
  fiber.stack_end = grown + size;
  std::free(old);
  return true;
}

void FiberTree::discard_branches(Fiber& fiber) {
  if (fiber.state == Fiber::State::WaitsForTask) discard_probe(fiber);
  for (const auto& child : fiber.children) {
    discard_branches(*child);
    give_up_call(*child);
    std::vector<std::string>& prints = fiber.parent == nullptr ? env().prints : fiber.prints;
    for (std::string& text : child->prints) prints.push_back(std::move(text));
    for (ToolRecordData& record : child->records) {
      if (fiber.parent == nullptr) record.key.clear();   // its task is nobody's business any more
      fiber.records.push_back(std::move(record));
    }
    child->prints.clear();
    child->records.clear();
    destroy(*child);
  }
  fiber.children.clear();
  fiber.over_before = 0;
}

void FiberTree::discard_probe(Fiber& waiting) {
  for (const auto& probe : waiting.children) {
    discard_branches(*probe);
    for (const std::string& text : probe->prints) {
      env().print_bytes -= text.size() + 1;
      heap().account_records(-counted_print_bytes(text));
    }
    destroy(*probe);
  }
  waiting.children.clear();
}

void FiberTree::give_up_call(Fiber& fiber) {
  if (fiber.state != Fiber::State::WaitsForTool) return;
  requests_.drop(fiber.request_id);
  fiber.records.back().error = "given up: a sibling branch failed before the tool answered";
}

void FiberTree::fail_branch(Fiber& fiber, RunFault fault) {
  GuestStack stack = guest_stack(fiber, std::move(fault.stack));
  stack.push_back({GuestFrame::Kind::Branch, std::to_string(fiber.branch_index), GuestFrame::kNoLink, {}});
  discard_branches(fiber);
  unwind(fiber);
  fiber.state = Fiber::State::Faulted;
  fiber.parent->branch_failed = true;
  fiber.fault_kind = fault.kind;
  fiber.fault_message = std::move(fault.message);
  fiber.fault_found = std::move(fault.found);
  fiber.fault_stack = guest_stack_text(stack);
}

void FiberTree::fail_waiting(Fiber& fiber, RunFault fault) {
  if (fiber.parent != nullptr && !ends_everything(fault.kind)) {
    fail_branch(fiber, std::move(fault));
    return;
  }
  core_.set_fault(std::move(fault));
  has_failed_ = true;
}

Fiber* FiberTree::restore(Fiber* parent, std::uint32_t frame_capacity, std::uint32_t registers) {
  auto made = std::make_unique<Fiber>();
  Fiber& fiber = *made;
  fiber.parent = parent;
  if (parent == nullptr) {
    main_ = std::move(made);
    has_closed_task_ = true;   // maybe
  } else {
    fiber.nesting = parent->nesting + 1;
    fiber.branch_index = static_cast<std::uint32_t>(parent->children.size());
    parent->children.push_back(std::move(made));
  }
  const std::uint32_t frames = std::min(frame_capacity, core_.limits().depth);
  if (frames != 0 && !fiber.frames.reserve(frames)) return nullptr;
  count_fiber(heap(), fiber, 1);
  return registers == 0 || grow_stack(fiber, registers) ? &fiber : nullptr;
}

void FiberTree::restore_counters(std::uint32_t first_unused_id, bool has_failed) {
  next_fiber_id_ = first_unused_id;
  has_failed_ = has_failed;
}

}  // namespace ptc
