#include "vm/exec/namespace.h"

#include <utility>

namespace ptc {
namespace {

void swap_definition(Cell& cell, BranchDefinition& definition) {
  const Value seen = cell.value;
  cell.set(definition.value);
  definition.value = seen;
  std::swap(cell.defined, definition.defined);
}

}  // namespace

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

Cell& Namespace::cell(std::string_view name) {
  const auto at = by_name_.find(name);
  if (at != by_name_.end()) return *at->second;
  Cell& made = cells_.emplace_back();
  made.name = heap_.intern(name);
  made.index = static_cast<std::uint32_t>(cells_.size() - 1);
  by_name_.emplace(std::string(name), &made);
  return made;
}

void Namespace::assign(Cell& cell, bool defined, Value taken) {
  heap_.release(cell.value);
  cell.set(taken);
  cell.defined = defined;
}

void Namespace::define(std::string_view name, Value taken) { assign(cell(name), true, taken); }
void Namespace::undefine(std::string_view name) { assign(cell(name), false, Value::nil()); }

void Namespace::define_in(Fiber& fiber, Cell& target, Value taken) {
  if (fiber.parent != nullptr) {   // visible in this branch only: remember what the others see
    bool known = false;
    for (const BranchDefinition& definition : fiber.definitions) known |= definition.cell == target.index;
    if (!known) {
      fiber.definitions.push_back({target.index, target.value, target.defined});
      target.set(Value::nil());
    }
  }
  const Value old = target.value;
  target.set(taken);
  target.defined = true;
  if (!old.is(Tag::Closure)) {
    heap_.release(old);
    return;
  }
  retired_.push_back(old);   // it may be running
  if (fiber.parent == nullptr && fiber.frames.size() == 1) release_retired();
}

void Namespace::for_each_definition(const std::function<void(std::string_view, Value)>& visit) const {
  for (const auto& [name, cell] : by_name_) {
    if (cell->defined) visit(name, cell->value);
  }
}

void Namespace::show(Fiber& branch) {
  for (BranchDefinition& definition : branch.definitions) swap_definition(cells_[definition.cell], definition);
}

void Namespace::hide(Fiber& branch) {
  for (std::size_t k = branch.definitions.size(); k-- > 0;) {
    BranchDefinition& definition = branch.definitions[k];
    swap_definition(cells_[definition.cell], definition);
  }
}

void Namespace::release_base() {
  for (const Value& v : base_) heap_.release(v);
  base_.clear();
}

void Namespace::begin_turn() {
  release_base();
  for (const Cell& cell : cells_) {
    base_.push_back(cell.defined ? retained(cell.value) : Value::absent());
  }
}

void Namespace::rollback() {
  for (std::size_t k = 0; k < base_.size(); ++k) {
    const bool defined = !base_[k].is_absent();
    assign(cells_[k], defined, defined ? base_[k] : Value::nil());
  }
  base_.clear();
}

void Namespace::release_retired() {
  for (const Value& v : retired_) heap_.release(v);
  retired_.clear();
}

void Namespace::restore(std::size_t index, bool defined, Value taken) { assign(cells_[index], defined, taken); }

void Namespace::release_values() {
  rollback();
  release_retired();
  for (const Cell& cell : cells_) heap_.release(cell.value);
}

}  // namespace ptc
