// The user namespace: a cell a name, what defining does, and how a failed turn gives everything back.
#include "vm/exec/run_impl.h"

namespace ptc {

void Cell::set(Value taken) {
  value = taken;
  direct_args = Prototype::kNotDirect;
  if (!taken.is(Tag::Closure)) return;
  const auto* closure = static_cast<const Closure*>(taken.object);
  const auto& prototype = *static_cast<const Prototype*>(closure->function);
  entry = prototype.direct_entry;
  link = static_cast<const Link*>(closure->link);
  direct_args = prototype.direct_args;
  window_bytes = prototype.window_bytes;
}

Cell* RunImpl::cell(std::string_view name) {
  const auto at = cell_of.find(name);
  if (at != cell_of.end()) return at->second;
  Cell& made = cells.emplace_back();
  made.name = heap.intern(name);
  made.index = static_cast<std::uint32_t>(cells.size() - 1);
  cell_of.emplace(std::string(name), &made);
  return &made;
}

void RunImpl::retire(Value taken) { retired.push_back(taken); }

void RunImpl::define_cell(Fiber& fiber, Cell* target, Value taken) {
  if (fiber.parent != nullptr) {   // visible in this branch only: remember what the others see
    bool known = false;
    for (const BranchDefinition& definition : fiber.definitions) known |= definition.cell == target->index;
    if (!known) {
      fiber.definitions.push_back({target->index, target->value, target->defined});
      target->set(Value::nil());
    }
  }
  const Value old = target->value;
  target->set(taken);
  target->defined = true;
  if (!old.is(Tag::Closure)) {
    heap.release(old);
    return;
  }
  retire(old);   // it may be running
  if (fiber.parent == nullptr && fiber.frames.size() == 1) {
    for (const Value& v : retired) heap.release(v);
    retired.clear();
  }
}

// Gives the namespace back the values it had at start().
void RunImpl::rollback() {
  for (std::size_t k = 0; k < base_values.size(); ++k) {
    heap.release(cells[k].value);
    cells[k].defined = !base_values[k].is_absent();
    cells[k].set(cells[k].defined ? base_values[k] : Value::nil());
  }
  base_values.clear();
}

void RunImpl::forget_base() {
  for (const Value& v : base_values) heap.release(v);
  base_values.clear();
}

}  // namespace ptc
